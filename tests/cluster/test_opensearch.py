"""OpenSearch of three processes, as search engine and as index of candidates, through kills of both sides."""

import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from cluster.servers.opensearch import OpenSearchCluster
from cluster.zipf_corpus import documents, queries
from querykin import Settings, Workspace
from querykin.errors import QuerykinError, WorkspaceError
from querykin.opensearch import bulk
from querykin.opensearch.connection import Connection
from querykin.opensearch.settings import OpenSearchSettings
from querykin.retrieval.candidate_settings import CandidateSettings
from querykin.search.engine import EngineOutOfStep
from querykin.search.engine_settings import EngineSettings
from querykin.search.opensearch_engine import OpenSearchEngine
from querykin.testing import check_engine
from recorded_progress import Recorded

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of nodes that were killed
DOCUMENTS, QUERIES = 2000, 1000
MEASURE = "web-kernel"
SLOW_SENDER = """
import sys, time
import querykin.opensearch.bulk as bulk
from querykin.cli import main
sent, bulk.MAX_ACTIONS = bulk._send, 50
bulk._send = lambda *arguments: (time.sleep(0.05), sent(*arguments))[1]
sys.argv = ["querykin", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with OpenSearchCluster(tmp_path_factory.mktemp("opensearch")) as running:
        yield running


@pytest.fixture(scope="module")
def opensearch(cluster):
    return OpenSearchSettings(hosts=tuple(cluster.urls), shards=2, replicas=1)


@pytest.fixture(scope="module")
def connection(opensearch):
    return Connection(opensearch)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A workspace on the embedded engine, with an index."""
    path = tmp_path_factory.mktemp("built") / "workspace"
    workspace = Workspace.open(path)
    workspace.corpus.add(documents(DOCUMENTS))
    workspace.repository.add(queries(QUERIES))
    workspace = workspace.reopen()
    workspace.build(MEASURE)
    return workspace.reopen()


@pytest.fixture
def workspace(built, tmp_path):
    """A copy to be changed."""
    shutil.copytree(built.path, tmp_path / "workspace")
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def name(request, connection):
    """The name of an index for one test."""
    chosen = request.node.name.replace("test_", "")[:60]
    yield chosen
    connection.request("DELETE", f"/{chosen}*")


def _with_engine(workspace, opensearch, name):
    settings = Settings(engine=EngineSettings(kind="opensearch", index=name), opensearch=opensearch)
    return Workspace.open(workspace.path, settings)


def _with_candidates(workspace, opensearch, name, progress=None):
    settings = Settings(candidates=CandidateSettings(kind="opensearch", index=name), opensearch=opensearch)
    opened = Workspace.open(workspace.path, settings)
    return Workspace.open(workspace.path, settings, progress=progress) if progress else opened


def _asked(workspace, count=200):
    return workspace.repository.queries(workspace.repository.live_ids()[:count])


def _same_rankings(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.query_ids.tolist() == theirs.query_ids.tolist()
        np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-6)


def _count(connection, index):
    connection.refresh(index)
    return connection.request("GET", f"/{index}/_count")["count"]


class TestSearchEngine:
    def test_the_engine_conforms_and_gives_the_results_of_the_embedded_one(self, built, opensearch, name):
        remote = _with_engine(built, opensearch, name)
        assert remote.send_documents() == DOCUMENTS
        assert remote.send_documents() == 0
        engine = remote.expander.engine
        assert isinstance(engine, OpenSearchEngine)
        check_engine(engine, _asked(built)[0])
        asked = _asked(built, 150)
        _, ours, _ = remote.expander.search(asked, 30)
        _, theirs, _ = built.expander.search(asked, 30)
        found = [set(ours.of(n).documents.tolist()) for n in range(len(asked))]
        wanted = [set(theirs.of(n).documents.tolist()) for n in range(len(asked))]
        shared = sum(len(a & b) for a, b in zip(found, wanted, strict=True))
        assert shared / sum(map(len, wanted)) > 0.99
        unseen = [f"{a} {b.split()[0]}" for a, b in zip(asked[:30], asked[30:60], strict=True)]
        pairs = zip(remote.match(unseen, 5, MEASURE), built.match(unseen, 5, MEASURE), strict=True)
        same = [[s.query for s in a.suggestions] == [s.query for s in b.suggestions] for a, b in pairs]
        assert np.mean(same) > 0.95

    def test_additions_and_removals_reach_the_index(self, workspace, connection, opensearch, name):
        remote = _with_engine(workspace, opensearch, name)
        remote.corpus.add(documents(20, seed=3, first=DOCUMENTS))
        assert _count(connection, name) == DOCUMENTS + 20
        remote.corpus.remove(["d1", "d2", f"d{DOCUMENTS}"])
        replaced = [replace(each, text=each.text + " more") for each in documents(5)]
        remote.corpus.add([each for each in replaced if each.id not in ("d1", "d2")])
        remote = remote.reopen()
        assert _count(connection, name) == len(remote.corpus) == DOCUMENTS + 17
        newest = remote.corpus.next_doc_id - 1
        hits = remote.expander.engine.search(f"{replaced[4].title} more", 3)
        assert "d4" in {hit.document_id for hit in hits}
        assert newest in remote.corpus.segments[-1].doc_ids
        assert len(remote.plan(MEASURE).stale)  # the engine knows which rows new documents would enter

    def test_a_corpus_that_changed_elsewhere_is_an_error_with_the_command(self, workspace, opensearch, name):
        remote = _with_engine(workspace, opensearch, name)
        with pytest.raises(EngineOutOfStep, match=r"has no index .* next: querykin corpus send"):
            remote.search("anything")
        remote.send_documents()
        workspace.corpus.add(documents(3, seed=4, first=10_000))
        with pytest.raises(
            EngineOutOfStep, match=r"2,000 documents .* 2,003 documents .* querykin corpus send"
        ):
            remote.reopen().search("anything")
        remote = remote.reopen()
        assert remote.send_documents() == 3
        assert remote.search(workspace.corpus.document("d7").title).hits

    def test_the_index_of_another_corpus_is_left_alone(self, workspace, opensearch, tmp_path, name):
        _with_engine(workspace, opensearch, name).send_documents()
        other = Workspace.open(tmp_path / "other")
        other.corpus.add(documents(2))
        with pytest.raises(WorkspaceError, match="another corpus; next: set index"):
            _with_engine(other, opensearch, name).send_documents()

    def test_a_killed_sending_continues(self, workspace, cluster, connection, opensearch, name, tmp_path):
        config = tmp_path / "settings.toml"
        config.write_text(_toml(cluster, f'[engine]\nkind = "opensearch"\nindex = "{name}"\n'))
        _kill_in_the_middle(["corpus", "send"], workspace, config, connection, name)
        remote = _with_engine(workspace, opensearch, name)
        arrived = _count(connection, name)
        assert 0 < arrived < DOCUMENTS
        assert remote.send_documents(dry_run=True) == DOCUMENTS - arrived
        assert remote.send_documents() == DOCUMENTS - arrived
        assert remote.search(workspace.corpus.document("d7").title).hits


def _toml(cluster, rest):
    hosts = ", ".join(f'"{url}"' for url in cluster.urls)
    return f"[opensearch]\nhosts = [{hosts}]\nshards = 2\n{rest}"


def _wait_for_writes(connection, index):
    """Wait until an index has received some documents."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        indexed = connection.request("GET", f"/{index}*/_stats/indexing")["_all"]["primaries"]
        if indexed and indexed["indexing"]["index_total"] > 100:
            return
        time.sleep(0.02)
    raise TimeoutError(index)


def _kill_in_the_middle(command, workspace, config, connection, index):
    """Run a command that sends slowly, and end it by SIGKILL after its first requests."""
    options = ["--workspace", str(workspace.path), "--config", str(config)]
    process = subprocess.Popen([sys.executable, "-c", SLOW_SENDER, *command, *options])
    _wait_for_writes(connection, index)
    process.send_signal(signal.SIGKILL)
    process.wait()


class TestPublishedRows:
    def test_suggestions_are_those_of_the_local_index(self, built, opensearch, connection, name):
        publisher = _with_candidates(built, opensearch, name)
        assert publisher.publish(MEASURE) == len(built.repository)
        assert publisher.publish(MEASURE) == 0
        asked = _asked(built, 150)
        local, remote = built.retriever(MEASURE), publisher.retriever(MEASURE)
        _same_rankings(remote.search(asked, 10), local.search(asked, 10))
        # Candidates that share only light terms are not proposed; they score low.
        options = {"min_score": 0.2, "min_count": 10}
        _same_rankings(remote.search(asked, 10, **options), local.search(asked, 10, **options))
        assert publisher.suggest(asked[0], 5, MEASURE) == built.suggest(asked[0], 5, MEASURE)

    def test_scores_are_exact_where_there_are_no_local_rows(self, workspace, opensearch, name):
        _with_candidates(workspace, opensearch, name).publish(MEASURE)
        asked = _asked(workspace)
        unseen = [f"{a} {b.split()[0]}" for a, b in zip(asked[:50], asked[50:100], strict=True)]
        expected = workspace.retriever(MEASURE).search([*asked, *unseen], 10)
        looked_up = workspace.retriever(MEASURE).scores(asked[0], np.arange(1000))
        shutil.rmtree(workspace.path / "index" / MEASURE)
        remote = _with_candidates(workspace, opensearch, name).retriever(MEASURE)
        for ours, theirs in zip(remote.search([*asked, *unseen], 10), expected, strict=True):
            np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-6)
        scores = remote.scores(asked[0], np.arange(1000))
        np.testing.assert_allclose(scores, looked_up, atol=1e-6)
        assert not (workspace.path / "index" / MEASURE).exists()

    def test_only_what_changed_is_published(self, workspace, opensearch, connection, name):
        publisher = _with_candidates(workspace, opensearch, name)
        publisher.publish(MEASURE)
        gone, kept = _asked(workspace, 2)
        workspace.repository.remove([gone])
        workspace.repository.add([(kept, 5), ("never asked before", 2), (" ".join(_asked(workspace, 3)), 1)])
        workspace = workspace.reopen()
        workspace.build(MEASURE)
        progress = Recorded()
        behind = _with_candidates(workspace, opensearch, name, progress)
        behind.retriever(MEASURE)
        assert any("behind this workspace; next: querykin publish --to" in each for each in progress.lines)
        rows = behind.index(MEASURE).filled_queries(behind.repository).sum()
        changed = behind.publish(MEASURE, dry_run=True)
        assert changed == behind.publish(MEASURE) == 3  # one removed, one counted, one new that is covered
        assert _count(connection, name) == rows
        found = behind.reopen().retriever(MEASURE).search([gone], 5)
        assert workspace.repository.ids_of([gone])[0] not in found[0].query_ids

    def test_a_new_build_takes_the_alias_when_it_is_complete(self, workspace, opensearch, connection, name):
        publisher = _with_candidates(workspace, opensearch, name)
        publisher.publish(MEASURE)
        (first,) = connection.request("GET", f"/{name}/_mapping")
        reader = publisher.retriever(MEASURE)
        asked = _asked(workspace, 20)
        before = reader.search(asked, 5)
        workspace.corpus.add(documents(100, seed=5, first=DOCUMENTS))
        workspace = workspace.reopen()
        workspace.build(MEASURE, rebuild=True)
        with pytest.raises(WorkspaceError, match=r"another build .* next: querykin publish --to"):
            _with_candidates(workspace, opensearch, name).retriever(MEASURE)
        newer = _with_candidates(workspace, opensearch, name)
        newer.publish(MEASURE)
        (second,) = connection.request("GET", f"/{name}/_mapping")
        assert second != first
        _same_rankings(
            newer.retriever(MEASURE).search(asked, 5), workspace.retriever(MEASURE).search(asked, 5)
        )
        _same_rankings(reader.search(asked, 5), before)  # it goes on with the index that it opened
        newer.publish(MEASURE)
        assert {*connection.request("GET", f"/{name}-*/_mapping")} == {second}

    def test_a_killed_publication_continues(self, workspace, cluster, connection, opensearch, name, tmp_path):
        config = tmp_path / "settings.toml"
        config.write_text(_toml(cluster, f'[candidates]\nindex = "{name}"\n'))
        _kill_in_the_middle(["publish", "--measure", MEASURE], workspace, config, connection, name)
        assert connection.metadata(name) is None  # nobody sees a part of it
        arrived = _count(connection, f"{name}-*")
        assert 0 < arrived < QUERIES
        publisher = _with_candidates(workspace, opensearch, name)
        assert publisher.publish(MEASURE) == len(workspace.repository) - arrived
        assert _count(connection, name) == len(workspace.repository)

    def test_hybrid_searches_the_published_part(self, workspace, opensearch, name):
        workspace.build("hybrid-static")
        workspace = workspace.reopen()
        publisher = _with_candidates(workspace, opensearch, name)
        publisher.publish("hybrid-static")
        asked = _asked(workspace, 20)
        ours, theirs = publisher.match(asked, 5, "hybrid-static"), workspace.match(asked, 5, "hybrid-static")
        assert ours == theirs

    def test_rows_of_another_workspace_or_measure_are_refused(self, workspace, opensearch, name, tmp_path):
        publisher = _with_candidates(workspace, opensearch, name)
        with pytest.raises(WorkspaceError, match=r"has no .*next: querykin publish --to"):
            publisher.retriever(MEASURE)
        with pytest.raises(QuerykinError, match=r"jaccard cannot be published; allowed: .*web-kernel"):
            publisher.publish("jaccard")
        publisher.publish(MEASURE)
        other = Workspace.open(tmp_path / "other")
        other.corpus.add(documents(200))
        other.repository.add(queries(20))
        with pytest.raises(WorkspaceError, match="another workspace; next: choose another --index"):
            _with_candidates(other.reopen(), opensearch, name).publish(MEASURE)


class TestLossOfANode:
    def test_nothing_is_lost_and_searches_go_on(
        self, built, cluster, connection, opensearch, name, monkeypatch
    ):
        monkeypatch.setattr(bulk, "MAX_ACTIONS", 50)
        publisher = _with_candidates(built, opensearch, name)
        publisher.publish(MEASURE)
        cluster.wait_for(3)
        remote, asked = publisher.retriever(MEASURE), _asked(built, 40)
        expected = remote.search(asked, 5)
        searched, failed, done = [0], [], threading.Event()

        def search():
            while not done.is_set():
                try:
                    _same_rankings(remote.search(asked[:8], 5), expected[:8])
                    searched[0] += 8
                except (AssertionError, QuerykinError) as error:
                    failed.append(error)

        def send():
            try:
                _with_engine(built, opensearch, f"{name}-documents").send_documents()
            except QuerykinError as error:
                failed.append(error)

        sender = threading.Thread(target=send)
        searcher = threading.Thread(target=search)
        searcher.start()
        sender.start()
        _wait_for_writes(connection, f"{name}-documents")
        cluster.kill(1)
        sender.join()
        time.sleep(3)
        done.set()
        searcher.join()
        assert [repr(error) for error in failed] == []
        assert searched[0] > 40
        assert _count(connection, f"{name}-documents") == DOCUMENTS
        cluster.start(1)
        cluster.wait_for(3)
        assert _with_engine(built, opensearch, f"{name}-documents").send_documents() == 0
        _same_rankings(remote.search(asked, 5), expected)
