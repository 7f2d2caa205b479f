"""Interrupted, changed and concurrent builds, and readers that stay open meanwhile."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from manifests import edit_manifest
from querykin import Document, Settings, Workspace, WorkspaceError
from querykin.index.catalog import indexed_parts
from querykin.index.index import VERSION
from querykin.measures.web_kernel import WebKernel
from querykin.settings_sections import ExpansionSettings
from topics import DOCUMENTS, QUERIES

MOON = Document("moon", "Moon landing", "Astronauts of NASA landed on the Moon after a long space travel.")


@pytest.fixture(scope="module")
def stocked(tmp_path_factory) -> Path:
    """A workspace with an index, to be copied."""
    workspace = Workspace.open(tmp_path_factory.mktemp("stocked") / "workspace")
    workspace.corpus.add(DOCUMENTS)
    workspace.repository.add([(query, 1) for query in QUERIES])
    workspace.reopen().build("web-kernel")
    return workspace.path


@pytest.fixture
def workspace(stocked, tmp_path) -> Workspace:
    """A writable copy."""
    shutil.copytree(stocked, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def unbuilt(workspace) -> Workspace:
    """A copy without an index."""
    shutil.rmtree(workspace.path / "index")
    return workspace


class Interrupted(Exception):
    pass


def interrupt(workspace: Workspace, rows: int, rebuild: bool = False) -> None:
    """Build until more than this many rows are encoded, then interrupt."""
    made = []

    def done(count: int) -> None:
        made.append(count)
        if sum(made) > rows:
            raise Interrupted

    with pytest.raises(Interrupted):
        workspace.indexes.run(
            workspace.plan("web-kernel", rebuild=rebuild), workspace.measure("web-kernel"), done
        )


def all_suggestions(workspace: Workspace) -> list:
    return [workspace.suggest(query, 20, "web-kernel", filter="none").suggestions for query in QUERIES]


@pytest.mark.parametrize(
    "config",
    [
        Settings(measures={"web-kernel": {"results": 2}}),
        Settings(expansion=ExpansionSettings(window=60)),
        Settings(expansion=ExpansionSettings(min_idf_coverage=0.9)),
    ],
)
def test_other_settings_require_a_rebuild(config, workspace):
    changed = Workspace.open(workspace.path, config)
    with pytest.raises(WorkspaceError, match=r"other settings, .*next: querykin build --measures web-kernel"):
        changed.suggest("NASA")
    plan = changed.plan("web-kernel")
    assert (plan.rebuild, len(plan.todo)) == (True, len(QUERIES))
    changed.build("web-kernel")
    assert not changed.plan("web-kernel").needed
    for suggestion in changed.suggest("space exploration", filter="none").suggestions:
        assert suggestion.score == pytest.approx(
            changed.similarity("space exploration", suggestion.query), abs=1e-6
        )
    assert workspace.plan("web-kernel").rebuild


def test_settings_that_a_measure_does_not_use_change_nothing(workspace):
    workspace.build("cosine")
    assert (
        not Workspace.open(workspace.path, Settings(expansion=ExpansionSettings(window=60)))
        .plan("cosine")
        .needed
    )


def test_an_interrupted_build_is_resumed(stocked, unbuilt, monkeypatch):
    monkeypatch.setattr(WebKernel, "batch", 2)
    interrupt(unbuilt, 6)
    assert unbuilt.index("web-kernel").committed is None  # not visible to readers
    plan = unbuilt.plan("web-kernel")
    assert (plan.done, len(plan.todo)) == (6, len(QUERIES) - 6)
    unbuilt.build("web-kernel")
    assert all_suggestions(unbuilt) == all_suggestions(Workspace.open(stocked))


def test_an_interrupted_build_starts_again_if_the_corpus_has_changed(unbuilt, monkeypatch):
    monkeypatch.setattr(WebKernel, "batch", 2)
    interrupt(unbuilt, 6)
    unbuilt.corpus.add([MOON])
    changed = unbuilt.reopen()
    assert (changed.plan("web-kernel").done, len(changed.plan("web-kernel").todo)) == (0, len(QUERIES))
    changed.build("web-kernel")
    assert {part.name for part in (changed.path / "index" / "web-kernel" / "parts").iterdir()} == set(
        changed.index("web-kernel").store.manifest().parts
    )


def test_readers_see_the_old_rows_until_a_rebuild_is_committed(workspace, monkeypatch):
    before, reader = all_suggestions(workspace), workspace.reopen().suggester("web-kernel", filter="none")
    workspace.corpus.add([MOON])
    monkeypatch.setattr(WebKernel, "batch", 2)
    workspace = workspace.reopen()
    interrupt(workspace, 6, rebuild=True)
    assert workspace.index("web-kernel").committed.statistics_version != workspace.corpus.statistics.version
    assert workspace.plan("web-kernel", rebuild=True).done == 6
    workspace.build("web-kernel", rebuild=True)
    assert workspace.index("web-kernel").committed.statistics_version == workspace.corpus.statistics.version
    assert [found.suggestions for found in reader.suggest(QUERIES, 20)] == before


def test_a_reader_opened_before_a_rebuild_keeps_its_snapshot(workspace):
    """Even one that has not searched yet, with statistics that are no longer on disk."""
    workspace.corpus.add([MOON])
    workspace = workspace.reopen()
    reader, before = workspace.suggester("web-kernel", filter="none"), all_suggestions(workspace)
    writer = workspace.reopen()
    writer.repository.add([(f"{query} new", 1) for query in QUERIES])
    writer.build("web-kernel", rebuild=True)
    assert [found.suggestions for found in reader.suggest(QUERIES, 20)] == before
    known = {
        suggestion.query
        for suggestion in workspace.suggest("NASA", 50, "web-kernel", filter="none").suggestions
    }
    assert known <= set(QUERIES)  # a new index with an old repository: queries unknown to it are not returned
    assert "NASA new" in [
        s.query for s in writer.suggest("NASA", 50, "web-kernel", filter="none").suggestions
    ]


def test_the_second_of_two_concurrent_builds_is_refused(unbuilt):
    refused = []

    def meanwhile(_: int) -> None:
        with pytest.raises(WorkspaceError, match="another process is writing"):
            unbuilt.reopen().build("web-kernel")
        refused.append(True)

    unbuilt.indexes.run(unbuilt.plan("web-kernel"), unbuilt.measure("web-kernel"), meanwhile)
    assert refused
    assert not unbuilt.plan("web-kernel").needed


def test_a_plan_is_refused_after_another_build(unbuilt):
    plan = unbuilt.plan("web-kernel")
    unbuilt.reopen().build("web-kernel")
    before = unbuilt.index("web-kernel").generation
    with pytest.raises(WorkspaceError, match="another build has finished meanwhile"):
        unbuilt.indexes.run(plan, unbuilt.measure("web-kernel"))
    assert unbuilt.index("web-kernel").generation == before


def test_every_measure_can_search_the_repository(workspace):
    for name in workspace.measures():
        workspace.build(name)
        found = workspace.match(["space exploration"], 3, name)[0]
        best = workspace.measure(name).score("space exploration", QUERIES)
        assert found.suggestions[0].score == pytest.approx(np.nanmax(best), abs=1e-6)


def test_measures_over_the_same_rows_share_an_index(workspace):
    workspace.build("jaccard")
    for name in ("dice", "overlap", "matching", "subset"):
        assert not workspace.plan(name).needed
    assert [part.name for part in indexed_parts(workspace.measure("backoff"))] == [
        "exact",
        "exact-stems",
        "dense-prob",
    ]
    assert [part.name for part in indexed_parts(workspace.measure("lexical"))] == ["exact", "subset"]
    assert [part.name for part in indexed_parts(workspace.measure("edit"))] == []
    assert sorted(workspace.indexes.built()) == ["web-kernel", "words"]


def test_rows_of_another_format_version_are_rebuilt(workspace):
    before = all_suggestions(workspace)
    store = workspace.index("web-kernel").store.path
    edit_manifest(
        store, lambda raw: json.loads(json.dumps(raw).replace(f'"version": {VERSION}', '"version": 1'))
    )
    assert workspace.index("web-kernel").committed is None
    assert all_suggestions(workspace.reopen()) == before


def test_rows_of_another_repository_in_the_same_folder_are_not_searched(workspace):
    shutil.rmtree(workspace.path / "repository")
    other = workspace.reopen()
    other.repository.add([(f"something else {number}", 1) for number in range(20)])
    with pytest.raises(WorkspaceError, match="next: querykin build --measures web-kernel"):
        other.suggest("space exploration", measure="web-kernel")
    other.build("web-kernel")
    assert not other.suggest("zzyzx", measure="web-kernel").covered


@pytest.mark.parametrize("measure", ["dense-prob", "backoff"])
def test_a_damaged_index_of_language_models_is_rebuilt(workspace, measure):
    before = workspace.suggest("space exploration", 3, measure).suggestions
    (part,) = workspace.index("dense-prob").store.path.glob("parts/segment-*")
    (part / "rows.npy").write_bytes(b"")
    damaged = workspace.reopen()
    with pytest.raises(WorkspaceError, match="damaged"):
        damaged.index("dense-prob")
    with pytest.raises(WorkspaceError, match="damaged"):
        damaged.similarity("space exploration", "NASA", measure)
    damaged.build(measure, rebuild=True)
    assert workspace.reopen().suggest("space exploration", 3, measure).suggestions == before


def test_without_queries_or_documents_nothing_is_built(tmp_path):
    empty = Workspace.open(tmp_path / "empty")
    empty.repository.add([("nasa", 1)])
    with pytest.raises(WorkspaceError, match="next: querykin corpus add FILE"):
        empty.build("web-kernel")
    empty.build("cosine")  # needs no corpus
    assert empty.suggest("NASA rocket", measure="cosine").suggestions[0].query == "nasa"
    empty.repository.remove(["nasa"])
    with pytest.raises(WorkspaceError, match="repository mine"):
        empty.build("cosine")


def test_a_damaged_index_is_rebuilt(workspace):
    before = workspace.suggest("space exploration", 3).suggestions
    (part,) = workspace.index("web-kernel").store.path.glob("parts/segment-*")
    (part / "rows-0.npy").write_bytes(b"")
    workspace = workspace.reopen()
    with pytest.raises(WorkspaceError, match="damaged"):
        workspace.index("web-kernel")
    workspace.build("web-kernel", rebuild=True)
    assert workspace.suggest("space exploration", 3).suggestions == before
