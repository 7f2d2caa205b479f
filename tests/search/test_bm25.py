"""BM25 ranking: the printed formula on random documents, then worked cases."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.compute.threads import zeroed_scratch
from querykin.corpus.vocabulary import Vocabulary
from querykin.search.bm25 import rank
from querykin.search.engine import ParsedQueries, SearchResults
from reference import ranking as reference

WORDS = 12
words = st.integers(0, WORDS - 1)


@dataclass
class Case:
    """Random documents over a few words, and a query of some known and some unknown stems."""

    stem: list[int]
    documents: list[list[int]]
    titles: list[int]
    idf: dict[int, float]

    def stems(self, document: int) -> list[int]:
        return [self.stem[word] for word in self.documents[document]]

    def tokenized(self):
        flat = [word * 4 + i % 4 for document in self.documents for i, word in enumerate(document)]
        return SimpleNamespace(
            tokens=np.array(flat, np.uint32),
            starts=np.zeros(len(flat), np.uint32),
            indptr=make_indptr(len(document) for document in self.documents),
            title_lengths=np.array(self.titles, np.int32),
        )

    def vocabulary(self):
        return replace(Vocabulary.empty(), count=len(self.stem), stem=np.array(self.stem, np.int32))

    def query(self):
        return np.array(list(self.idf), np.int64), np.array(list(self.idf.values()), np.float64)


@st.composite
def cases(draw):
    documents = draw(st.lists(st.lists(words, max_size=30), min_size=1, max_size=6))
    return Case(
        stem=draw(st.lists(words, min_size=WORDS, max_size=WORDS)),
        documents=documents,
        titles=[draw(st.integers(0, min(4, len(document)))) for document in documents],
        idf=draw(st.dictionaries(st.integers(-3, WORDS - 1), st.floats(0.01, 9.0), min_size=1, max_size=8)),
    )


def ranked(case: Case, mean_length: float = 10.0, ordinals: list[int] | None = None):
    chosen = np.arange(len(case.documents)) if ordinals is None else np.array(ordinals, np.int64)
    return rank(case.tokenized(), case.vocabulary(), chosen, *case.query(), mean_length)


@given(cases(), st.floats(0.5, 50.0))
@settings(deadline=None, max_examples=300)
def test_scores_equal_the_printed_formula(case, mean_length):
    scores, _ = ranked(case, mean_length)
    for document, score in enumerate(scores):
        stems, title = case.stems(document), case.titles[document]
        expected = reference.score(stems[:title], stems[title:], case.idf, mean_length)
        assert score == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(cases())
@settings(deadline=None, max_examples=150)
def test_matched_bits_are_the_terms_that_a_document_has(case):
    _, matched = ranked(case)
    for document, bits in enumerate(matched):
        held = {term for number, term in enumerate(case.idf) if int(bits) >> number & 1}
        assert held == set(case.stems(document)) & case.idf.keys()


@given(cases())
@settings(deadline=None, max_examples=100)
def test_the_score_of_a_document_does_not_depend_on_other_documents(case):
    together, _ = ranked(case)
    backwards = list(reversed(range(len(case.documents))))
    assert ranked(case, ordinals=backwards)[0].tolist() == together[backwards].tolist()
    for document in backwards:
        assert ranked(case, ordinals=[document])[0].tolist() == [together[document]]


@given(cases())
@settings(deadline=None, max_examples=50)
def test_the_scratch_tables_are_all_0_afterwards(case):
    ranked(case)
    with zeroed_scratch(np.int8, WORDS) as slots, zeroed_scratch(np.uint8, WORDS) as bits:
        assert not slots.any()
        assert not bits.any()


def test_a_query_of_64_terms_uses_every_bit():
    case = Case(list(range(80)), [list(range(64)), [63], [70]], [0, 0, 0], {term: 1.0 for term in range(64)})
    _, matched = ranked(case)
    assert matched.tolist() == [2**64 - 1, 2**63, 0]


def case_of(*documents: tuple[list[int], list[int]], query: list[int]) -> list[float]:
    bodies = [[*title, *body] for title, body in documents]
    titles = [len(title) for title, _ in documents]
    return ranked(Case(list(range(WORDS)), bodies, titles, dict.fromkeys(query, 1.0)))[0].tolist()


def test_a_document_with_both_words_beats_one_that_repeats_a_single_word():
    both, one = case_of(([], [1, 2, 5, 5, 5, 5]), ([], [1, 1, 1, 1, 1, 1]), query=[1, 2])
    assert both > one


def test_a_title_that_is_the_query_beats_one_that_contains_it():
    exact, longer, none = case_of(
        ([1, 2], [3, 4, 5]), ([1, 2, 3, 4], [5]), ([], [1, 2, 3, 4, 5]), query=[1, 2]
    )
    assert exact > longer > none


def test_a_shorter_document_beats_a_longer_one_with_the_same_words():
    short, long = case_of(([], [1, 3]), ([], [1, *[3] * 20]), query=[1])
    assert short > long > 0


@given(cases(), st.floats(0.01, 9.0))
@settings(deadline=None, max_examples=150)
def test_idf_coverage_is_the_share_that_results_match_together(case, cap):
    scores, matched = ranked(case)
    count, (stems, idf) = len(scores), case.query()
    queries = ParsedQueries(("",), make_indptr([len(stems)]), stems, idf)
    zeros = np.zeros(count, np.int64)
    results = SearchResults(make_indptr([count]), np.arange(count), scores, matched, zeros, zeros, [])
    for limit in range(count + 1):
        held = [set(case.stems(document)) for document in range(limit)]
        expected = reference.idf_coverage(held, case.idf, cap)
        assert results.top(limit).idf_coverage(queries, cap) == pytest.approx([expected])
