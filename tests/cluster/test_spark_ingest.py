"""Documents added, queries mined and co-occurrences counted on a standalone Spark cluster.

An executor and a Python worker get SIGKILL in the middle of each; what is written is what one machine writes.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cluster.servers.spark import HOST, spark_cluster, wait_until
from querykin.corpus.corpus import Corpus
from querykin.querylog.repository import Repository
from querykin.search.tantivy_engine import TantivyIndexer
from querykin.storage.store import Store
from stored_checksums import checksums

SECONDS = 240  # that a command may take on busy processors

# What the command line does, with small splits, segments and runs, so that there are many tasks.
PROGRAM = """
import sys
from pathlib import Path
from querykin import Workspace
from querykin.cli.options import TerminalProgress
from querykin.cooccurrence import counting_tasks
from querykin.corpus.corpus import Corpus
from querykin.corpus.limits import CorpusLimits
from querykin.distributed.masters import task_runner
from querykin.io.documents import DocumentSources
from querykin.querylog import mining_tasks
from querykin.search.tantivy_engine import TantivyIndexer

step, folder, files, master = sys.argv[1:]
progress = TerminalProgress(quiet=False)
runner = task_runner(master or None, progress)
counting_tasks._MIN_RUN = mining_tasks._MIN_RUN = 20_000
if step == "add":
    limits = CorpusLimits(split_bytes=200_000, segment_tokens=60_000)
    corpus = Corpus(Path(folder) / "corpus", TantivyIndexer, "en", limits)
    sources = DocumentSources.discover([files])
    print(corpus.add_files(sources, print, runner=runner, progress=progress))
else:
    workspace = Workspace.open(folder, progress=progress, runner=runner)
    print(workspace.mine(5000) if step == "mine" else workspace.update_derived("distributional"))
"""


def start(step, folder, files, master=""):
    environment = {**os.environ, "SPARK_LOCAL_IP": HOST}
    command = [sys.executable, "-c", PROGRAM, step, str(folder), str(files), master]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process):
    """The output and the messages of a process that must succeed."""
    out, messages = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, messages
    return out, messages


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two large files and many small ones, with words by Zipf's law and one very long document."""
    rng = np.random.default_rng(20)
    folder = tmp_path_factory.mktemp("files")

    def document(name, words):
        text = " ".join(f"word{n}" for n in np.minimum(rng.zipf(1.3, words), 50_000))
        return json.dumps({"id": name, "title": f"Title {name}", "text": text})

    for name in ("first", "second"):
        lines = [document(f"{name} {n}", 200) for n in range(1000)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    (folder / "long.jsonl").write_text(document("long", 100_000), "utf-8")
    for n in range(50):
        (folder / f"small{n}.jsonl").write_text(document(f"first {n}", 50), "utf-8")
    return folder


@pytest.fixture(scope="module")
def one_machine(tmp_path_factory, files):
    """The workspace of one machine, and the change that it reported."""
    folder = tmp_path_factory.mktemp("one")
    change, _ = finish(start("add", folder, files))
    finish(start("mine", folder, files))
    finish(start("count", folder, files))
    return folder, change


def kill_some(cluster, process, store, kind):
    """Kill an executor and a Python worker once tasks have written parts of a kind."""
    found = (store / "parts").glob
    wait_until(lambda: any(found(f"{kind}-*")) or process.poll() is not None, f"{kind} is written")
    assert process.poll() is None, process.communicate()[1]
    os.kill(cluster.executors(0)[0], signal.SIGKILL)
    for python in cluster.python_workers(1)[:1]:
        os.kill(python, signal.SIGKILL)


@pytest.fixture(scope="module")
def on_spark(tmp_path_factory, files):
    """The workspace that Spark made, the change that it reported, and all messages."""
    folder = tmp_path_factory.mktemp("spark")
    with spark_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as cluster:
        adding = start("add", folder, files, cluster.master)
        kill_some(cluster, adding, folder / "corpus", "segment")
        change, messages = finish(adding)
        mining = start("mine", folder, files, cluster.master)
        kill_some(cluster, mining, folder / "repository", "run")
        messages += finish(mining)[1]
        counting = start("count", folder, files, cluster.master)
        kill_some(cluster, counting, folder / "cooccurrence", "run")
        messages += finish(counting)[1]
        assert cluster.alive_workers() == 2
    return folder, change, messages


def orphans(store: Path) -> set[str]:
    """Parts that the manifest does not name."""
    return {part.name for part in (store / "parts").iterdir()} - set(
        Store(store, store.name).manifest().parts
    )


def test_the_corpus_is_that_of_one_machine(one_machine, on_spark):
    expected, corpus = (Corpus(each[0] / "corpus", TantivyIndexer) for each in (one_machine, on_spark))
    assert on_spark[1] == one_machine[1]
    assert len(corpus.segments) > 5
    assert checksums(corpus) == checksums(expected)
    assert not orphans(on_spark[0] / "corpus")
    assert not corpus._store.corrupted_files()


def test_mined_queries_are_those_of_one_machine(one_machine, on_spark):
    expected, mined = (
        list(Repository(each[0] / "repository").by_count()) for each in (one_machine, on_spark)
    )
    assert len(mined) > 100
    assert mined == expected
    assert not orphans(on_spark[0] / "repository")


def test_co_occurrence_counts_are_those_of_one_machine(one_machine, on_spark):
    counted = [
        sorted(map(repr, Store(each[0] / "cooccurrence", "cooccurrence").manifest().parts.values()))
        for each in (one_machine, on_spark)
    ]
    assert counted[0] == counted[1]
    assert not orphans(on_spark[0] / "cooccurrence")


def test_lost_processes_and_the_time_of_tasks_are_told(on_spark):
    messages = on_spark[2]
    assert "run again" in messages
    for work in ("reading", "writing segments", "counting phrases", "counting co-occurrences"):
        assert any(line.startswith(f"{work}: ") and " CPU-s, " in line for line in messages.splitlines())
