"""Builds, matches, joins and clusters in several processes: the bytes and answers of this process."""

import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

from querykin import Document, Workspace
from querykin.build_policy import BuildPolicy
from querykin.distributed.processes import Processes
from querykin.distributed.task_runner import THIS_PROCESS
from querykin.embeddings import document_vectors
from querykin.errors import WorkspaceError
from querykin.index import merging
from querykin.matching import MatchOptions, match_texts
from querykin.measures.web_kernel import WebKernel
from querykin.querylog.counted_queries import CountedQueries
from recorded_progress import Recorded
from topics import DOCUMENTS, QUERIES

MEASURES = ("web-kernel", "web-kernel-static", "sparse-prob", "jaccard")
TITLES = [document.title for document in DOCUMENTS if document.title]


@pytest.fixture(scope="module")
def messages() -> Recorded:
    return Recorded()


@pytest.fixture(scope="module")
def runner(messages) -> Processes:
    """Shared: the processes keep what they have compiled and opened."""
    return Processes(2, messages)


@pytest.fixture(scope="module")
def stocked(tmp_path_factory) -> Path:
    workspace = Workspace.open(tmp_path_factory.mktemp("tasks") / "workspace")
    workspace.corpus.add(DOCUMENTS)
    workspace.repository.add([(query, 1) for query in (*QUERIES, *TITLES)])
    return workspace.path


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(WebKernel, "batch", 16)
    monkeypatch.setattr(document_vectors, "BATCH", 16)


@pytest.fixture
def copy(stocked, tmp_path):
    def make(name: str, runner, progress=None) -> Workspace:
        shutil.copytree(stocked, tmp_path / name, dirs_exist_ok=True)
        return Workspace.open(tmp_path / name, runner=runner, progress=progress or Recorded())

    return make


def checksums(workspace: Workspace, *folders: str) -> dict[str, list]:
    """The sizes and checksums of the files of all parts, whatever their names."""
    found = {}
    for folder in folders:
        for path in sorted((workspace.path / folder).rglob("manifest.json")):
            parts = json.loads(path.read_text())["parts"].values()
            found[str(path.relative_to(workspace.path))] = sorted(map(repr, parts))
    assert found
    return found


def orphans(workspace: Workspace) -> list[Path]:
    stores = [path.parent for path in workspace.path.rglob("manifest.json")]
    return [
        part
        for store in stores
        for part in (store / "parts").glob("*")
        if part.name not in json.loads((store / "manifest.json").read_text())["parts"]
    ]


def test_a_build_in_processes_writes_the_same_bytes(copy, runner):
    one, messages = copy("one", THIS_PROCESS), Recorded()
    several = copy("several", runner, messages)
    for workspace in (one, several):
        workspace.build_all(MEASURES)
    folders = ("index", "document-vectors", "score-distributions")
    assert checksums(several, *folders) == checksums(one, *folders)
    assert not orphans(several)
    assert any(line.startswith("rows: ") and "times the median" in line for line in messages.lines)


def test_stale_rows_are_found_and_built_in_processes(copy, runner):
    workspaces = [copy("one", THIS_PROCESS), copy("several", runner)]
    moon = Document("moon", "The Moon", "The Moon is the only natural satellite of Earth; NASA landed there.")
    plans = []
    for number, workspace in enumerate(workspaces):
        workspace.build("web-kernel")
        workspace.corpus.add([moon])
        workspaces[number] = changed = workspace.reopen()
        plans.append(changed.plan("web-kernel"))
        changed.build("web-kernel")
    assert plans[0].stale.tolist() == plans[1].stale.tolist() != []
    assert checksums(workspaces[0], "index") == checksums(workspaces[1], "index")


def texts(workspace: Workspace, queries, options: MatchOptions) -> str:
    records = None if queries is None else [(query, 1, query) for query in queries]
    return "".join(text for text, _ in match_texts(workspace, records, options))


@pytest.mark.parametrize("form", ["tsv", "trec", "json", "jsonl"])
def test_matches_in_processes_are_those_of_one(copy, runner, form):
    one, several = copy("one", THIS_PROCESS), copy("several", runner)
    for workspace in (one, several):
        workspace.build("web-kernel")
    some = MatchOptions("web-kernel", None, 3, form)
    assert texts(several, TITLES[:9], some) == texts(one, TITLES[:9], some) != ""
    pairs = MatchOptions("web-kernel", 0.1, None, form)
    assert texts(several, None, pairs) == texts(one, None, pairs)
    if form == "json":
        assert len(json.loads(texts(several, None, pairs))) == len(several.repository)
    assert not orphans(several)


def test_clusters_in_processes_are_those_of_one(copy, runner):
    one, several = copy("one", THIS_PROCESS), copy("several", runner)
    assert several.cluster("web-kernel", threshold=0.2) == one.cluster("web-kernel", threshold=0.2)
    assert checksums(several, "neighbors") == checksums(one, "neighbors")
    assert not orphans(several)


def test_a_keyword_list_is_clustered_in_processes(copy, runner):
    found = []
    for workspace in (copy("one", THIS_PROCESS), copy("several", runner)):
        queries = CountedQueries.collect([(query, 1) for query in (*QUERIES, *TITLES)])
        keywords = workspace.keyword_list("list", queries)
        found.append(keywords.cluster("web-kernel", threshold=0.2).clusters)
    assert found[0] == found[1]


def test_a_process_that_sees_another_workspace_refuses(copy, monkeypatch):
    workspace = copy("several", Processes(1))
    handle = workspace.handle
    monkeypatch.setattr(handle, "_stores", [workspace.path / "elsewhere"])
    monkeypatch.setattr("querykin.storage.shared_folders._PATIENCE", 0.0)
    monkeypatch.setattr("querykin.workspace_handle.generation", lambda folder: 7)
    function, arguments = handle.__reduce__()
    copied = function(*arguments)
    with pytest.raises(WorkspaceError, match=r"generation 7 of .*elsewhere, the executor on .* sees nothing"):
        assert copied.workspace


def test_a_task_refuses_a_corpus_that_changed_since_the_driver_opened_it(copy):
    workspace = copy("several", THIS_PROCESS)
    assert workspace.corpus.generation
    workspace.reopen().corpus.add([Document("moon", "The Moon", "The Moon is a natural satellite.")])
    function, arguments = workspace.handle.__reduce__()
    with pytest.raises(WorkspaceError, match=r"corpus, on .* another command has changed it"):
        _ = function(*arguments).workspace


def test_nothing_is_built_on_demand_in_a_task(copy):
    function, arguments = copy("several", THIS_PROCESS).handle.__reduce__()
    assert function(*arguments).workspace.policy is BuildPolicy.REFUSE


def test_segments_have_a_bounded_number_of_rows(copy, monkeypatch):
    one = copy("one", THIS_PROCESS)
    one.build("web-kernel")
    expected = [one.suggest(query, 20, "web-kernel").suggestions for query in QUERIES]
    monkeypatch.setattr(merging, "MAX_ROWS", 20)
    bounded = copy("bounded", THIS_PROCESS)
    bounded.build("web-kernel")
    segments = bounded.index("web-kernel").segments
    assert max(map(len, segments)) == 20
    assert len(segments) == -(-len(bounded.repository) // 20)
    lasts = [int(each.query_ids[-1]) for each in segments]
    firsts = [int(each.query_ids[0]) for each in segments]
    assert all(last < first for last, first in zip(lasts, firsts[1:], strict=False))
    assert [bounded.suggest(query, 20, "web-kernel").suggestions for query in QUERIES] == expected


def test_killed_processes_lose_no_rows(copy, runner, messages):
    several, one = copy("several", runner), copy("one", THIS_PROCESS)
    several.build("web-kernel")

    def kill() -> None:
        time.sleep(0.05)
        os.kill(next(iter(runner._pool._processes)), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    several.build("web-kernel", rebuild=True)
    killer.join()
    several.build("web-kernel", rebuild=True)  # meets the broken pool, if the kill came late
    one.build("web-kernel")
    assert checksums(several, "index") == checksums(one, "index")
    assert not orphans(several)
    assert messages.lines == ["a process was killed; its tasks are run again"]
