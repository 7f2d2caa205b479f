"""Answers of shards, merged, are those of the whole for every measure that searches, to the last bit."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from combined import MEASURES, keep
from querykin import Document, Workspace
from querykin.errors import InputError, WorkspaceError
from querykin.index import merging
from querykin.index.catalog import indexed_parts
from querykin.index.shard import Shard
from querykin.learning import trees
from querykin.learning.combination.fitting import TrainingConfig
from querykin.measures import measures
from querykin.retrieval import hybrid_retriever, retrievers
from querykin.retrieval.retrievers import RerankingRetriever
from querykin.retrieval.selection import can_search
from querykin.retrieval.sharded_retriever import ShardAnswers, keep_rows, merge_rankings, search_shards
from querykin.retrieval.suggester import Suggester
from search_log import LOG
from small_models import use_small_models
from stocked import REPOSITORY
from topics import DOCUMENTS

TRAINED = {"weighted": TrainingConfig(MEASURES), "forest": TrainingConfig(MEASURES, "trees")}
UNSEEN = ["space probes", "NASA", "nasa", "qwrtp vvwx", "zzyzx zz", "", "java and batik", "the batik of java"]
COUNTS = [1, 2, 4, 7]


@pytest.fixture(scope="module", autouse=True)
def small():
    """Small models and segments, and few candidates for re-ranking: the cut of the first stage matters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "MAX_ROWS", 20)
        patch.setattr(retrievers, "FIRST_STAGE_DEPTH", 5)
        for module in (retrievers, hybrid_retriever):
            patch.setattr(module, "MANY", 8)
        patch.setitem(trees._SETTINGS, "max_iter", 12)
        yield use_small_models(patch)


@pytest.fixture(scope="module")
def names(stocked) -> list[str]:
    return [name for name in (*measures, *TRAINED) if can_search(stocked.measure(name))]


@pytest.fixture(scope="module")
def stocked(build, tmp_path_factory) -> Workspace:
    """Several segments of rows, rows that later ones replace, and removed queries; tests only read it."""
    workspace = build(DOCUMENTS[::2], DOCUMENTS[1::2])
    workspace.log.add(LOG)
    workspace = workspace.reopen()
    for name, config in TRAINED.items():
        keep(workspace, tmp_path_factory.mktemp("judged"), name, config, ("web-kernel", "jaccard-stems"))
    searching = [name for name in (*measures, *TRAINED) if can_search(workspace.measure(name))]
    for part in (REPOSITORY[::2], REPOSITORY[1::2]):
        workspace.repository.add(part)
        workspace = workspace.reopen()
        workspace.indexes.update(parts_of(workspace, searching))
        workspace.corpus.add(
            [Document("new", "Space exploration by probes", "Probes explore space for NASA.")]
        )
        workspace = workspace.reopen()
    workspace.repository.remove(["Hubble", "Batik"])
    return workspace.reopen()


def parts_of(workspace: Workspace, names: list[str]):
    """The vector measures of several measures, one for each index."""
    workspace.update_derived("latent")
    parts = [part for name in names for part in indexed_parts(workspace.measure(name))]
    return [*{part.index_name: part for part in parts}.values()]


def texts_of(workspace: Workspace) -> list[str]:
    return [*workspace.repository.queries(workspace.repository.live_ids()[::9]), *UNSEEN]


@cache
def opened(whole: Workspace, count: int) -> list[Workspace]:
    return [whole.of_shard(Shard(number, count)) for number in range(1, count + 1)]


def over_shards(whole: Workspace, name: str, count: int, missing: tuple[int, ...] = ()):
    """The retriever of a measure whose search is that of shards, each opened by itself."""
    shards = opened(whole, count)

    def search(measure, queries, rows, k, min_score, min_count):
        found = []
        for shard in shards:
            if shard.shard.number not in missing:
                retriever = shard.retriever(measure)
                keep_rows(retriever, queries, rows)
                found.append(retriever.search(queries, k, min_score, min_count))
        return ShardAnswers(found, tuple(f"{number}/{count}" for number in missing))

    return search_shards(whole.retriever(name), search, name)


def check(found, expected) -> None:
    assert found.query_ids.tolist() == expected.query_ids.tolist()
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.covered == expected.covered
    assert (found.probabilities is None) == (expected.probabilities is None)
    if expected.probabilities is not None:
        assert found.probabilities.tolist() == expected.probabilities.tolist()


@pytest.mark.parametrize("count", COUNTS)
def test_merged_answers_of_shards_are_those_of_the_whole(stocked, names, count):
    queries = texts_of(stocked)
    assert {"hybrid", "hybrid-static", "latent", "dense", "sparse-prob", "edit", "backoff"} <= {*names}
    for name in names:
        whole, sharded = stocked.retriever(name), over_shards(stocked, name, count)
        for k, min_score, min_count in ((1, -np.inf, 1), (9, 0.05, 2)):
            expected = whole.search(queries, k, min_score, min_count)
            for one, other in zip(sharded.search(queries, k, min_score, min_count), expected, strict=True):
                check(one, other)
        for query in UNSEEN[::3]:  # alone: not by a product with many queries
            check(*sharded.search([query], 3), *whole.search([query], 3))


@pytest.mark.parametrize("name", ["hybrid", "web-kernel", "weighted"])
def test_suggestions_over_shards_are_those_of_the_whole(stocked, name):
    whole = Suggester(stocked.retriever(name), stocked.repository)
    sharded = replace(whole, retriever=over_shards(stocked, name, 4))
    queries = texts_of(stocked)
    assert sharded.suggest(queries, 5) == whole.suggest(queries, 5)
    assert sharded.suggest(UNSEEN[:1], 2, explain=True) == whole.suggest(UNSEEN[:1], 2, explain=True)


@pytest.mark.parametrize("name", ["hybrid", "edit", "forest"])
def test_an_answer_without_a_shard_says_which_one(stocked, name):
    suggester = Suggester(over_shards(stocked, name, 4, missing=(2,)), stocked.repository)
    absent = Shard(2, 4).ids(len(stocked.repository.counts))
    for found in (*suggester.suggest(["space probes"], 50), *suggester.match(["space probes"], 50)):
        assert found.missing_shards == ("2/4",)
        assert found.suggestions
        assert not any(each.query_id in absent for each in found.suggestions)


def test_a_first_stage_is_merged_before_candidates_are_ranked_again(stocked):
    whole, queries = stocked.retriever("weighted"), texts_of(stocked)
    assert isinstance(whole, RerankingRetriever)
    ranked_again = [shard.retriever("weighted").search(queries, 3) for shard in opened(stocked, 7)]
    merged = [merge_rankings(found, 3, stocked.repository) for found in zip(*ranked_again, strict=True)]
    expected = whole.search(queries, 3)
    same = [a.query_ids.tolist() == b.query_ids.tolist() for a, b in zip(merged, expected, strict=True)]
    assert not all(same)  # each shard by itself would rank other candidates again


def test_a_shard_opens_only_segments_with_rows_of_its_range(stocked):
    whole = stocked.index("web-kernel")
    parts = [stocked.of_shard(Shard(number, 7)).index("web-kernel") for number in range(1, 8)]
    assert len(whole.segments) > 1
    assert all(1 <= len(part.segments) <= len(whole.segments) for part in parts)
    assert min(part.bytes for part in parts) < whole.bytes
    live = [sum(int(rows.sum()) for rows in part.live_rows(stocked.repository)) for part in (whole, *parts)]
    assert live[0] == sum(live[1:])


def test_collection_statistics_are_those_of_the_whole(stocked):
    measure = stocked.measure("dense-prob")
    shard = stocked.of_shard(Shard(1, 4))
    assert shard.collection(shard.measure("dense-prob")).length() == stocked.collection(measure).length()


def test_a_shard_builds_nothing(stocked):
    with pytest.raises(WorkspaceError, match="a shard builds nothing"):
        stocked.of_shard(Shard(1, 2)).build("web-kernel")


@pytest.mark.parametrize("count", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("total", [0, 1, 6, 99, 1000])
def test_shards_hold_every_id_once(count, total):
    found = [number for i in range(count) for number in Shard(i + 1, count).ids(total)]
    assert found == list(range(total))


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "-1/2", "1/0", "a/b", "1/2/3", "1.5/2", "١/٢"])
def test_other_texts_are_no_shard(text):
    with pytest.raises(InputError, match="a shard is i/n"):
        Shard.parse(text)
