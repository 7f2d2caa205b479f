"""Texts as vectors over their search results: set-overlap and result-cosine."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

from querykin.measures import measures
from reference.corpus import ReferenceCorpus
from reference.vectors import dot, unit
from topics import DOCUMENTS, QUERIES

REFERENCE = ReferenceCorpus(DOCUMENTS)
A, B = zip(*product(QUERIES, QUERIES), strict=True)


@pytest.mark.parametrize("results", [1, 5, 200])
def test_set_overlap_is_the_share_of_common_results(workspace, results):
    scores = measures["set-overlap"].kind(workspace.expander, results=results).score_pairs(A, B)
    for a, b, score in zip(A, B, scores, strict=True):
        if not (REFERENCE.covered(a, results) and REFERENCE.covered(b, results)):
            assert np.isnan(score)
            continue
        left, right = set(REFERENCE.search(a, results)), set(REFERENCE.search(b, results))
        assert score == pytest.approx(len(left & right) / sqrt(len(left) * len(right)))


def test_set_overlap_divides_by_the_number_of_results_if_both_texts_have_as_many(workspace):
    left, right = set(REFERENCE.search("NASA", 4)), set(REFERENCE.search("space exploration", 4))
    assert len(left) == len(right) == 4
    score = (
        measures["set-overlap"].kind(workspace.expander, results=4).score("NASA", ["space exploration"])[0]
    )
    assert score == pytest.approx(len(left & right) / 4)
    assert 0 < score < 1


def test_result_cosine_is_the_cosine_of_the_scores(workspace):
    rows = {text: unit(REFERENCE.scores(text)) for text in QUERIES}
    expected = [dot(rows[a], rows[b]) for a, b in zip(A, B, strict=True)]
    assert workspace.measure("result-cosine").score_pairs(A, B) == pytest.approx(expected)


def test_contributions_are_the_titles_of_common_results(workspace):
    explanation = workspace.explain("java island", "Indonesia", "result-cosine")
    titles = {DOCUMENTS[doc_id].title for doc_id in REFERENCE.scores("Indonesia")}
    assert {c.term for c in explanation.contributions} <= titles
    assert {passage.side for passage in explanation.passages} == {"a", "b"}
    best = explanation.contributions[0].term
    assert next(p.title for p in explanation.passages if p.side == "a") == best
