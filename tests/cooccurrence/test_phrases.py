"""Lists of phrases, and segmentation of texts: longest phrase first, leftmost among equals."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.cooccurrence import phrases as module
from querykin.cooccurrence.phrases import MAX_WORDS, Phrases
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.text.tokenizer import tokenize
from reference import cooccurrence as reference
from strategies import texts

word_texts = st.lists(st.sampled_from("abc"), max_size=12).map(" ".join)
query_texts = st.lists(st.sampled_from(["sky", "fox", "york", "how", "to", "of"]), max_size=9).map(" ".join)
runs = st.lists(st.sampled_from("abc"), min_size=1, max_size=8).map(" ".join)


def segment(phrases: Phrases, given: list[str], usable=None) -> list[list[tuple[str, ...]]]:
    """The chunks of every text; a chunk ends where the next one begins."""
    tokens = tokenize(given)
    flags = np.ones(len(phrases), np.bool_) if usable is None else usable
    indptr, begins, numbers = phrases.chunk(tokens, flags)
    assert len(begins) == len(numbers) == indptr[-1]
    found = []
    for text in range(len(given)):
        own = slice(indptr[text], indptr[text + 1])
        words, start = tokens.words(text), tokens.indptr[text]
        borders = [*(begins[own] - start).tolist(), len(words)]
        chunks = [tuple(words[a:b]) for a, b in pairwise(borders)]
        assert [len(chunk) > 1 for chunk in chunks] == (numbers[own] >= 0).tolist()
        found.append(chunks)
    return found


@given(st.lists(runs, max_size=10), st.lists(word_texts, max_size=4), st.data())
@settings(deadline=None, max_examples=100)
def test_segmentation_equals_the_reference(listed, given, data):
    phrases = Phrases.of(listed)
    usable = np.array([data.draw(st.booleans()) for _ in range(len(phrases))], np.bool_)
    kept = {
        phrase
        for phrase in reference.listed(listed)
        if usable[np.searchsorted(phrases.hashes, Phrases.of([" ".join(phrase)]).hashes[0])]
    }
    assert segment(phrases, given, usable) == [reference.chunked(text.split(), kept) for text in given]


@given(st.lists(texts(), max_size=6))
@settings(deadline=None, max_examples=100)
def test_texts_of_any_characters_are_phrases_if_they_have_from_two_to_six_words(given):
    assert Phrases.of(given).hashes.tolist() == sorted(map(reference.phrase_hash, reference.listed(given)))


def test_the_longest_phrase_is_taken_first_wherever_it_is():
    phrases = Phrases.of(["new york", "york city hall"])
    assert segment(phrases, ["old new york city hall"]) == [[("old",), ("new",), ("york", "city", "hall")]]


def test_of_phrases_of_equal_length_the_leftmost_is_taken():
    phrases = Phrases.of(["york city", "new york", "city hall"])
    assert segment(phrases, ["new york city"]) == [[("new", "york"), ("city",)]]
    assert segment(phrases, ["new york city hall"]) == [[("new", "york"), ("city", "hall")]]


def test_a_phrase_may_come_twice_and_does_not_overlap_itself():
    assert segment(Phrases.of(["a a"]), ["a a a", "a a a a"]) == [
        [("a", "a"), ("a",)],
        [("a", "a"), ("a", "a")],
    ]


def test_no_phrase_crosses_the_end_of_a_text():
    assert segment(Phrases.of(["new york"]), ["new", "york", "", "new york"]) == [
        [("new",)],
        [("york",)],
        [],
        [("new", "york")],
    ]


def test_the_numbers_of_chunks_are_indices_of_the_list():
    phrases = Phrases.of(["new york", "city hall", "los angeles"])
    _, _, numbers = phrases.chunk(tokenize(["city hall of new york"]), np.ones(3, np.bool_))
    expected = [int(Phrases.of([text]).hashes[0]) for text in ("city hall", "new york")]
    assert phrases.hashes[numbers[[0, 2]]].tolist() == expected
    assert numbers[1] == -1


def test_phrases_that_are_not_usable_are_segmented_into_shorter_ones_or_words():
    phrases = Phrases.of(["new york city", "new york"])
    long = phrases.hashes == Phrases.of(["new york city"]).hashes[0]
    assert segment(phrases, ["new york city"]) == [[("new", "york", "city")]]
    assert segment(phrases, ["new york city"], ~long) == [[("new", "york"), ("city",)]]
    assert segment(phrases, ["new york city"], np.zeros(2, np.bool_)) == [[("new",), ("york",), ("city",)]]


def test_a_phrase_has_from_two_to_six_words():
    words = ["one", "two", "three", "four", "five", "six", "seven"]
    for length in range(8):
        assert len(Phrases.of([" ".join(words[:length])])) == (2 <= length <= MAX_WORDS)
    assert segment(Phrases.of([" ".join(words), " ".join(words[:6])]), [" ".join(words)]) == [
        [tuple(words[:6]), ("seven",)]
    ]


def test_capitals_and_punctuation_do_not_matter_but_the_order_of_words_does():
    phrases = Phrases.of(["New York", "new-york!", "NEW  YORK", "York, New"])
    assert len(phrases) == 2
    assert segment(Phrases.of(["New York"]), ["to new york", "york new"]) == [
        [("to",), ("new", "york")],
        [("york",), ("new",)],
    ]


@pytest.mark.parametrize("batch", [1, 3, 10_000])
def test_lists_of_any_length_are_read_in_batches(monkeypatch, batch):
    monkeypatch.setattr(module, "_BATCH", batch)
    given = ["", "new york", "york", "city hall of los angeles", "a b c d e f g", "new york", "city hall"]
    phrases = Phrases.of(iter(given))
    alone = [Phrases.of([text]).hashes[0] for text in (given[1], given[3], given[6])]
    assert phrases.hashes.tolist() == sorted(alone)


@given(st.lists(query_texts, max_size=12), st.integers(1, 4), st.sampled_from([1, 3, 10_000]))
@settings(deadline=None, max_examples=100)
def test_n_grams_are_frequent_that_enough_texts_contain(given, min_texts, batch):
    counts = Counter(ngram for text in given for ngram in set(ngrams_of(text.split())))
    expected = sorted(reference.phrase_hash(ngram) for ngram, n in counts.items() if n >= min_texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BATCH", batch)
        assert Phrases.frequent(given, min_texts).hashes.tolist() == expected


def ngrams_of(words: list[str]) -> list[tuple[str, ...]]:
    """All n-grams of two to six words without a stop word at an end."""
    borders = [(a, b) for a in range(len(words)) for b in range(a + 2, min(a + MAX_WORDS, len(words)) + 1)]
    return [tuple(words[a:b]) for a, b in borders if not {words[a], words[b - 1]} & ENGLISH_STOP_WORDS]


def test_the_union_of_two_lists():
    both = Phrases.of(["new york", "city hall"]) | Phrases.of(["city hall", "los angeles"])
    assert both.hashes.tolist() == Phrases.of(["new york", "city hall", "los angeles"]).hashes.tolist()


def test_a_saved_list_is_read_back(tmp_path):
    phrases = Phrases.of(["new york", "city hall"])
    phrases.save(tmp_path)
    assert Phrases.open(tmp_path).hashes.tolist() == phrases.hashes.tolist()
    nothing = Phrases.of([])
    nothing.save(tmp_path)
    assert len(Phrases.open(tmp_path)) == len(nothing) == 0


def test_without_phrases_or_texts_there_is_nothing_to_segment():
    assert segment(Phrases.of([]), ["new york", ""]) == [[("new",), ("york",)], []]
    assert segment(Phrases.of(["new york"]), []) == []
    assert segment(Phrases.of(["new york"]), ["", "new"]) == [[], [("new",)]]
