"""build, match, match --all-pairs and cluster on a standalone Spark cluster, with processes that are killed.

A worker, an executor and a Python worker get SIGKILL in the middle of a build; what it writes is what one
machine writes.
"""

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from cluster.servers.spark import HOST, SparkCluster, spark_cluster, wait_until
from querykin import Workspace
from querykin.distributed.masters import task_runner
from querykin.distributed.task_runner import run_tasks
from querykin.errors import InputError
from topics import DOCUMENTS, QUERIES

PROGRAM = "from querykin.cli import main; main()"
COMMAND_SECONDS = 240  # on busy processors
COPIES = 160  # of the queries, each with another number: about 10,000 queries


def start(*arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "SPARK_LOCAL_IP": HOST}
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(*arguments: str) -> tuple[str, str]:
    """The output and the messages of a command that must succeed."""
    process = start(*arguments)
    out, messages = process.communicate(timeout=COMMAND_SECONDS)
    assert process.returncode == 0, messages
    return out, messages


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> SparkCluster:
    with spark_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running


@pytest.fixture(scope="module")
def stocked(tmp_path_factory) -> Path:
    """A workspace with documents and queries."""
    workspace = Workspace.open(tmp_path_factory.mktemp("spark") / "stocked")
    workspace.corpus.add(DOCUMENTS)
    titles = [document.title for document in DOCUMENTS if document.title]
    queries = [f"{query} {number}" for number in range(COPIES) for query in (*QUERIES, *titles)]
    workspace.repository.add([(query, 1) for query in queries])
    return workspace.path


@pytest.fixture(scope="module")
def one_machine(stocked) -> Path:
    copytree(stocked, stocked.with_name("one"))
    run("build", "--measures", "web-kernel,sparse-prob", "--workspace", str(stocked.with_name("one")))
    return stocked.with_name("one")


def manifest(store: Path) -> dict:
    path = store / "manifest.json"
    return json.loads(path.read_text()) if path.exists() else {"parts": {}, "metadata": {}}


def checksums(workspace: Path, folder: str) -> dict[str, list[str]]:
    stores = sorted(path.parent for path in (workspace / folder).rglob("manifest.json"))
    assert stores
    return {
        str(store.relative_to(workspace)): sorted(map(repr, manifest(store)["parts"].values()))
        for store in stores
    }


def orphans(workspace: Path) -> list[Path]:
    stores = [path.parent for path in workspace.rglob("manifest.json")]
    return [
        part
        for store in stores
        for part in (store / "parts").glob("*")
        if part.name not in manifest(store)["parts"]
    ]


@pytest.fixture(scope="module")
def built(stocked, cluster) -> tuple[Path, str]:
    """The workspace, built while processes are killed, and the messages of the build."""
    rows = stocked / "index" / "web-kernel"
    process = start(
        "build", "--measures", "web-kernel,sparse-prob", "--workspace", str(stocked), "--on", cluster.master
    )
    wait_until(lambda: any(cluster.python_workers(0)) or process.poll() is not None, "tasks run")
    os.kill(cluster.python_workers(0)[0], signal.SIGKILL)
    wait_until(lambda: any(rows.glob("parts/segment-*")) or process.poll() is not None, "rows are written")
    cluster.kill_worker(1)
    wait_until(lambda: _in_progress(rows) or process.poll() is not None, "rows are committed")
    assert process.poll() is None, process.communicate()[1]
    for executor in cluster.executors(0):
        os.kill(executor, signal.SIGKILL)
    _, messages = process.communicate(timeout=COMMAND_SECONDS)
    assert process.returncode == 0, messages
    return stocked, messages


def _in_progress(store: Path) -> bool:
    return bool(manifest(store)["metadata"].get("in_progress"))


def test_a_build_with_killed_processes_writes_the_bytes_of_one_machine(built, one_machine):
    workspace, messages = built
    assert checksums(workspace, "index") == checksums(one_machine, "index")
    assert not orphans(workspace)
    assert "its tasks are run again elsewhere" in messages
    assert "times the median" in messages
    assert "WARN" not in messages


def test_the_cluster_is_healthy_again_with_a_new_worker(built, cluster):
    wait_until(lambda: cluster.alive_workers() == 1, "the master has noticed the killed worker")
    cluster.start_worker()
    assert cluster.alive_workers() == 2


def test_a_killed_driver_is_continued(built, stocked, cluster, one_machine):
    workspace, rows = stocked, stocked / "index" / "web-kernel"
    command = ["build", "--rebuild", "--measures", "web-kernel", "--workspace", str(workspace)]
    process = start(*command, "--on", cluster.master)
    wait_until(lambda: _in_progress(rows) or process.poll() is not None, "rows are committed")
    process.kill()
    process.communicate()
    _, messages = run(*command, "--on", cluster.master)
    assert "finished earlier" in messages
    assert checksums(workspace, "index/web-kernel") == checksums(one_machine, "index/web-kernel")
    assert not orphans(workspace)


def test_matches_are_those_of_one_machine(built, cluster, tmp_path):
    workspace, _ = built
    queries = tmp_path / "queries.txt"
    queries.write_text("\n".join(f"{query} island" for query in QUERIES))
    command = ["match", str(queries), "--measure", "web-kernel", "--workspace", str(workspace)]
    assert run(*command, "--on", cluster.master)[0] == run(*command)[0] != ""


def test_all_pairs_are_those_of_one_machine(built, cluster):
    workspace, _ = built
    command = ["match", "--all-pairs", "-k", "2", "--measure", "web-kernel", "--workspace", str(workspace)]
    assert run(*command, "--on", cluster.master)[0] == run(*command)[0] != ""
    assert not orphans(workspace)


def test_clusters_are_those_of_one_machine(built, one_machine, cluster):
    workspace, _ = built
    command = ["cluster", "--measure", "web-kernel", "--threshold", "0.5", "--format", "tsv", "--workspace"]
    assert (
        run(*command, str(workspace), "--on", cluster.master)[0] == run(*command, str(one_machine))[0] != ""
    )
    assert checksums(workspace, "neighbors") == checksums(one_machine, "neighbors")


def test_errors_of_tasks_are_raised_as_they_were(cluster, monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_IP", HOST)
    runner = task_runner(cluster.master)
    assert run_tasks(runner, math.sqrt, [4.0, 9.0]) == [2.0, 3.0]
    with pytest.raises(ValueError, match="math domain error"):
        run_tasks(runner, math.sqrt, [4.0, -1.0])
    with pytest.raises(InputError, match=r"--on must be .*, got 'mesos'"):
        run_tasks(runner, task_runner, ["mesos"])


def test_a_master_that_does_not_answer_is_one_line(stocked):
    process = start("build", "--rebuild", "--quiet", "--workspace", str(stocked), "--on", f"spark://{HOST}:9")
    _, messages = process.communicate(timeout=COMMAND_SECONDS)
    assert process.returncode == 1
    assert messages.startswith(f"querykin: no Spark master answers at spark://{HOST}:9")
    assert len(messages.splitlines()) == 1
