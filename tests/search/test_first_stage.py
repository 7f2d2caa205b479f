"""The first stage over posting lists: the best of all documents by the printed formula."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.corpus.field_norms import LENGTHS, encode_lengths, length_norms
from querykin.corpus.postings import PostingArrays, Postings, TermLists, write_postings
from querykin.search import first_stage as kernels
from querykin.search.first_stage import QueryLists, first_stage
from querykin.search.postings_engine import _MIN_WEIGHT, query_lists
from reference import first_stage as reference

WORDS = 12
STEM = np.array([0, 0, 2, 3, 3, 3, 6, 7, 8, 9, 10, 11], np.int32)
words = st.integers(0, WORDS - 1)


@dataclass
class Case:
    documents: list[list[int]]
    titles: list[int]
    query: list[int]  # stems
    deleted: set[int]
    depth: int

    def fields(self):
        bodies = [[int(STEM[word]) for word in document] for document in self.documents]
        return bodies, [body[:title] for body, title in zip(bodies, self.titles, strict=True)]

    def live(self):
        return [number for number in range(len(self.documents)) if number not in self.deleted]

    def postings(self, folder):
        flat = np.array([word * 4 + i % 4 for d in self.documents for i, word in enumerate(d)], np.uint32)
        indptr = make_indptr(len(document) for document in self.documents)
        titles = np.array(self.titles, np.int32)
        write_postings(folder, flat, indptr, titles, STEM)
        return Postings(folder, indptr, titles)


@st.composite
def cases(draw):
    documents = draw(st.lists(st.lists(words, max_size=12), min_size=1, max_size=40))
    numbers = st.integers(0, len(documents) - 1)
    return Case(
        documents,
        [draw(st.integers(0, min(3, len(document)))) for document in documents],
        draw(st.lists(st.sampled_from([-5, -1, *sorted({*STEM.tolist()})]), max_size=10, unique=True)),
        draw(st.sets(numbers, max_size=5)),
        draw(st.integers(1, 12)),
    )


def found(case: Case, folder, *queries: list[int]) -> list[list[int]]:
    postings = case.postings(folder)
    stems = np.array([stem for query in queries for stem in query], np.int64)
    lists = query_lists(make_indptr(len(query) for query in queries), postings.lists(stems), len(case.titles))
    live = np.isin(np.arange(len(case.titles)), case.live())
    arrays = postings.arrays(lists.begins, lists.ends)
    indptr, ordinals = first_stage(lists, arrays, live, case.depth)
    return [ordinals[a:b].tolist() for a, b in pairwise(indptr)]


@given(cases())
@settings(max_examples=150)
def test_the_documents_are_the_best_by_the_printed_formula(tmp_path_factory, case):
    expected = reference.first_stage(case.fields(), case.query, case.live(), case.depth)
    assert found(case, tmp_path_factory.mktemp("postings"), case.query) == [expected]


@given(
    cases(), st.lists(st.lists(words.map(lambda word: int(STEM[word])), max_size=4, unique=True), max_size=3)
)
@settings(max_examples=30)
def test_a_batch_has_the_documents_of_its_queries_one_by_one(tmp_path_factory, case, queries):
    folder = tmp_path_factory.mktemp("postings")
    together = found(case, folder, *queries)
    assert together == [found(case, folder, query)[0] for query in queries]


@pytest.mark.parametrize("depth", [1, 30, 300])
@pytest.mark.parametrize("query", [[0], [11], [0, 11], [0, 2, 3, 6, 7, 8, 9, 10, 11, -3]])
def test_over_many_windows_and_skipped_lists_the_documents_are_the_best(tmp_path, depth, query):
    rng = np.random.default_rng(5)
    lengths = rng.integers(0, 9, 3 * 4096)  # word 0 is in most documents, word 11 in one
    documents = [np.minimum(rng.zipf(1.4, length) - 1, 10).tolist() for length in lengths]
    documents[9000] = [11]
    titles = [min(len(document), int(rng.integers(3))) for document in documents]
    case = Case(documents, titles, query, {5, 9, 4100}, depth)
    expected = reference.first_stage(case.fields(), query, case.live(), depth)
    assert found(case, tmp_path, query) == [expected]


@pytest.mark.parametrize(
    ("documents", "weight", "norm"),
    [
        ([5, 5000] * 3000, 1.0, 1.0),
        ([5999, 3000] * 3000, 1.0, 1.0),
        ([5] * 10_000, _MIN_WEIGHT, length_norms(0, 6000)[255]),
    ],
    ids=["windows come again", "documents before their window", "the smallest scores"],
)
def test_lists_that_do_not_ascend_do_not_leave_the_arrays(documents, weight, norm):
    size, depth = 6000, 10
    postings = PostingArrays(
        np.array(documents, np.uint32),
        np.ones(len(documents), np.uint16),
        np.zeros(2 * size, np.uint8),
        np.full(512, norm, np.float32),
    )
    begins, ends = np.array([0, len(documents)]), np.array([len(documents)] * 2)
    weights = np.array([weight] * 2, np.float32)
    lists = QueryLists(np.array([0, 1]), begins, ends, weights, weights.astype(np.float64))
    indptr, ordinals = first_stage(lists, postings, np.ones(size, np.bool_), depth)
    assert len(ordinals) == indptr[-1] <= depth
    assert ordinals.max() < size


def test_equal_scores_are_kept_in_order_of_arrival(tmp_path):
    case = Case([[0, 2]] * 10_000, [1] * 10_000, [0, 2], {0, 3}, 7)
    assert found(case, tmp_path, [0, 2]) == [[1, 2, 4, 5, 6, 7, 8]]


def test_a_segment_without_words_has_no_lists(tmp_path):
    assert found(Case([[], []], [0, 0], [0], set(), 3), tmp_path, [0, 2], []) == [[], []]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=5))
def test_lengths_are_rounded_down_to_those_of_a_byte(lengths):
    assert LENGTHS[encode_lengths(np.array(lengths))].tolist() == list(map(reference.coarse, lengths))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30, unique=True).map(sorted), st.integers(0, 60))
def test_a_posting_is_found_by_galloping(documents, document):
    array = np.array(documents, np.uint32)
    for begin in range(len(array) + 1):
        expected = begin + sum(each < document for each in documents[begin:])
        assert kernels.seek(array, begin, len(array), document) == expected


def test_a_word_of_every_one_of_very_many_documents_has_a_weight():
    everywhere = TermLists(np.zeros(2, np.int64), np.full(2, 100_000_000), np.ones(2, np.float32))
    found = query_lists(np.array([0, 1]), everywhere, 100_000_000)
    assert (found.weights > 0).all()
    assert (found.bounds > 0).all()
