"""The study of engines on a small corpus: each step changes one thing."""

import numpy as np
import pytest

from querykin import Workspace
from querykin.measures.web_kernel import WebKernel
from querykin.search.expansion import Expander
from querykin.types import Hit
from topics import DOCUMENTS


@pytest.fixture
def corpus(tmp_path):
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add(DOCUMENTS)
    return workspace.reopen()


def titles(corpus, numbers):
    stored = [document.title for document in corpus.documents()]
    return [stored[number] for number in numbers]


def test_all_words_are_required_and_then_the_longest(module, corpus):
    steps, documents = module("engine_steps"), corpus.corpus
    strict, relaxed = steps.AllWords(documents, relaxed=False), steps.AllWords(documents)
    having = [each.title for each in DOCUMENTS if "astronauts" in f"{each.title} {each.text}".lower().split()]
    assert titles(documents, strict("Astronauts")) == having
    assert len(strict("astronauts qwertz")) == len(strict("qwertz")) == 0
    assert titles(documents, relaxed("qwertz astronauts")) == having


def test_documents_chosen_by_the_engine_itself_give_its_scores(module, corpus):
    steps, engine = module("engine_steps"), corpus.expander.engine
    found = steps.FoundElsewhere(corpus.corpus, engine, str)
    chosen = steps.ChosenDocuments(corpus.corpus, found, ranked=True)
    pairs = ["nasa", "apple pie"], ["space travel", "orange juice"]
    again = WebKernel(Expander(corpus.corpus, chosen)).score_pairs(*pairs)
    np.testing.assert_array_equal(again, WebKernel(corpus.expander).score_pairs(*pairs))
    assert found.known == found.results > 0


def test_without_a_ranking_the_order_is_kept_and_scores_are_equal(module, corpus):
    steps = module("engine_steps")

    class Reversed:
        def search(self, text, limit):
            hits = corpus.expander.engine.search(text, limit)[::-1]
            return [Hit("?", each.title, "", "", 1.0) for each in hits] + [Hit("?", "none", "", "", 1.0)]

    found = steps.FoundElsewhere(corpus.corpus, Reversed(), str)
    chosen = steps.ChosenDocuments(corpus.corpus, found, ranked=False)
    results = Expander(corpus.corpus, chosen).search(["nasa"])[1]
    best_first = Expander(corpus.corpus, corpus.expander.engine).search(["nasa"])[1]
    assert results.documents.tolist() == best_first.documents[::-1].tolist()
    assert set(results.scores) == {1.0}
    assert found.results == found.known + 1
