"""Co-occurrences counted in bounded memory equal those of a walk through the words."""

import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.cooccurrence import counting
from querykin.cooccurrence.counting import Documents, DocumentTokens, UnitCounts
from querykin.cooccurrence.limits import DISTANCE, MAX_BYTES
from querykin.cooccurrence.phrases import Phrases
from reference import cooccurrence as reference
from reference.tokenizer import feature

ALPHABET = "abcdef"
documents = st.lists(st.sampled_from(ALPHABET), max_size=15)
# Parts of a corpus, and for each document whether it is counted.
corpora = st.lists(st.lists(st.tuples(documents, st.booleans()), max_size=5), max_size=3)
phrases = st.lists(st.lists(st.sampled_from("abc"), min_size=2, max_size=6).map(" ".join), max_size=8)
limits = st.sampled_from([0, 64, 1000, MAX_BYTES])


def stored(parts, alphabet=ALPHABET) -> Documents:
    """Words as in the token store: numbers with two bits of flags."""
    made = []
    for part in parts:
        flat = [word for document, _ in part for word in document]
        tokens = [alphabet.index(word) * 4 + i % 4 for i, word in enumerate(flat)]
        counted = np.flatnonzero(np.array([counts for _, counts in part], np.bool_))
        indptr = make_indptr(len(document) for document, _ in part)
        made.append(DocumentTokens(np.array(tokens, np.uint32), indptr, counted))
    return Documents(made, np.array([feature(word) for word in alphabet], np.int64))


def live_documents(parts) -> list[list[str]]:
    return [document for part in parts for document, counts in part if counts]


def rows(counted: list[UnitCounts], alphabet=ALPHABET) -> list[dict[str, int]]:
    """One dictionary per unit, in the order of units."""
    found = []
    for some in counted:
        assert len(some.contexts) == len(some.counts) == some.sizes.sum()
        assert some.marginals.sum() == some.counts.sum()
        for begin, end in pairwise(make_indptr(some.sizes.tolist())):
            contexts = some.contexts[begin:end].tolist()
            assert contexts == sorted(set(contexts))
            counts = some.counts[begin:end].tolist()
            found.append({alphabet[c]: count for c, count in zip(contexts, counts, strict=True)})
    return found


@given(corpora, st.integers(1, 5), limits)
@settings(deadline=None, max_examples=100)
def test_words_have_the_counts_of_the_reference(parts, distance, limit):
    found = rows(list(stored(parts).words(distance, limit)))
    assert found == [
        dict(reference.cooccurrence(live_documents(parts), (word,), distance)) for word in ALPHABET
    ]


@given(corpora, phrases, st.integers(1, 5), limits)
@settings(deadline=None, max_examples=100)
def test_phrases_have_the_counts_of_the_reference(parts, listed, distance, limit):
    known = Phrases.of(listed)
    found = rows(list(stored(parts).phrases(known, distance, limit)))
    by_hash = dict(zip(known.hashes.tolist(), found, strict=True))
    expected = {
        int(Phrases.of([" ".join(phrase)]).hashes[0]): reference.cooccurrence(
            live_documents(parts), phrase, distance
        )
        for phrase in reference.listed(listed)
    }
    assert by_hash == expected


@given(corpora)
@settings(deadline=None, max_examples=50)
def test_co_occurrence_of_words_is_symmetric(parts):
    found = dict(zip(ALPHABET, rows(list(stored(parts).words(DISTANCE, MAX_BYTES))), strict=True))
    for a in ALPHABET:
        for b in ALPHABET:
            assert found[a].get(b, 0) == found[b].get(a, 0)
        assert found[a].get(a, 0) % 2 == 0


def test_worked_words():
    """In "a b c d e a" the first a reaches to d, the last one back to c."""
    found = rows(list(stored([[(list("abcdea"), True)]]).words(3, MAX_BYTES)))
    assert found[0] == {"b": 1, "c": 2, "d": 2, "e": 1}
    assert found[1] == {"a": 1, "c": 1, "d": 1, "e": 1}
    assert found[2] == {"a": 2, "b": 1, "d": 1, "e": 1}
    assert found[5] == {}


def test_worked_phrases():
    """In "f a b c d e a b" the phrase [a b] has f before it, c d e after it and c d e before it again."""
    part = [(list("fabcdeab"), True)]
    assert rows(list(stored([part]).phrases(Phrases.of(["a b"]), 3, MAX_BYTES))) == [
        {"f": 1, "c": 2, "d": 2, "e": 2}
    ]


def test_a_word_beside_itself_counts_from_both_sides():
    assert rows(list(stored([[(["a", "a"], True)]]).words(3, MAX_BYTES)))[0] == {"a": 2}
    assert rows(list(stored([[(["a"] * 5, True)]]).words(3, MAX_BYTES)))[0] == {"a": 18}  # 3 + 4 + 4 + 4 + 3


def test_overlapping_occurrences_of_a_phrase_all_count():
    found = rows(list(stored([[(["a"] * 4, True)]]).phrases(Phrases.of(["a a"]), 3, MAX_BYTES)))
    assert found == [{"a": 6}]  # two beside each of three


def test_a_phrase_inside_a_longer_one_is_counted():
    known = Phrases.of(["a b", "a b c", "b c"])
    found = rows(list(stored([[(list("dabce"), True)]]).phrases(known, 3, MAX_BYTES)))
    names = {int(Phrases.of([text]).hashes[0]): text for text in ("a b", "a b c", "b c")}
    by_name = {names[value]: row for value, row in zip(known.hashes.tolist(), found, strict=True)}
    assert by_name == {
        "a b": {"d": 1, "c": 1, "e": 1},
        "a b c": {"d": 1, "e": 1},
        "b c": {"d": 1, "a": 1, "e": 1},
    }


def test_contexts_do_not_cross_document_borders():
    part = [(["a"], True), (["b"], True), (["a", "b"], False)]
    assert rows(list(stored([part]).words(3, MAX_BYTES))) == [{}] * len(ALPHABET)
    assert rows(list(stored([part]).phrases(Phrases.of(["a b"]), 3, MAX_BYTES))) == [{}]


def test_words_that_do_not_occur_have_empty_rows_and_an_empty_corpus_has_none():
    assert rows(list(Documents([], np.zeros(0, np.int64)).words(3, MAX_BYTES))) == []
    assert rows(list(stored([]).words(3, MAX_BYTES))) == [{}] * len(ALPHABET)
    assert rows(list(stored([]).phrases(Phrases.of([]), 3, MAX_BYTES))) == []
    assert rows(list(stored([[([], True)]]).phrases(Phrases.of(["a b"]), 3, MAX_BYTES))) == [{}]


@pytest.fixture(scope="module")
def many() -> Documents:
    """A million words, half of them the same one, and a thousand others."""
    random = np.random.default_rng(2009)
    words = np.where(random.random(1_000_000) < 0.5, 0, random.integers(1, 1000, 1_000_000))
    indptr = np.arange(0, len(words) + 1, 100)
    hashes = np.array([feature(f"word{number}") for number in range(1000)], np.int64)
    part = DocumentTokens((words * 4).astype(np.uint32), indptr, np.arange(len(indptr) - 1))
    return Documents([part], hashes)


def together(counted: list[UnitCounts], name: str) -> np.ndarray:
    return np.concatenate([getattr(some, name) for some in counted])


def peak(count: Callable[..., Iterator[UnitCounts]], *given) -> int:
    """The peak memory in bytes while everything is counted and discarded."""
    tracemalloc.start()
    for some in count(*given):
        del some
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_the_memory_limit_holds_even_for_a_word_whose_contexts_exceed_it(many):
    """The most frequent word has three million contexts: 12 MB as numbers."""
    phrases = Phrases.of(["word0 word0", "word0 word1", "word1 word2"])
    whole = [list(many.words(3, MAX_BYTES)), list(many.phrases(phrases, 3, MAX_BYTES))]
    assert peak(many.words, 3, MAX_BYTES) > 40 << 20
    for limit in (1 << 20, 4 << 20, 16 << 20):
        assert peak(many.words, 3, limit) <= limit
        assert peak(many.phrases, phrases, 3, limit) <= limit + (4 << 20)  # and the filter
        found = [list(many.words(3, limit)), list(many.phrases(phrases, 3, limit))]
        for name in ("sizes", "marginals", "contexts", "counts"):
            for some, all_at_once in zip(found, whole, strict=True):
                assert np.array_equal(together(some, name), together(all_at_once, name))


def test_documents_are_shared_out_among_all_cores(many, monkeypatch):
    seen = []
    visit = counting._visit
    monkeypatch.setattr(counting, "available_cpus", lambda: 2)
    monkeypatch.setattr(
        counting, "_visit", lambda *given: seen.append(len(given[0].ordinals)) or visit(*given)
    )
    assert len(list(many.phrases(Phrases.of(["word0 word0", "word1 word2"]), 3, MAX_BYTES))) == 2
    assert sorted(seen) == [5000] * 4  # two passes over the tokens, each in two halves


@pytest.mark.parametrize("limit", [64, 1000, MAX_BYTES])
def test_many_words_over_many_documents_equal_the_reference(limit):
    alphabet = [f"word{number}" for number in range(60)]
    random = np.random.default_rng(2009)
    sequences = [[alphabet[i] for i in random.zipf(1.4, 40) % 60] for _ in range(30)]
    parts = [[(document, True) for document in sequences[start::2]] for start in range(2)]
    found = rows(list(stored(parts, alphabet).words(3, limit)), alphabet)
    assert found == [dict(reference.cooccurrence(sequences, (word,))) for word in alphabet]
    seen = Counter(tuple(document[i : i + 2]) for document in sequences for i in range(39))
    listed = [" ".join(phrase) for phrase, _ in seen.most_common(20)]
    known = Phrases.of(listed)
    counted = rows(list(stored(parts, alphabet).phrases(known, 3, limit)), alphabet)
    by_hash = dict(zip(known.hashes.tolist(), counted, strict=True))
    for text in listed:
        assert by_hash[int(Phrases.of([text]).hashes[0])] == reference.cooccurrence(
            sequences, tuple(text.split())
        )
