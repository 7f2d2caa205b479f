"""How the graph of a log is made: queries of enough sessions, their counts, and postings of their stems."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array, make_indptr
from querykin.io.tables import chunks
from querykin.logs.log import Log
from querykin.logs.query_stems import distinct_stems, stem_idf
from querykin.logs.relations import Relation
from querykin.logs.sorted_runs import Columns, RunWriter, merged_counts, positions
from querykin.logs.text_tables import Texts, write_texts
from querykin.storage.array_files import ArrayFile, save
from querykin.text.analyzer import Analyzer

_TABLES = {"clicks": "clicks", "sessions": "co-sessions", "reformulations": "reformulations"}
_BATCH = 20_000  # queries tokenized at once


def write_graph(
    folder: Path, log: Log, relation: Relation, analyzer: Analyzer, min_sessions: int, runs: Path
) -> int:
    """Write the graph of one relation to the folder of a part; returns the number of its queries."""
    keys, sessions = log.sessions_by_query()
    seen = keys[sessions >= min_sessions]
    if relation == "sessions":
        keys, sessions = _asked_in_sessions(log)
        keys, sessions = keys[(known := np.isin(keys, seen))], sessions[known]
        seen = keys
    pages = _clicked_pages(log, seen, min_sessions) if relation == "clicks" else np.zeros(0, np.int64)
    columns = pages if relation == "clicks" else seen

    def edges() -> Iterator[Columns]:
        found = _kept(merged_counts(log.counts(_TABLES[relation])), seen, columns)
        return _both_ways(found, runs) if relation == "sessions" else found

    nodes = seen if relation == "sessions" else _nodes(edges(), with_seconds=relation == "reformulations")
    columns = pages if relation == "clicks" else nodes
    _write_edges(folder, edges(), nodes, columns)
    save(folder, sessions=sessions[np.searchsorted(keys, nodes)])
    write_texts(folder / "pages", log.texts_of("pages", pages))
    _write_queries(folder, log.texts_of("queries", nodes), analyzer)
    return len(nodes)


def _asked_in_sessions(log: Log) -> tuple[Int64Array, Int64Array]:
    """The queries of sessions and the number of sessions of each."""
    none = np.zeros(0, np.int64)
    found = [(none, none), *((keys, counts) for keys, counts in merged_counts(log.counts("sessions")))]
    keys, counts = (np.concatenate(each) for each in zip(*found, strict=True))
    return keys, counts


def _clicked_pages(log: Log, seen: Int64Array, min_sessions: int) -> Int64Array:
    """The pages that enough sessions clicked: an address may be personal, too.

    Where sessions are not given, it is the largest count of a query: one person may ask several.
    """
    keys = largest = np.zeros(0, np.int64)
    for queries, pages, counts in merged_counts(log.counts("clicks")):
        kept = positions(seen, queries) >= 0
        keys, inverse = np.unique(np.concatenate([keys, pages[kept]]), return_inverse=True)
        found = np.zeros(len(keys), np.int64)
        np.maximum.at(found, inverse, np.concatenate([largest, counts[kept]]))
        largest = found
    for pages, counts in merged_counts(log.counts("page-sessions")):
        known = (at := positions(keys, pages)) >= 0
        largest[at[known]] = np.maximum(largest[at[known]], counts[known])
    return keys[largest >= min_sessions]


def _kept(pieces: Iterable[Columns], rows: Int64Array, columns: Int64Array) -> Iterator[Columns]:
    """The counts whose keys are both known."""
    for firsts, seconds, counts in pieces:
        kept = (positions(rows, firsts) >= 0) & (positions(columns, seconds) >= 0)
        yield firsts[kept], seconds[kept], counts[kept]


def _both_ways(pieces: Iterable[Columns], runs: Path) -> Iterator[Columns]:
    """Counts of unordered pairs as counts of ordered ones, by ascending keys."""
    writer = RunWriter(runs / "pairs", 3)
    for firsts, seconds, counts in pieces:
        writer.add(firsts, seconds, counts)
        writer.add(seconds, firsts, counts)
    return writer.merged()


def _nodes(pieces: Iterable[Columns], with_seconds: bool) -> Int64Array:
    """The queries that have a count, ascending."""
    found = np.zeros(0, np.int64)
    for firsts, seconds, _ in pieces:
        found = np.union1d(found, np.concatenate([firsts, seconds]) if with_seconds else firsts)
    return found


def _write_edges(folder: Path, pieces: Iterable[Columns], rows: Int64Array, columns: Int64Array) -> None:
    features, counts = (
        ArrayFile(folder / "features.npy", np.int32),
        ArrayFile(folder / "counts.npy", np.int64),
    )
    sizes, feature_rows = np.zeros(len(rows), np.int64), np.zeros(len(columns), np.int64)
    for firsts, seconds, found in pieces:
        at = np.searchsorted(columns, seconds)
        sizes += np.bincount(np.searchsorted(rows, firsts), minlength=len(rows))
        feature_rows += np.bincount(at, minlength=len(columns))
        features.append(at)
        counts.append(found)
    features.close()
    counts.close()
    save(folder, indptr=make_indptr(sizes), feature_rows=feature_rows)


def _write_queries(folder: Path, pieces: Iterable[Texts], analyzer: Analyzer) -> None:
    """The texts of queries in the order of their ids, and for each stem the queries that have it."""
    hashes, queries = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]

    def with_stems() -> Iterator[Texts]:
        count = 0
        for piece in pieces:
            for texts in chunks(piece.decoded(), _BATCH):
                indptr, stems = distinct_stems(texts, analyzer)
                hashes.append(stems)
                queries.append(np.repeat(np.arange(len(texts)) + count, np.diff(indptr)))
                count += len(texts)
            yield piece

    count = write_texts(folder / "queries", with_stems())
    _write_stems(folder, np.concatenate(hashes), np.concatenate(queries), count)


def _write_stems(folder: Path, hashes: Int64Array, queries: Int64Array, count: int) -> None:
    order = np.argsort(hashes, kind="stable")
    stems, inverse, sizes = np.unique(hashes, return_inverse=True, return_counts=True)
    squares = stem_idf(sizes, count)[inverse] ** 2
    save(
        folder,
        stems=stems,
        stem_indptr=make_indptr(sizes),
        stem_queries=queries[order].astype(np.int32),
        norms=np.sqrt(np.bincount(queries, squares, count)),
    )
