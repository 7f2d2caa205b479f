"""Clusters of a workspace: neighbors kept on disk, lists of keywords, default measures."""

import math
import os
import stat

import numpy as np
import pytest

from querykin import InputError, Workspace
from querykin.build_policy import BuildPolicy
from querykin.clustering import neighbor_graph
from querykin.clustering.hand_changes import HAND_CHANGES, HandChange
from querykin.clustering.keyword_lists import KEPT, KeywordLists, SourceFile
from querykin.clustering.neighbor_graph import NeighborGraphStore, NoNeighborGraph
from querykin.errors import DamagedFile
from querykin.querylog.counted_queries import CountedQueries
from topics import DOCUMENTS

QUERIES = [
    ("garden hose", 5), ("hose for gardens", 2), ("garden hoses", 1), ("apple pie", 3), ("pie of apples", 1),
    ("java island", 1), ("java language", 1),
]  # fmt: skip


@pytest.fixture
def stocked(tmp_path):
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.repository.add(QUERIES)
    return workspace


def heads(found):
    return {each.head: [member.query for member in each.members] for each in found.clusters}


def test_every_keyword_joins_one_head_with_its_score(stocked):
    found = stocked.cluster("jaccard-stems", threshold=0.5)
    assert heads(found) == {
        "garden hose": ["garden hoses", "hose for gardens"],
        "apple pie": ["pie of apples"],
        "java island": [],
        "java language": [],
    }
    assert [each.count for each in found.clusters] == [8, 4, 1, 1]
    for cluster in found.clusters:
        for member in cluster.members:
            score = stocked.similarity(member.query, cluster.head, "jaccard-stems")
            assert member.score == pytest.approx(score, abs=1e-9)
            assert stocked.explain(member.query, cluster.head, "jaccard-stems").score == pytest.approx(score)


@pytest.mark.parametrize("measure", ["web-kernel", "hybrid-static", "sparse-prob", "edit", "backoff"])
def test_all_kinds_of_retrievers_can_cluster(tmp_path, measure):
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add(DOCUMENTS)
    workspace = workspace.reopen()
    workspace.repository.add([(document.title, 1) for document in DOCUMENTS[:12]])
    threshold = {"sparse-prob": -6.0}.get(measure, 0.3)
    found = workspace.cluster(measure, threshold=threshold)
    assert sum(1 + len(each.members) for each in found.clusters) == len(workspace.repository)
    for cluster in found.clusters:
        assert all(member.score >= threshold for member in cluster.members)


def test_neighbors_are_computed_once_and_again_after_a_change(stocked, monkeypatch):
    stocked.cluster("jaccard-stems", threshold=0.4)
    with monkeypatch.context() as patched:
        patched.setattr(NeighborGraphStore, "update", lambda *_: pytest.fail("computed again"))
        stocked.reopen().cluster("jaccard-stems", threshold=0.6)
    stocked.repository.add([("the garden hose", 9)])
    stocked.build("jaccard-stems")
    members = heads(stocked.reopen().cluster("jaccard-stems", threshold=0.4))["garden hose"]
    assert "the garden hose" in members


def test_an_interrupted_computation_continues(stocked, monkeypatch):
    monkeypatch.setattr(neighbor_graph, "_COMMITTED", 3)
    monkeypatch.setattr(neighbor_graph, "_TASK", 3)
    monkeypatch.setattr(neighbor_graph, "_SEARCHED", 2)
    retriever, store = stocked.retriever("jaccard-stems"), NeighborGraphStore(stocked.path / "n")
    search, searched = type(retriever).search, []

    def interrupted(self, queries, *arguments):
        if len(searched) >= 4:
            raise KeyboardInterrupt
        searched.extend(queries)
        return search(self, queries, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(type(retriever), "search", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.update(lambda: retriever, "state", 0.2)
    assert not store.holds("state", 0.2)
    again = []
    monkeypatch.setattr(
        type(retriever),
        "search",
        lambda self, queries, *rest: again.extend(queries) or search(self, queries, *rest),
    )
    store = NeighborGraphStore(stocked.path / "n")
    store.update(lambda: retriever, "state", 0.2)
    assert store.holds("state", 0.3)
    assert not store.holds("state", 0.1)
    assert not store.holds("other", 0.3)
    assert again == [query for query, _ in QUERIES[3:]]
    graph = store.graph(len(QUERIES))
    assert len(graph) == len(QUERIES)
    whole = NeighborGraphStore(stocked.path / "whole")
    whole.update(lambda: retriever, "state", 0.2)
    for array in ("keywords", "indptr", "neighbors", "scores", "text_ranks"):
        assert np.array_equal(getattr(graph, array), getattr(whole.graph(len(QUERIES)), array))


def test_a_list_of_keywords_leaves_the_past_queries_alone(stocked):
    queries = CountedQueries.collect([("blue shoes", 2), ("shoes blue", 1)])
    listed = stocked.keyword_list("shoes.csv", queries)
    assert heads(listed.cluster("jaccard-stems", threshold=0.5)) == {"blue shoes": ["shoes blue"]}
    assert len(stocked.reopen().repository) == len(QUERIES)
    (found,) = stocked.keyword_lists.all()
    assert (found.name, found.keywords) == ("shoes.csv", 2)
    assert stocked.keyword_list("again.csv", queries).path == listed.path
    assert [each.name for each in stocked.keyword_lists.all()] == ["again.csv"]
    stocked.keyword_lists.remove(found.id)
    assert stocked.keyword_lists.all() == []


def test_lists_are_private_and_the_past_queries_follow_the_umask(tmp_path):
    before = os.umask(0o022)
    try:
        workspace = Workspace.open(tmp_path / "workspace")
        workspace.repository.add([("shoes", 1)])
        workspace.keyword_list("mine.csv", CountedQueries.collect([("blue shoes", 2)]))
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in workspace.path.iterdir()}
    assert (modes["keyword-lists"], modes["repository"]) == (0o700, 0o755)
    manifest = workspace.path / "repository" / "manifest.json"
    assert stat.S_IMODE(manifest.stat().st_mode) == 0o644


def test_a_list_for_a_workspace_that_does_not_exist_is_not_kept(tmp_path):
    listed = Workspace.open(tmp_path / "none").keyword_list(
        "a", CountedQueries.collect([("a b", 1), ("b a", 1)])
    )
    assert heads(listed.cluster("jaccard", threshold=0.5)) == {"a b": ["b a"]}
    assert not (tmp_path / "none").exists()


def test_a_list_whose_description_is_lost_is_damaged_and_one_that_was_removed_is_not(tmp_path):
    lists = KeywordLists(tmp_path)
    kept, lost = (lists.add(name, CountedQueries.collect([(name, 1)])) for name in ("kept", "lost"))
    (lost.folder / "list.json").unlink()
    for work in (lists.all, lambda: lists.get(lost.id), lambda: lists.check(lost.id)):
        with pytest.raises(DamagedFile, match=r"list\.json"):
            work()
    lists.add("lost", CountedQueries.collect([("lost", 1)]))
    lists.remove(kept.id)
    assert [each.name for each in lists.all()] == ["lost"]


def test_the_least_recently_used_lists_are_removed_but_none_with_changes(tmp_path):
    lists = KeywordLists(tmp_path)
    first = lists.add("changed", CountedQueries.collect([("changed", 1)]))
    (first.folder / HAND_CHANGES).write_text("{}")
    for number in range(KEPT + 2):
        lists.add(f"list {number}", CountedQueries.collect([(f"keyword {number}", 1)]))
    names = [each.name for each in lists.all()]
    assert len(names) == KEPT + 1
    assert names[-1] == "changed"
    assert names[0] == f"list {KEPT + 1}"


@pytest.mark.parametrize("identity", ["", "..", "0" * 16, "x/y"])
def test_unknown_lists_are_refused(tmp_path, identity):
    with pytest.raises(InputError, match="no keyword list"):
        KeywordLists(tmp_path).get(identity)


def test_empty_lists_and_measures_without_a_default_threshold_are_refused(stocked):
    with pytest.raises(InputError, match="no keywords in a list"):
        stocked.keyword_list("a list", CountedQueries.collect([]))
    with pytest.raises(InputError, match="clusters by matching need --threshold"):
        stocked.cluster("matching")


def test_without_documents_embeddings_decide(stocked):
    assert stocked.clustering_measure().name in ("dense", "static")
    assert all(not math.isnan(m.score) for c in stocked.cluster("static").clusters for m in c.members)


def test_a_list_added_again_under_another_name_keeps_its_counts_and_neighbors(stocked, tmp_path):
    queries = CountedQueries.collect([("blue shoes", 2), ("shoes blue", 1)])
    first = stocked.keyword_list("shoes.csv", queries).cluster("jaccard-stems", threshold=0.5)
    file = tmp_path / "again.csv"
    file.write_text("query\n")
    listed = stocked.keyword_lists.add("again.csv", queries, SourceFile(file, "query=query", "a note"))
    assert stocked.keyword_lists.get(listed.id) == listed
    stocked.keyword_list("without a file", queries)
    (listed,) = stocked.keyword_lists.all()
    assert (listed.name, listed.columns, listed.note) == ("without a file", "query=query", "a note")
    assert listed.file.read_text() == "query\n"
    refusing = stocked.open_keyword_list(listed.id).reopen(BuildPolicy.REFUSE)
    assert refusing.cluster("jaccard-stems", threshold=0.5).clusters == first.clusters


def test_where_nothing_may_be_built_missing_neighbors_are_an_error(stocked):
    stocked.build("jaccard-stems")
    with pytest.raises(NoNeighborGraph, match="next: querykin cluster --measure jaccard-stems"):
        stocked.reopen(BuildPolicy.REFUSE).cluster("jaccard-stems", threshold=0.5)


def test_changes_by_hand_hold_at_every_threshold(stocked):
    stocked.hand_changes.add(HandChange("garden hoses"))
    stocked.hand_changes.add(HandChange("java island", "pie of apples"))
    for threshold in (0.3, 0.5, 1.0):
        found = heads(stocked.cluster("jaccard-stems", threshold=threshold))
        assert found["garden hoses"] == []
        (together,) = [{head, *members} for head, members in found.items() if "java island" in members]
        assert "pie of apples" in together
    (member,) = [
        member
        for cluster in stocked.cluster("jaccard-stems", threshold=0.5).clusters
        for member in cluster.members
        if member.query == "java island"
    ]
    assert member.score == stocked.similarity("java island", "apple pie", "jaccard-stems")
    stocked.hand_changes.undo()
    stocked.hand_changes.undo()
    assert stocked.hand_changes.undo() is None
    assert heads(stocked.cluster("jaccard-stems", threshold=0.5))["java island"] == []
