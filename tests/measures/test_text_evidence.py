"""Evidence about texts: against plain lists, by worked values, and from an external engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document, Hit
from querykin.measures.text_evidence import TextEvidence, text_evidence
from querykin.search.expansion import Expander
from querykin.search.recorded_engine import RecordedEngine
from reference import text_evidence as reference
from reference.corpus import ReferenceCorpus
from topics import DOCUMENTS, QUERIES, WORDS

RESULTS = 10
TITLES = [document.title for document in DOCUMENTS if document.title]
words = st.lists(st.sampled_from([*WORDS, "zzyzx"]), max_size=5).map(" ".join)
texts = words | st.sampled_from([*TITLES, *QUERIES])


@pytest.fixture(scope="module")
def plain() -> ReferenceCorpus:
    return ReferenceCorpus(DOCUMENTS)


def evidence_of(expander: Expander, *asked: str, results: int = RESULTS) -> TextEvidence:
    return text_evidence(expander.corpus, *expander.search(asked, results))


@given(st.lists(texts, max_size=4), st.sampled_from([1, 3, RESULTS]))
@settings(max_examples=80)
def test_evidence_is_that_of_plain_lists(workspace, plain, asked, results):
    found = evidence_of(workspace.expander, *asked, results=results)
    assert found.covered.tolist() == [plain.covered(text, results) for text in asked]
    assert found.matched == pytest.approx([reference.matched(plain, text, results) for text in asked])
    if results >= 3:
        assert found.titled.tolist() == [reference.titled(plain, text) for text in asked]


@given(st.booleans(), st.floats(0, 1), st.booleans(), st.floats(0, 1))
def test_trust_is_that_of_the_formula(covered, matched, titled, whole_words):
    found = TextEvidence(np.array([covered]), np.array([matched]), np.array([titled]))
    expected = reference.trust(covered, matched, titled, whole_words)
    assert found.trust(np.array([whole_words]))[0] == pytest.approx(expected)
    assert 0 <= expected <= 1


def test_a_title_is_found_in_any_order_and_form(workspace):
    same = ["Mars rover", "rover mars", "MARS ROVERS!", "rover, Mars rover"]
    assert evidence_of(workspace.expander, *same).titled.all()
    other = ["mars", "rover", "a mars rover", "mars rover drills", "", "zzyzx"]
    assert not evidence_of(workspace.expander, *other).titled.any()


def test_stop_words_of_a_title_count(build):
    workspace = build([Document("1", "The Who", "A band of four."), Document("2", "Band", "They play.")])
    found = evidence_of(workspace.expander, "the who", "who the", "who", "the")
    assert found.titled.tolist() == [True, True, False, False]


def test_a_title_is_looked_for_in_the_first_results_only(workspace):
    hits = [Hit(str(rank), "Mars" if rank == 4 else "Rover", "", "", 5.0 - rank) for rank in range(5)]
    third_and_fourth = {"rover": hits[1:], "mars": hits[1:], "mars!": hits[2:]}
    found = evidence_of(Expander(workspace.corpus, RecordedEngine(third_and_fourth)), *third_and_fourth)
    assert found.titled.tolist() == [True, False, True]


def test_a_text_without_words_has_no_evidence(workspace):
    found = evidence_of(workspace.expander, "", "😀", "?!")
    assert not found.covered.any()
    assert not found.titled.any()
    assert found.matched.tolist() == [0, 0, 0]
    assert found.trust(np.zeros(3)).tolist() == [1, 1, 1]


def test_unknown_words_are_not_matched(workspace):
    known, half, unknown = evidence_of(workspace.expander, "merapi", "merapi zzyzx", "zzyzx").matched
    assert known == 1
    assert 0 < half < 1
    assert unknown == 0


def test_hits_of_an_external_engine_are_evidence(workspace, plain):
    hits = {
        "mars rover": [Hit("1", "Rover, Mars", "Drives over rocks", "", 2.0), Hit("2", "", "Mars", "", 1.0)],
        "rocks": [Hit("1", "Rover, Mars", "Drives over rocks", "", 2.0)],
        "nothing": [],
    }
    found = evidence_of(Expander(workspace.corpus, RecordedEngine(hits)), *hits)
    assert found.titled.tolist() == [True, False, False]
    assert found.covered.tolist() == [True, True, False]
    idf = plain.query("mars rover")
    share = idf["mar"] / sum(idf.values())  # what the second hit matches, of weight (1 / 2)^2
    assert found.matched.tolist() == pytest.approx([(1 + 0.25 * share) / 1.25, 1, 0])
