"""Suggestions of a calibrated measure: probabilities with a minimum, and no paraphrases beside each other."""

import numpy as np
import pytest

from querykin import Workspace
from querykin.retrieval.hybrid_retriever import PARAPHRASE
from stocked import REPOSITORY, stock
from topics import DOCUMENTS

MEASURE = "hybrid-static"  # as calibrated as hybrid, without a sentence encoder to load
QUERIES = ["space exploration", "java island", "seattle mariners tickets", "the orbit of a probe"]


@pytest.fixture(scope="module")
def stocked(build) -> Workspace:
    """Tests only read it."""
    return stock(build(DOCUMENTS), REPOSITORY, MEASURE)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("least", [0.0, 0.05, 0.3, 0.7, 1.0])
def test_what_is_less_probable_is_left_out_and_nothing_else(stocked, query, least):
    everything = stocked.suggest(query, 1000, MEASURE, filter="none", min_probability=0).suggestions
    assert len(everything) > 20
    assert all(0 < each.probability < 1 for each in everything)
    found = stocked.suggest(query, 1000, MEASURE, filter="none", min_probability=least).suggestions
    assert list(found) == [each for each in everything if each.probability >= least]


def test_a_pair_of_paraphrases_is_suggested_once(stocked):
    retriever = stocked.retriever(MEASURE)
    rows = retriever.parts[min(retriever.parts)].index.dense_rows
    thinned = 0
    for query in QUERIES:
        plain = stocked.suggest(query, 1000, MEASURE, filter="none", min_probability=0).suggestions
        diverse = stocked.suggest(query, 1000, MEASURE, min_probability=0).suggestions
        embeddings = rows(np.array([each.query_id for each in diverse]), stocked.repository)
        assert np.triu(embeddings @ embeddings.T, 1).max() < PARAPHRASE
        thinned += len(plain) - len(diverse)
    assert thinned > 0


def test_matches_have_probabilities_and_no_minimum(stocked):
    (found,) = stocked.match(["space exploration"], 1000, MEASURE)
    assert len(found.suggestions) > 20
    assert min(each.probability for each in found.suggestions) < 0.05


def test_a_measure_that_is_not_calibrated_has_no_probabilities(stocked):
    found = stocked.suggest("space exploration", 5, "web-kernel", min_probability=1).suggestions
    assert [each.probability for each in found] == [None] * 5
