"""Every pair of a repository that reaches a threshold: what scoring all of them finds, a few at a time."""

from math import inf, nan

import pytest

from querykin import Workspace
from querykin.errors import InputError
from querykin.retrieval import suggester
from querykin.testing import STORED
from stocked import REPOSITORY, stock
from topics import DOCUMENTS

MEASURES = [
    "distributional",
    "distributional-ngrams",
    "latent",
    "web-kernel",
    "dense-prob",
    "jaccard",
    "edit",
    "backoff",
]


@pytest.fixture(scope="module")
def stocked(build) -> Workspace:
    """A repository with queries of the same words, so that scores tie; tests only read it."""
    return stock(build(DOCUMENTS), REPOSITORY, *MEASURES)


def pairs(workspace: Workspace, measure: str, threshold: float | None, k: int | None = None) -> dict:
    """The score of every pair that is found, by the texts of the two."""
    found = workspace.suggester(measure, threshold=threshold).all_pairs(k)
    return {(near.query, other.query): other.score for _, near in found for other in near.suggestions}


def everything(workspace: Workspace, measure: str) -> dict:
    """The score of every pair that the index knows."""
    texts = workspace.repository.queries(workspace.repository.live_ids())
    found = workspace.match(texts, len(texts), measure)
    listed = {(near.query, other.query): other.score for near in found for other in near.suggestions}
    return {pair: score for pair, score in listed.items() if pair[0] != pair[1]}


def thresholds(scores: dict) -> list[float]:
    """Scores that pairs have exactly: the most frequent ones, the highest and some between."""
    values = sorted(scores.values())
    frequent = sorted(set(values), key=lambda value: -values.count(value))[:3]
    return [*frequent, *values[:: max(1, len(values) // 5)], values[-1]]


@pytest.mark.parametrize("measure", MEASURES)
def test_a_threshold_finds_every_pair_that_reaches_it_ties_included(stocked, measure):
    known = everything(stocked, measure)
    for threshold in thresholds(known):
        reaching = {pair: score for pair, score in known.items() if score >= threshold}
        assert pairs(stocked, measure, threshold) == reaching
        above = {pair: score for pair, score in reaching.items() if score > threshold}
        assert len(above) < len(reaching)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_pairs_are_those_of_brute_force(stocked, measure):
    """Scored pair by pair, without an index; an index keeps weights in single precision."""
    texts = stocked.repository.queries(stocked.repository.live_ids())
    made = stocked.measure(measure)
    scores = {
        (a, b): score for a in texts for b, score in zip(texts, made.score(a, texts), strict=True) if a != b
    }
    known = sorted(score for score in scores.values() if score == score and score != 0)
    for threshold in (known[len(known) // 2], known[-len(known) // 10], known[-3]):
        found = pairs(stocked, measure, threshold)
        assert {pair for pair, score in scores.items() if score >= threshold + STORED} <= set(found)
        assert all(scores[pair] >= threshold - STORED for pair in found)
        assert found == pytest.approx({pair: scores[pair] for pair in found}, abs=STORED)


@pytest.mark.parametrize("measure", ["distributional", "web-kernel", "edit"])
def test_how_few_are_searched_at_once_makes_no_difference(stocked, measure, monkeypatch):
    whole = pairs(stocked, measure, 0.1)
    monkeypatch.setattr(suggester, "_BATCH_PAIRS", 200)
    asked: list[int] = []
    kind = type(stocked.retriever(measure))
    search = kind.search
    watched = lambda self, some, *more: asked.append(len(some)) or search(self, some, *more)  # noqa: E731
    monkeypatch.setattr(kind, "search", watched)
    assert pairs(stocked, measure, 0.1) == whole
    assert max(asked) * len(stocked.repository) <= 200 + len(stocked.repository)


def test_without_k_there_are_ten_others_or_all_that_reach_the_threshold(stocked):
    sizes = {near.query: len(near.suggestions) for _, near in stocked.suggester("web-kernel").all_pairs()}
    assert max(sizes.values()) == 10
    lowest = pairs(stocked, "web-kernel", -inf)
    assert lowest == everything(stocked, "web-kernel")
    assert max(sum(pair[0] == query for pair in lowest) for query in sizes) > 10
    assert pairs(stocked, "web-kernel", inf) == {}


def test_k_is_a_cap_on_what_reaches_the_threshold(stocked):
    all_of_them = pairs(stocked, "web-kernel", 0.3)
    capped = pairs(stocked, "web-kernel", 0.3, 2)
    assert set(capped) < set(all_of_them)
    for query in {pair[0] for pair in all_of_them}:
        own = sorted((score for pair, score in all_of_them.items() if pair[0] == query), reverse=True)
        assert sorted((score for pair, score in capped.items() if pair[0] == query), reverse=True) == own[:2]


@pytest.mark.parametrize("measure", MEASURES)
def test_suggestions_and_matches_below_the_threshold_are_left_out(stocked, measure):
    (found,) = stocked.match(["space exploration"], 8, measure)
    least = found.suggestions[-1].score
    (reaching,) = stocked.suggester(measure, threshold=least).match(["space exploration"], 1000)
    assert reaching.suggestions[:8] == found.suggestions
    assert all(offer.score >= least for offer in reaching.suggestions)
    offered = stocked.suggest("space exploration", 1000, measure, threshold=least)
    assert all(offer.score >= least for offer in offered.suggestions)


def test_a_threshold_that_is_not_a_number_is_refused(stocked):
    with pytest.raises(InputError, match=r"threshold must be a number, like 0\.5, got nan"):
        stocked.suggest("nasa", threshold=nan)
