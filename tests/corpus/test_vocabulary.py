"""Word ids: stable, equal to a dictionary's, and unchanged by saving."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.corpus.vocabulary import UNKNOWN, Vocabulary
from querykin.text.tokenizer import tokenize
from reference import tokenizer as reference_tokenizer
from reference.tokenizer import without_diacritics
from reference.vocabulary import ReferenceVocabulary
from strategies import texts

batches = st.lists(st.lists(texts(40), max_size=3), max_size=4)


def vocabulary_of(*batches: list[str]) -> Vocabulary:
    vocabulary = Vocabulary.empty()
    for batch in batches:
        vocabulary.add(tokenize(batch))
    return vocabulary


def all_words(vocabulary: Vocabulary) -> list[str]:
    return [vocabulary.word(number) for number in range(vocabulary.count)]


@given(batches)
@settings(deadline=None, max_examples=150)
def test_ids_and_stems_equal_the_reference_after_every_batch(batches):
    vocabulary, reference = Vocabulary.empty(), ReferenceVocabulary()
    for batch in batches:
        numbers = vocabulary.add(tokenize(batch))
        assert numbers.tolist() == reference.add(
            [word for text in batch for word in reference_tokenizer.words(text)]
        )
        assert all_words(vocabulary) == list(reference.numbers)
        stems = [reference.stem(word) for word in reference.numbers]
        assert vocabulary.stem[: vocabulary.count].tolist() == stems
        indptr, forms = vocabulary.forms
        for number in range(vocabulary.count):
            same = [word for word, stem in enumerate(stems) if stem == number]
            assert forms[indptr[number] : indptr[number + 1]].tolist() == same


@given(batches)
@settings(deadline=None, max_examples=60)
def test_ids_never_change(batches):
    vocabulary = Vocabulary.empty()
    before: list[str] = []
    for batch in batches:
        vocabulary.add(tokenize(batch))
        assert all_words(vocabulary)[: len(before)] == before
        before = all_words(vocabulary)
        assert vocabulary.add(tokenize(batch)).tolist() == vocabulary.lookup(tokenize(batch)).tolist()
        assert all_words(vocabulary) == before


@given(batches, st.lists(texts(40), max_size=3))
@settings(deadline=None, max_examples=60)
def test_a_saved_vocabulary_is_unchanged_and_can_grow(batches, more):
    vocabulary = vocabulary_of(*batches)
    with TemporaryDirectory() as folder:
        vocabulary.save(Path(folder))
        opened = Vocabulary.open(Path(folder))
        assert all_words(opened) == all_words(vocabulary)
        assert opened.stem.tolist() == vocabulary.stem[: vocabulary.count].tolist()
        assert opened.add(tokenize(more)).tolist() == vocabulary.add(tokenize(more)).tolist()
        assert all_words(opened) == all_words(vocabulary)


def test_growing_an_opened_vocabulary_does_not_change_its_files(tmp_path):
    vocabulary_of(["mariners"]).save(tmp_path)
    Vocabulary.open(tmp_path).add(tokenize([" ".join(f"word{i}" for i in range(5000))]))
    assert all_words(Vocabulary.open(tmp_path)) == ["mariners", "marin"]


def test_a_hundred_thousand_words_in_many_batches_keep_their_ids():
    vocabulary = Vocabulary.empty()
    batch = [[f"{i:x}q" for i in range(begin, begin + 1000)] for begin in range(0, 100_000, 1000)]
    numbers = [vocabulary.add(tokenize([" ".join(words)])) for words in batch]
    assert len(np.unique(np.concatenate(numbers))) == 100_000
    for words, assigned in zip(batch, numbers, strict=True):
        assert vocabulary.lookup(tokenize([" ".join(words)])).tolist() == assigned.tolist()
    assert vocabulary.word(int(numbers[57][3])) == batch[57][3]


def test_words_with_colliding_slots_are_distinguished():
    """Five hundred words in a table of 1024 slots collide many times."""
    words = [f"a{i}" for i in range(500)]
    vocabulary = vocabulary_of([" ".join(words)])
    assert [vocabulary.word(int(n)) for n in vocabulary.lookup(tokenize([" ".join(words)]))] == words


def test_stems_are_porters():
    words = ["mariners", "running", "relational", "ponies", "generalisations", "sky", "valentine"]
    vocabulary = vocabulary_of([" ".join(words)])
    numbers = vocabulary.lookup(tokenize([" ".join(words)]))
    assert [vocabulary.word(int(n)) for n in vocabulary.stem[numbers]] == Stemmer.Stemmer("porter").stemWords(
        words
    )


def test_an_unknown_word_has_no_id_but_its_stem_may():
    vocabulary = vocabulary_of(["the mariner sailed"])
    tokens = tokenize(["mariners zzyzx"])
    assert vocabulary.lookup(tokens).tolist() == [UNKNOWN, UNKNOWN]
    numbers, hashes = vocabulary.lookup_stems(tokens)
    assert vocabulary.word(int(numbers[0])) == "marin"
    assert numbers[1] == UNKNOWN
    assert hashes.tolist() == [reference_tokenizer.feature("marin"), reference_tokenizer.feature("zzyzx")]


@given(batches, texts())
@settings(deadline=None, max_examples=60)
def test_the_stem_of_a_word_is_the_same_whether_known_or_not(batches, text):
    # A word with diacritics has the stem of its folded form, if that was known before.
    batches = [[without_diacritics(text) for text in batch] for batch in batches]
    vocabulary, tokens = vocabulary_of(*batches), tokenize([without_diacritics(text)])
    numbers, hashes = vocabulary.lookup_stems(tokens)
    for word, number, feature in zip(tokens.words(), numbers, hashes, strict=True):
        root = reference_tokenizer.stem(word)
        assert feature == reference_tokenizer.feature(root)
        assert number == UNKNOWN or vocabulary.word(int(number)) == root
    known = vocabulary.lookup(tokens) != UNKNOWN
    assert (numbers[known] != UNKNOWN).all()
