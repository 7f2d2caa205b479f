"""TF-IDF vectors of expansions equal the paper's steps on random results."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.weighting.tfidf import centroid, pseudo_document
from reference import tfidf as reference

WORDS = 10
documents = st.lists(st.integers(0, WORDS - 1), max_size=25)
texts = st.lists(st.tuples(st.lists(documents, max_size=5), st.booleans()), min_size=1, max_size=4)
# Halves: several words have equal weights, and some have weight 0.
idfs = st.lists(st.integers(0, 6).map(lambda n: n / 2), min_size=WORDS, max_size=WORDS)


@dataclass
class StubExpansions:
    """The part of expansions that weighting uses."""

    indptr: np.ndarray
    windows: np.ndarray
    tokens: np.ndarray
    covered: np.ndarray


def expansions_of(texts) -> StubExpansions:
    results = [document for documents, _ in texts for document in documents]
    flat = [word * 4 + word % 4 for document in results for word in document]
    return StubExpansions(
        make_indptr(len(documents) for documents, _ in texts),
        make_indptr(map(len, results)),
        np.array(flat, np.uint32),
        np.array([covered for _, covered in texts], np.bool_),
    )


def check(vectors, expected) -> None:
    assert len(vectors) == len(expected)
    for number, row in enumerate(expected):
        features, weights = (values.tolist() for values in vectors.row(number))
        assert features == sorted(set(features))
        assert dict(zip(features, weights, strict=True)) == pytest.approx(row)


SAME = np.arange(WORDS, dtype=np.int32)


@given(texts, idfs, st.integers(1, 12))
@settings(deadline=None, max_examples=250)
def test_the_papers_centroid_equals_the_reference(texts, idf, terms):
    shares = np.ones(sum(len(documents) for documents, _ in texts))
    vectors = centroid(expansions_of(texts), shares, SAME, np.array(idf), terms, False, "s")
    check(vectors, [reference.centroid(documents, idf, terms) if used else {} for documents, used in texts])


@given(texts, idfs, st.integers(1, 12), st.data())
@settings(deadline=None, max_examples=250)
def test_the_centroid_of_damped_frequencies_and_shares_equals_the_reference(texts, idf, terms, data):
    share = st.floats(0.01, 1.0)
    shares = [data.draw(st.lists(share, min_size=len(ds), max_size=len(ds))) for ds, _ in texts]
    flat = np.array([value for values in shares for value in values], np.float64)
    vectors = centroid(expansions_of(texts), flat, SAME, np.array(idf), terms, True, "s")
    expected = [
        reference.centroid(documents, idf, terms, own, log_tf=True) if used else {}
        for (documents, used), own in zip(texts, shares, strict=True)
    ]
    check(vectors, expected)


@given(texts, idfs)
@settings(deadline=None, max_examples=150)
def test_the_pseudo_document_equals_the_reference(texts, idf):
    vectors = pseudo_document(expansions_of(texts), SAME, np.array(idf), "s")
    check(vectors, [reference.pseudo_document(documents, idf) if used else {} for documents, used in texts])


@given(texts, idfs, st.lists(st.integers(0, WORDS - 1), min_size=WORDS, max_size=WORDS))
@settings(deadline=None, max_examples=100)
def test_words_of_one_stem_are_counted_together(texts, idf, stem):
    shares = np.ones(sum(len(documents) for documents, _ in texts))
    vectors = centroid(expansions_of(texts), shares, np.array(stem, np.int32), np.array(idf), 5, False, "s")
    stemmed = [([[stem[word] for word in document] for document in ds], used) for ds, used in texts]
    check(vectors, [reference.centroid(documents, idf, 5) if used else {} for documents, used in stemmed])


def test_a_worked_centroid():
    """Two results, (3, 4) and (0, 1) over idf 1: unit (.6, .8) and (0, 1), their sum (.6, 1.8) made unit."""
    expansions = expansions_of([([[0] * 3 + [1] * 4, [1]], True)])
    vectors = centroid(expansions, np.ones(2), SAME, np.ones(WORDS), 50, False, "s")
    assert vectors.row(0)[1] == pytest.approx(np.array([0.6, 1.8]) / np.sqrt(3.6))


def test_a_result_whose_weights_are_all_0_is_skipped():
    idf = np.array([0.0, 1.0, *[1.0] * 8])
    vectors = centroid(expansions_of([([[0, 0], [1]], True)]), np.ones(2), SAME, idf, 50, False, "s")
    assert [values.tolist() for values in vectors.row(0)] == [[1], [1.0]]


def test_results_with_a_share_of_0_add_no_entries_twice():
    expansions = expansions_of([([[0], [1], [1]], True)])
    vectors = centroid(expansions, np.array([1.0, 0.0, 0.0]), SAME, np.ones(WORDS), 50, False, "s")
    assert len(set(vectors.features.tolist())) == len(vectors.features)


def test_rows_longer_than_the_first_buffer_are_complete():
    size = 100_000
    tokens = np.tile(np.arange(size, dtype=np.uint32) << 2, 2)
    everything = StubExpansions(
        make_indptr([1, 1]), make_indptr([size, size]), tokens, np.array([True, True])
    )
    words = np.arange(size, dtype=np.int32)
    vectors = pseudo_document(everything, words, np.ones(size), "s")
    assert np.diff(vectors.indptr).tolist() == [size, size]
    assert vectors.norms() == pytest.approx([1.0, 1.0])
    assert vectors.features.tolist() == [*range(size), *range(size)]
