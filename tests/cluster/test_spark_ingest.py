"""Documents added, co-occurrences counted and queries mined on a standalone Spark cluster.

Executors and Python workers are killed meanwhile; the results are those of one machine.
"""

import json
import os
import signal
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from querykin import Workspace
from querykin.corpus.corpus import Corpus
from querykin.corpus.limits import CorpusLimits
from querykin.distributed.masters import task_runner
from querykin.io.documents import DocumentSources
from querykin.querylog import mining_tasks
from querykin.search.tantivy_engine import TantivyIndexer
from recorded_progress import Recorded
from servers.spark import spark_cluster
from stored_checksums import checksums

LIMITS = CorpusLimits(split_bytes=200_000, segment_tokens=120_000)


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
    return [folder]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with spark_cluster(tmp_path_factory.mktemp("spark"), workers=2) as running:
        yield running


def processes(text):
    """The ids of running processes whose command line has a text."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if text in (folder / "cmdline").read_bytes().decode().replace("\0", " "):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def children(parent):
    """The processes that a process has started, and theirs."""
    own = [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    return own + [other for pid in own for other in children(pid)]


@contextmanager
def killed_when(found, cluster):
    """Kill an executor, and a Python worker of another one, as soon as `found` is true."""
    done, killed = Event(), []

    def watch():
        while not done.wait(0.02):
            if found():
                own = {pid for worker in cluster.workers for pid in children(worker)}
                executors = sorted(own & set(processes("CoarseGrainedExecutorBackend")))
                python = sorted(own & set(processes("pyspark.daemon")))
                for pid in executors[:1] + python[-1:]:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                return

    thread = Thread(target=watch)
    thread.start()
    try:
        yield killed
    finally:
        done.set()
        thread.join()


@pytest.fixture(scope="module")
def spark(cluster):
    progress = Recorded()
    runner = task_runner(cluster.master, progress)
    runner.told = progress.lines
    return runner


def add(folder, files, **options):
    corpus = Corpus(folder / "corpus", TantivyIndexer, "en", LIMITS)
    change = corpus.add_files(DocumentSources.discover(files), print, **options)
    return corpus, change


@pytest.fixture(scope="module")
def one_machine(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("one")
    return folder, *add(folder, files)


@pytest.fixture(scope="module")
def on_spark(tmp_path_factory, files, cluster, spark):
    folder = tmp_path_factory.mktemp("spark-workspace")
    parts = folder / "corpus" / "parts"
    with killed_when(lambda: any(parts.glob("segment-*/tokens.npy")), cluster) as killed:
        corpus, change = add(folder, files, runner=spark)
    assert len(killed) == 2
    return folder, corpus, change


def test_the_corpus_is_that_of_one_machine(one_machine, on_spark):
    _, expected, change = one_machine
    folder, corpus, same = on_spark
    assert len(corpus.segments) > 3
    assert same == change
    assert checksums(corpus) == checksums(expected)
    assert {part.name for part in (folder / "corpus" / "parts").iterdir()} == set(
        corpus._store.manifest().parts
    )
    assert not corpus._store.corrupted_files()


def test_lost_executors_are_told(on_spark, spark):
    assert any("run again" in line for line in spark.told)


def test_counts_and_mined_queries_are_those_of_one_machine(
    one_machine, on_spark, cluster, spark, monkeypatch
):
    monkeypatch.setattr(mining_tasks, "_MIN_RUN", 50_000)
    one, many = Workspace.open(one_machine[0]), Workspace.open(on_spark[0], runner=spark)
    assert one.mine(5000) == many.mine(5000)
    assert list(one.repository.by_count()) == list(many.repository.by_count())
    parts = on_spark[0] / "cooccurrence" / "parts"
    with killed_when(lambda: any(parts.glob("run-*")), cluster) as killed:
        many.update_derived("distributional")
    one.update_derived("distributional")
    assert len(killed) == 2
    counted = [sorted(each.cooccurrence._store.manifest().parts.values(), key=str) for each in (one, many)]
    assert counted[0] == counted[1]
