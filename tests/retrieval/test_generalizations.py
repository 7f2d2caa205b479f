"""Candidates that are a part of the query."""

import pytest

from querykin import Document, Workspace
from querykin.retrieval.generalizations import idf_lost


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    workspace = Workspace.open(tmp_path_factory.mktemp("generalizations"))
    texts = ["seattle has rain", "seattle mariners won", "rain in seattle", "the mariners of old"]
    workspace.corpus.add(Document(str(number), "", text) for number, text in enumerate(texts))
    return workspace.reopen().corpus


def test_a_part_of_the_query_loses_the_idf_of_what_it_drops(corpus):
    seattle, mariners = idf_lost("seattle mariners", ["seattle", "mariner"], corpus)
    assert 0 < mariners < seattle < 1  # mariners is the rarer word
    assert seattle + mariners == pytest.approx(1)


@pytest.mark.parametrize(
    "candidate",
    ["seattle mariners", "mariners, Seattle!", "seattle rain", "seattle mariners tickets", "", "?"],
)
def test_anything_else_loses_nothing(corpus, candidate):
    assert idf_lost("seattle mariners", [candidate], corpus).tolist() == [0]


def test_words_that_the_corpus_does_not_know_count(corpus):
    (lost,) = idf_lost("seattle zzyzx", ["zzyzx"], corpus)
    assert 0 < lost < 0.5


def test_a_query_without_words_has_no_parts(corpus):
    assert idf_lost("", ["seattle"], corpus).tolist() == [0]
    assert len(idf_lost("seattle", [], corpus)) == 0
