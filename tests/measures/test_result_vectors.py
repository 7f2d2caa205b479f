"""Texts as the documents they find."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

from querykin.measures import measures
from reference.corpus import PlainCorpus
from reference.vectors import dot, unit
from topics import DOCUMENTS, QUERIES

PLAIN = PlainCorpus(DOCUMENTS)
A, B = zip(*product(QUERIES, QUERIES), strict=True)


@pytest.mark.parametrize("results", [1, 5, 200])
def test_set_overlap_is_the_share_of_common_results(workspace, results):
    scores = measures["set-overlap"].kind(workspace.expander, results=results).score_pairs(A, B)
    for a, b, score in zip(A, B, scores, strict=True):
        if not (PLAIN.covered(a, results) and PLAIN.covered(b, results)):
            assert np.isnan(score)
            continue
        mine, theirs = set(PLAIN.search(a, results)), set(PLAIN.search(b, results))
        assert score == pytest.approx(len(mine & theirs) / sqrt(len(mine) * len(theirs)))


def test_with_as_many_results_on_both_sides_set_overlap_divides_by_their_number(workspace):
    mine, theirs = set(PLAIN.search("NASA", 4)), set(PLAIN.search("space exploration", 4))
    assert len(mine) == len(theirs) == 4
    score = (
        measures["set-overlap"].kind(workspace.expander, results=4).score("NASA", ["space exploration"])[0]
    )
    assert score == pytest.approx(len(mine & theirs) / 4)
    assert 0 < score < 1


def test_result_cosine_is_the_cosine_of_the_scores(workspace):
    rows = {text: unit(PLAIN.scores(text)) for text in QUERIES}
    expected = [dot(rows[a], rows[b]) for a, b in zip(A, B, strict=True)]
    assert workspace.measure("result-cosine").score_pairs(A, B) == pytest.approx(expected)


def test_contributions_are_titles_of_documents_both_texts_found(workspace):
    explanation = workspace.explain("java island", "Indonesia", "result-cosine")
    titles = {DOCUMENTS[doc_id].title for doc_id in PLAIN.scores("Indonesia")}
    assert {c.term for c in explanation.contributions} <= titles
    assert {passage.side for passage in explanation.passages} == {"a", "b"}
    best = explanation.contributions[0].term
    assert next(p.title for p in explanation.passages if p.side == "a") == best
