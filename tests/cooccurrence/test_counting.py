"""Neighbours counted in bounded memory equal those that a walk through the words finds."""

import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.cooccurrence import counting as cooccurrence
from querykin.cooccurrence.counting import DISTANCE, ROOM, Documents, UnitCounts
from querykin.cooccurrence.phrases import Phrases
from reference import cooccurrence as twin
from reference.tokenizer import feature

ALPHABET = "abcdef"
documents = st.lists(st.sampled_from(ALPHABET), max_size=15)
# Parts of a corpus, and of each document whether it counts.
corpora = st.lists(st.lists(st.tuples(documents, st.booleans()), max_size=5), max_size=3)
phrases = st.lists(st.lists(st.sampled_from("abc"), min_size=2, max_size=6).map(" ".join), max_size=8)
rooms = st.sampled_from([0, 64, 1000, ROOM])


def stored(parts, alphabet=ALPHABET) -> Documents:
    """Words as the token store has them: numbers with two flags below."""
    made = []
    for part in parts:
        flat = [word for document, _ in part for word in document]
        tokens = [alphabet.index(word) * 4 + place % 4 for place, word in enumerate(flat)]
        counted = np.flatnonzero(np.array([counts for _, counts in part], np.bool_))
        made.append(
            (np.array(tokens, np.uint32), make_indptr(len(document) for document, _ in part), counted)
        )
    return Documents(made, np.array([feature(word) for word in alphabet], np.int64))


def live_documents(parts) -> list[list[str]]:
    return [document for part in parts for document, counts in part if counts]


def rows(counted: list[UnitCounts], alphabet=ALPHABET) -> list[dict[str, int]]:
    """One dictionary a unit, in the order of units."""
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


@given(corpora, st.integers(1, 5), rooms)
@settings(deadline=None, max_examples=100)
def test_words_have_the_neighbours_of_the_twin(parts, distance, room):
    found = rows(list(stored(parts).words(distance, room)))
    assert found == [dict(twin.cooccurrence(live_documents(parts), (word,), distance)) for word in ALPHABET]


@given(corpora, phrases, st.integers(1, 5), rooms)
@settings(deadline=None, max_examples=100)
def test_phrases_have_the_neighbours_of_the_twin(parts, listed, distance, room):
    known = Phrases.of(listed)
    found = rows(list(stored(parts).phrases(known, distance, room)))
    by_hash = dict(zip(known.hashes.tolist(), found, strict=True))
    expected = {
        int(Phrases.of([" ".join(phrase)]).hashes[0]): twin.cooccurrence(
            live_documents(parts), phrase, distance
        )
        for phrase in twin.listed(listed)
    }
    assert by_hash == expected


@given(corpora)
@settings(deadline=None, max_examples=50)
def test_two_words_are_neighbours_of_each_other(parts):
    found = dict(zip(ALPHABET, rows(list(stored(parts).words(DISTANCE, ROOM))), strict=True))
    for a in ALPHABET:
        for b in ALPHABET:
            assert found[a].get(b, 0) == found[b].get(a, 0)
        assert found[a].get(a, 0) % 2 == 0


def test_worked_words():
    """In "a b c d e a" the first a reaches to d, the last one back to c."""
    found = rows(list(stored([[(list("abcdea"), True)]]).words(3, ROOM)))
    assert found[0] == {"b": 1, "c": 2, "d": 2, "e": 1}
    assert found[1] == {"a": 1, "c": 1, "d": 1, "e": 1}
    assert found[2] == {"a": 2, "b": 1, "d": 1, "e": 1}
    assert found[5] == {}


def test_worked_phrases():
    """In "f a b c d e a b" the phrase [a b] has f before it, c d e after it and c d e before it again."""
    part = [(list("fabcdeab"), True)]
    assert rows(list(stored([part]).phrases(Phrases.of(["a b"]), 3, ROOM))) == [
        {"f": 1, "c": 2, "d": 2, "e": 2}
    ]


def test_a_word_beside_itself_counts_from_both_sides():
    assert rows(list(stored([[(["a", "a"], True)]]).words(3, ROOM)))[0] == {"a": 2}
    assert rows(list(stored([[(["a"] * 5, True)]]).words(3, ROOM)))[0] == {"a": 18}  # 3 + 4 + 4 + 4 + 3


def test_overlapping_occurrences_of_a_phrase_all_count():
    found = rows(list(stored([[(["a"] * 4, True)]]).phrases(Phrases.of(["a a"]), 3, ROOM)))
    assert found == [{"a": 6}]  # two beside each of three


def test_a_phrase_inside_a_longer_one_is_counted_too():
    known = Phrases.of(["a b", "a b c", "b c"])
    found = rows(list(stored([[(list("dabce"), True)]]).phrases(known, 3, ROOM)))
    names = {int(Phrases.of([text]).hashes[0]): text for text in ("a b", "a b c", "b c")}
    by_name = {names[value]: row for value, row in zip(known.hashes.tolist(), found, strict=True)}
    assert by_name == {
        "a b": {"d": 1, "c": 1, "e": 1},
        "a b c": {"d": 1, "e": 1},
        "b c": {"d": 1, "a": 1, "e": 1},
    }


def test_neighbours_do_not_reach_into_another_document():
    part = [(["a"], True), (["b"], True), (["a", "b"], False)]
    assert rows(list(stored([part]).words(3, ROOM))) == [{}] * len(ALPHABET)
    assert rows(list(stored([part]).phrases(Phrases.of(["a b"]), 3, ROOM))) == [{}]


def test_words_that_nobody_says_have_empty_rows_and_nothing_at_all_is_no_fault():
    assert rows(list(Documents([], np.zeros(0, np.int64)).words(3, ROOM))) == []
    assert rows(list(stored([]).words(3, ROOM))) == [{}] * len(ALPHABET)
    assert rows(list(stored([]).phrases(Phrases.of([]), 3, ROOM))) == []
    assert rows(list(stored([[([], True)]]).phrases(Phrases.of(["a b"]), 3, ROOM))) == [{}]


@pytest.fixture(scope="module")
def many() -> Documents:
    """A million words, half of them the same one, and a thousand others."""
    random = np.random.default_rng(2009)
    words = np.where(random.random(1_000_000) < 0.5, 0, random.integers(1, 1000, 1_000_000))
    first = np.arange(0, len(words) + 1, 100)
    hashes = np.array([feature(f"word{number}") for number in range(1000)], np.int64)
    return Documents([((words * 4).astype(np.uint32), first, np.arange(len(first) - 1))], hashes)


def together(counted: list[UnitCounts], name: str) -> np.ndarray:
    return np.concatenate([getattr(some, name) for some in counted])


def peak(counting: Callable[..., Iterator[UnitCounts]], *given) -> int:
    """The most bytes that are held at once while everything is counted and let go."""
    tracemalloc.start()
    for some in counting(*given):
        del some
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_the_memory_limit_is_kept_also_by_a_word_that_alone_has_more_neighbours(many):
    """The commonest word has three million neighbours: 12 MB as numbers."""
    phrases = Phrases.of(["word0 word0", "word0 word1", "word1 word2"])
    whole = [list(many.words(3, ROOM)), list(many.phrases(phrases, 3, ROOM))]
    assert peak(many.words, 3, ROOM) > 40 << 20
    for limit in (1 << 20, 4 << 20, 16 << 20):
        assert peak(many.words, 3, limit) <= limit
        assert peak(many.phrases, phrases, 3, limit) <= limit + (4 << 20)  # and the sieve
        found = [list(many.words(3, limit)), list(many.phrases(phrases, 3, limit))]
        for name in ("sizes", "margins", "contexts", "counts"):
            for some, all_at_once in zip(found, whole, strict=True):
                assert np.array_equal(together(some, name), together(all_at_once, name))


def test_every_core_has_work_however_little_memory_is_needed(many, monkeypatch):
    """The documents are shared out, about as many words each, and so are the units."""
    seen = []
    visit = cooccurrence._visit
    monkeypatch.setattr(cooccurrence, "cores", lambda: 2)
    monkeypatch.setattr(cooccurrence, "_visit", lambda *given: seen.append(len(given[2])) or visit(*given))
    assert len(list(many.phrases(Phrases.of(["word0 word0", "word1 word2"]), 3, ROOM))) == 2
    assert sorted(seen) == [5000] * 4  # twice over the tokens, each time in two halves


@pytest.mark.parametrize("room", [64, 1000, ROOM])
def test_many_words_over_many_documents_equal_the_twins(room):
    alphabet = [f"word{number}" for number in range(60)]
    random = np.random.default_rng(2009)
    spoken = [[alphabet[i] for i in random.zipf(1.4, 40) % 60] for _ in range(30)]
    parts = [[(document, True) for document in spoken[start::2]] for start in range(2)]
    found = rows(list(stored(parts, alphabet).words(3, room)), alphabet)
    assert found == [dict(twin.cooccurrence(spoken, (word,))) for word in alphabet]
    seen = Counter(tuple(document[i : i + 2]) for document in spoken for i in range(39))
    listed = [" ".join(phrase) for phrase, _ in seen.most_common(20)]
    known = Phrases.of(listed)
    counted = rows(list(stored(parts, alphabet).phrases(known, 3, room)), alphabet)
    by_hash = dict(zip(known.hashes.tolist(), counted, strict=True))
    for text in listed:
        assert by_hash[int(Phrases.of([text]).hashes[0])] == twin.cooccurrence(spoken, tuple(text.split()))
