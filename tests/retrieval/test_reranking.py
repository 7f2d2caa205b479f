"""Repositories searched by a combination: its leaders propose, all of its measures decide."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from combined import MEASURES, keep
from querykin import Document, Workspace
from querykin.errors import WorkspaceError
from querykin.index.catalog import indexed_parts
from querykin.learning import trees
from querykin.learning.combination.fitting import TrainingConfig
from querykin.measures import measures
from querykin.retrieval.hybrid_retriever import HybridRetriever
from querykin.retrieval.retrievers import (
    FIRST_STAGE_DEPTH,
    BruteForceRetriever,
    CascadeRetriever,
    IndexRetriever,
    PairwiseScorer,
    RerankingRetriever,
)
from querykin.testing import STORED
from search_log import LOG
from stocked import REPOSITORY, stock
from topics import DOCUMENTS

FIRST_STAGE_MEASURES = ("web-kernel", "jaccard-stems")
RECIPES = {
    "plain": TrainingConfig(MEASURES),
    "ranked": TrainingConfig(MEASURES, unconstrained=True),
    "forest": TrainingConfig(MEASURES, "trees"),
}
ASKED = ["space exploration", "the seattle mariners", "java", "Rice terraces of Java", "NASA"]
WITHOUT_OPINION = ["zzyzx", "", "😀"]


def kept(workspace: Workspace, folder) -> Workspace:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(trees._SETTINGS, "max_iter", 12)
        for name, training_config in RECIPES.items():
            keep(workspace, folder, name, training_config, FIRST_STAGE_MEASURES)
    return workspace


@pytest.fixture(scope="module")
def stocked(build, tmp_path_factory) -> Workspace:
    """Documents in two batches, a repository and its indexes, and combinations; tests only read it."""
    workspace = build(DOCUMENTS[::2], DOCUMENTS[1::2])
    workspace.log.add(LOG)
    return stock(kept(workspace, tmp_path_factory.mktemp("judged")), REPOSITORY, *RECIPES)


@pytest.fixture
def own(stocked, tmp_path) -> Workspace:
    """A copy for a test that changes it."""
    shutil.copytree(stocked.path, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace")


def proposed(workspace, query, depth=FIRST_STAGE_DEPTH):
    """The numbers that the leaders offer, rising."""
    found = [workspace.retriever(name).search([query], depth)[0].query_ids for name in FIRST_STAGE_MEASURES]
    return np.unique(np.concatenate(found))


def near(a, b):
    return np.allclose(a, b, rtol=STORED, atol=STORED, equal_nan=True)


@pytest.mark.parametrize("name", list(measures))
def test_known_queries_are_scored_from_rows_as_they_are_from_texts(name, stocked):
    if not measures[name].kind.requirements().installed:
        pytest.skip(f"the extra for {name} is not installed")
    retriever, live_ids = stocked.retriever(name), stocked.repository.live_ids()
    texts = stocked.repository.queries(live_ids)
    absent = 0
    for query in (*ASKED, *WITHOUT_OPINION):
        expected = retriever.measure.score(query, texts)
        assert near(retriever.scores(query, live_ids), expected), query
        absent += np.isnan(expected).sum()
        some = live_ids[[5, 3, 3, 0]]  # in any order, again
        assert near(retriever.scores(query, some), expected[[5, 3, 3, 0]])
        assert len(retriever.scores(query, live_ids[:0])) == 0
    assert bool(absent) == (not retriever.measure.always_scores)
    kinds = IndexRetriever | CascadeRetriever | BruteForceRetriever | HybridRetriever
    assert isinstance(retriever, kinds)


def test_what_was_removed_or_never_had_a_row_has_no_score(own):
    numbers = own.repository.ids_of(["NASA", "Hubble", "space exploration"])
    own.repository.remove(["Hubble"])
    own.repository.add([("Hubble galaxies", 1)])
    numbers = np.append(numbers, own.repository.ids_of(["hubble galaxies"]))
    found = own.retriever("web-kernel").scores("space telescope", numbers)
    assert np.isnan(found).tolist() == [False, True, False, True]
    # Measures of words know all words: 0, as for a text that shares none.
    found = own.retriever("jaccard-stems").scores("hubble space", numbers)
    assert (found > 0).tolist() == [False, False, True, False]


def test_rows_of_another_space_are_refused(stocked):
    index, repository = stocked.index("web-kernel"), stocked.repository
    rows = stocked.measure("jaccard-stems").encode_queries(["NASA"])
    with pytest.raises(ValueError, match="but the index holds"):
        index.scores(stocked.measure("web-kernel"), rows, repository.live_ids(), repository)


@pytest.mark.parametrize("name", RECIPES)
def test_the_proposed_stand_in_the_order_of_the_combination(name, stocked):
    retriever = stocked.retriever(name)
    assert isinstance(retriever, RerankingRetriever)
    kinds = [type(part) for part in retriever.parts]
    assert kinds == [IndexRetriever, IndexRetriever, PairwiseScorer, CascadeRetriever, IndexRetriever]
    for query, found in zip(ASKED, stocked.match(ASKED, 1000, name), strict=True):
        numbers = proposed(stocked, query, 1000)
        texts = stocked.repository.queries(numbers)
        scores = dict(zip(texts, stocked.measure(name).score(query, texts).tolist(), strict=True))
        assert {offer.query for offer in found.suggestions} == set(texts)
        assert [offer.score for offer in found.suggestions] == pytest.approx(
            [scores[offer.query] for offer in found.suggestions], abs=1e-4
        )
        keys = [(-offer.score, -offer.count, offer.query) for offer in found.suggestions]
        assert keys == sorted(keys)
        assert (found.covered, found.measure) == (True, name)
        best = stocked.match([query], 3, name)[0].suggestions
        assert [offer.query for offer in best] == [offer.query for offer in found.suggestions[:3]]


def test_only_what_a_leader_proposes_is_found(stocked, monkeypatch):
    monkeypatch.setattr("querykin.retrieval.retrievers.FIRST_STAGE_DEPTH", 3)
    for query in ASKED:
        found = {offer.query_id for offer in stocked.match([query], 2, "plain")[0].suggestions}
        assert found <= set(proposed(stocked, query, 3).tolist())


@pytest.mark.parametrize("name", RECIPES)
def test_suggestions_are_filtered_explained_and_never_twice(name, stocked, monkeypatch):
    found = stocked.suggester(name).suggest(["space exploration"], 4, explain=True)[0].suggestions
    assert len(found) == 4
    assert "space, exploration" not in [offer.query for offer in found]
    for offer in found:
        shares = sum(part.share for part in offer.explanation.contributions)
        assert shares == pytest.approx(offer.explanation.score)
    # Deeper searches put more candidates in order, and so in another order.
    monkeypatch.setattr("querykin.retrieval.retrievers.FIRST_STAGE_DEPTH", 2)
    suggester = stocked.suggester(name, filter="none")
    for query in ASKED:
        (ranking,) = suggester.retriever.search([query], 8)
        numbers = [each.query_id for each in suggester._pool(query, ranking, 8, -np.inf, [])]
        assert len(numbers) == len(set(numbers)) > 8
    scores = [offer.score for offer in suggester.suggest(["java island"], 9)[0].suggestions]
    assert scores == sorted(scores, reverse=True)


def test_seldom_asked_queries_can_be_left_out(stocked):
    found = stocked.suggester("plain", min_count=3, filter="none").match(ASKED, 50)
    assert all(offer.count >= 3 for each in found for offer in each.suggestions)
    assert any(each.suggestions for each in found)


def test_queries_that_nobody_knows_find_nothing(stocked):
    unknown, empty = stocked.match(["qqxz vvw", ""], 5, "plain")
    assert (unknown.suggestions, empty.suggestions) == ((), ())
    assert (unknown.covered, empty.covered) == (True, False)  # words are words to a measure of words


def test_every_query_of_the_repository_finds_others(stocked):
    found = dict(stocked.suggester("plain").all_pairs(2))
    assert list(found) == stocked.repository.live_ids().tolist()
    for number, others in found.items():
        assert number not in [offer.query_id for offer in others.suggestions]


def test_what_was_removed_is_not_found_and_what_was_added_is(own):
    suggester = own.suggester("plain", filter="none")
    before = [offer.query for offer in suggester.match(["space exploration"], 50)[0].suggestions]
    assert "Space travel" in before
    own.repository.remove(["Space travel"])
    after = [offer.query for offer in suggester.match(["space exploration"], 50)[0].suggestions]
    left = [query for query in before if query != "Space travel"]
    scores = own.measure("plain").score("space exploration", left)  # its ranks are those within what is left
    assert sorted(after) == sorted(left)
    assert scores[[left.index(query) for query in after]] == pytest.approx(np.sort(scores)[::-1], abs=1e-4)
    assert any(name.startswith("rank by ") for name in own.model("plain").content["features"])
    own.repository.add([("space travel agency", 4)])
    grown = own.reopen()
    grown.build("plain")
    found = [offer.query for offer in grown.match(["space exploration"], 50, "plain")[0].suggestions]
    assert "space travel agency" in found


@pytest.mark.parametrize("name", RECIPES)
def test_a_corpus_that_has_changed_is_asked_with_the_statistics_of_the_indexes(name, own):
    own.corpus.add([Document(f"new-{n}", f"Orbit {n}", "Space probes in orbit of Mars.") for n in range(30)])
    grown = own.reopen()
    retriever = grown.retriever(name)
    frozen, today = retriever.measure.parts[0], grown.measure("web-kernel")
    assert frozen.expander.corpus.statistics.version != today.expander.corpus.statistics.version
    (found,) = retriever.search(["space exploration"], 20)
    numbers = proposed(grown, "space exploration")
    # Rows are as old as the index, and queries are weighed as they were.
    scores = [part.scores("space exploration", numbers) for part in retriever.parts]
    texts = grown.repository.queries(numbers)
    expected = retriever.measure.combine(["space exploration"] * len(texts), texts, scores)
    assert found.scores.tolist() == pytest.approx(np.sort(expected)[::-1][:20].tolist())
    grown.build(name)
    assert grown.reopen().match(["space exploration"], 5, name)[0].suggestions


def test_indexes_of_all_parts_are_built_on_first_use(build, tmp_path):
    workspace = kept(build(DOCUMENTS), tmp_path)
    workspace.repository.add(REPOSITORY)
    assert workspace.reopen().suggest("space exploration", measure="plain").suggestions
    assert len(workspace.reopen().indexes.built()) == len(
        [part.name for part in indexed_parts(workspace.measure("plain"))]
    )


def test_a_combination_that_nothing_proposes_for_says_so(stocked):
    model = stocked.model("plain")
    silent = replace(model, content={**model.content, "first_stage": []})
    retriever = stocked.retriever("plain")
    lonely = replace(retriever, reranker=replace(retriever.reranker, model=silent))
    with pytest.raises(WorkspaceError, match="none of the measures of 'plain' can search"):
        lonely.search(["NASA"], 3)


def test_measures_of_the_company_of_words_are_combined_like_others(build, tmp_path):
    """Three of them search, pmi scores what they propose."""
    company = ("distributional", "distributional-ngrams", "latent", "pmi")
    workspace = build(DOCUMENTS)
    keep(workspace, tmp_path, "company", TrainingConfig(company))
    workspace = stock(workspace, REPOSITORY, "company")
    (found,) = workspace.match(["space exploration"], 5, "company")
    assert found.covered
    assert len(found.suggestions) == 5
    made = workspace.measure("company")
    assert [part.name for part in made.parts] == list(company)
    for offer in found.suggestions:
        explained = workspace.explain("space exploration", offer.query, "company")
        assert near(sum(part.share for part in explained.contributions), explained.score)
    pairs = dict(workspace.suggester("company", threshold=0.5).all_pairs())
    assert all(offer.score >= 0.5 for near_by in pairs.values() for offer in near_by.suggestions)
