"""OpenSearch beside the packed index and the embedded engine: bytes, processor time, exactness.

One node of 512 MB heap on this machine, one shard, no replica; it needs Java 17 and Maven. Processor time of the server is
that of its process, measured after as many searches to warm it up.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from tempfile import TemporaryDirectory

import numpy as np
from reproduce import data
from tests.cluster.servers.opensearch import OpenSearchCluster

from bench import workload
from bench.result import Result
from querykin import Document, Settings, Workspace
from querykin.io.documents import read_documents
from querykin.opensearch.connection import Connection
from querykin.opensearch.settings import OpenSearchSettings
from querykin.retrieval.candidate_settings import CandidateSettings
from querykin.retrieval.published_retriever import PublishedRetriever
from querykin.retrieval.retrievers import IndexRetriever
from querykin.search.engine import CorpusEngine
from querykin.search.engine_settings import EngineSettings
from querykin.search.query_parser import parse_queries

MEASURE, K, DEPTH = "web-kernel", 10, 30
SEARCHES = 600
MADE_UP_DOCUMENTS = 5_000
DELETION = 40  # seconds until merged segments are deleted


def run() -> Result:
    """Rows of mined queries as candidates, and documents, in OpenSearch and here."""
    opened = _workspace()
    with TemporaryDirectory() as folder, OpenSearchCluster(folder, nodes=1) as cluster:
        address = OpenSearchSettings(hosts=tuple(cluster.urls), shards=1, replicas=0)
        rows, figures = _candidates(opened, address, cluster.processor_seconds)
        more_rows, more_figures = _documents(opened, address, cluster.processor_seconds)
    text = (
        f"{len(opened.corpus):,} documents, {len(opened.repository):,} mined queries; OpenSearch: one node, one shard, no "
        f"replica. Processor time is that of {SEARCHES} searches, of the server and of the client."
    )
    return Result(
        "opensearch",
        "OpenSearch",
        text,
        ["", "OpenSearch", "querykin"],
        [*rows, *more_rows],
        figures | more_figures,
    )


def _workspace() -> Workspace:
    """The smaller of the shared corpora with mined queries, built once."""
    opened = Workspace.open(workload.folder() / "mined")
    if not len(opened.corpus):
        opened.corpus.add(_corpus())
        opened = opened.reopen()
        opened.mine()
        opened = opened.reopen()
    opened.build(MEASURE)
    return opened.reopen()


def _corpus() -> Iterator[Document]:
    if workload.real():
        return read_documents([data.corpus_file("enwiki-core")], print)
    return islice(workload.corpus().corpus.documents(), MADE_UP_DOCUMENTS)


Processor = Callable[[], float]  # seconds of the server until now


def _candidates(
    opened: Workspace, address: OpenSearchSettings, processor: Processor
) -> tuple[list[list[str]], dict[str, float]]:
    settings = replace(opened.settings, candidates=CandidateSettings(kind="opensearch"), opensearch=address)
    publisher = Workspace.open(opened.path, settings)
    used, start = processor(), time.perf_counter()
    published = publisher.publish(MEASURE)
    publish_cpu, publish_seconds = processor() - used, time.perf_counter() - start
    local, remote = opened.retriever(MEASURE), publisher.retriever(MEASURE)
    assert isinstance(local, IndexRetriever)
    assert isinstance(remote, PublishedRetriever)
    ids = np.random.default_rng(20).choice(opened.repository.live_ids(), 2 * SEARCHES, replace=False)
    encoded = local.encode(opened.repository.queries(ids))
    encoded = encoded.take(np.flatnonzero(encoded.covered))
    warm, rows = (
        encoded.take(np.arange(SEARCHES)),
        encoded.take(np.arange(len(encoded) - SEARCHES, len(encoded))),
    )
    remote.published.search(warm, K)
    local.search_rows(warm, K, -np.inf, 1)
    used, client = processor(), time.process_time()
    found = remote.published.search(rows, K)
    server_ms, client_ms = _ms(processor() - used), _ms(time.process_time() - client)
    own = time.process_time()
    expected = local.search_rows(rows, K, -np.inf, 1)
    own_ms = _ms(time.process_time() - own)
    kept, wanted, error = 0, 0, 0.0
    for number, (candidates, ranking) in enumerate(zip(found, expected, strict=True)):
        row = rows.take(np.array([number]))
        kept += len(np.intersect1d(candidates.query_ids, ranking.query_ids))
        wanted += len(ranking.query_ids)
        difference = remote.remote_scores(row, candidates) - local.row_scores(row, candidates.query_ids)
        error = max(error, float(np.abs(difference).max(initial=0)))
    size, merged = (each / published for each in _bytes(address, remote.published.state.index))
    index = opened.index(MEASURE)
    own_size = index.bytes / sum(map(len, index.segments))
    table = [
        ["bytes of a row", f"{size:,.0f}", f"{own_size:,.0f}"],
        ["bytes of a row, after `_forcemerge`", f"{merged:,.0f}", "-"],
        [f"the {K} nearest rows: server, ms of processor time", f"{server_ms:.1f}", f"{own_ms:.2f}"],
        [f"the {K} nearest rows: client, ms of processor time", f"{client_ms:.1f}", "-"],
        [f"of the {K} nearest rows found", f"{kept:,} of {wanted:,}", f"{wanted:,}"],
        ["largest difference of a score", f"{error:.1e}", "0"],
        ["publication: rows a second of the server's processor", f"{published / publish_cpu:,.0f}", "-"],
        ["publication: rows a second", f"{published / publish_seconds:,.0f}", "-"],
    ]
    figures = {
        "row bytes": size,
        "candidates server ms": server_ms,
        "candidates own ms": own_ms,
        "error": error,
    }
    return table, figures | {"recall": kept / wanted}


def _documents(
    opened: Workspace, address: OpenSearchSettings, processor: Processor
) -> tuple[list[list[str]], dict[str, float]]:
    remote = Workspace.open(
        opened.path, Settings(engine=EngineSettings(kind="opensearch"), opensearch=address)
    )
    used = processor()
    sent = remote.send_documents()
    send_cpu = processor() - used
    ids = np.random.default_rng(21).choice(opened.repository.live_ids(), 2 * SEARCHES, replace=False)
    queries = parse_queries(opened.repository.queries(ids), opened.corpus)
    warm, measured = queries.take(range(SEARCHES)), queries.take(range(SEARCHES, 2 * SEARCHES))
    engine, own_engine = remote.expander.engine, opened.expander.engine
    assert isinstance(engine, CorpusEngine)
    assert isinstance(own_engine, CorpusEngine)
    engine.search_documents(warm, DEPTH)
    own_engine.search_documents(warm, DEPTH)
    used, client = processor(), time.process_time()
    found = engine.search_documents(measured, DEPTH)
    server_ms, client_ms = _ms(processor() - used), _ms(time.process_time() - client)
    own = time.process_time()
    expected = own_engine.search_documents(measured, DEPTH)
    own_ms = _ms(time.process_time() - own)
    shared = sum(
        len(np.intersect1d(found.of(number).documents, expected.of(number).documents))
        for number in range(SEARCHES)
    )
    overlap = shared / len(expected.documents)
    tokens = opened.corpus.statistics.tokens
    size, merged = _bytes(address, remote.settings.engine.index)
    engines = [segment.folder / "engine" for segment in opened.corpus.segments]
    own_size = sum(file.stat().st_size for folder in engines for file in folder.iterdir())
    table = [
        ["documents: bytes a word", f"{size / tokens:.2f}", f"{own_size / tokens:.2f}"],
        ["documents: bytes a word, after `_forcemerge`", f"{merged / tokens:.2f}", "-"],
        [f"the {DEPTH} best documents: server, ms of processor time", f"{server_ms:.1f}", f"{own_ms:.2f}"],
        [f"the {DEPTH} best documents: client, ms of processor time", f"{client_ms:.1f}", "-"],
        [f"overlap of the {DEPTH} best documents", f"{overlap:.4f}", "1"],
        ["documents indexed a second of the server's processor", f"{sent / send_cpu:,.0f}", "-"],
    ]
    return table, {"documents server ms": server_ms, "documents own ms": own_ms, "overlap": overlap}


def _ms(seconds: float) -> float:
    return 1000 * seconds / SEARCHES


def _bytes(address: OpenSearchSettings, index: str) -> list[int]:
    """The size of an index once its segments are on disk, and once they are merged and the old ones deleted."""
    connection, sizes = Connection(address), []
    for step, wait in (("_flush", 0), ("_forcemerge?max_num_segments=1", DELETION)):
        connection.request("POST", f"/{index}/{step}")
        connection.refresh(index)
        connection.request("POST", f"/{index}/_flush?force=true")
        time.sleep(wait)
        connection.request("POST", f"/{index}/_flush?force=true")
        stats = connection.request("GET", f"/{index}/_stats/store")
        sizes.append(int(stats["_all"]["primaries"]["store"]["size_in_bytes"]))
    return sizes
