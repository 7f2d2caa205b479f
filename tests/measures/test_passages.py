"""Passages of explanations are quotations from the corpus that contain shared terms."""

from itertools import pairwise

import pytest

from querykin.measures import measures
from querykin.measures.passages import LENGTH, PER_SIDE
from reference.tokenizer import stem, words
from topics import DOCUMENTS, QUERIES

BY_ID = {document.id: document for document in DOCUMENTS}
PAIRS = [
    ("java island", "Indonesia"),
    ("NASA", "space exploration"),
    ("home run", "pitcher"),
    *pairwise(QUERIES),
]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("name", ["web-kernel", "web-kernel-paper", "tfidf", "set-overlap", "result-cosine"])
def test_passages_are_quotations_from_their_documents(workspace, name, pair):
    passages = workspace.explain(*pair, name).passages
    assert max(sum(p.side == side for p in passages) for side in "ab") <= PER_SIDE
    for passage in passages:
        document = BY_ID[passage.document]
        assert (passage.title, passage.url) == (document.title, document.url)
        assert passage.text.removeprefix("… ").removesuffix(" …") in document.text
        assert len(passage.text) <= LENGTH + 60


def test_each_text_has_a_passage_with_contributing_words(workspace):
    explanation = workspace.explain("java island", "Indonesia", "web-kernel")
    counting = {stem(word) for c in explanation.contributions[:5] for word in words(c.term)}
    assert {passage.side for passage in explanation.passages} == {"a", "b"}
    for passage in explanation.passages:
        said = {stem(word) for word in words(f"{passage.title} {passage.text}")}
        assert said & counting


def test_measures_without_search_results_have_no_passages(workspace):
    assert workspace.explain("web page", "Larry Page", "cosine").passages == ()


def test_passages_come_from_the_results_of_the_measure(workspace):
    kernel = measures["web-kernel"].kind(workspace.expander, results=3)
    results = {hit.document_id for hit in workspace.expander.engine.search("volcano", 3)}
    passages = kernel.explain("volcano", "Java").passages
    assert {passage.document for passage in passages if passage.side == "a"} <= results
