"""Graphs of logged queries: what they were clicked, asked or followed with, and how to find them by words.

A graph holds the queries of enough sessions only, and nothing of the others. It is derived from the log by a
build, and stays as it is until the next one.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from typing_extensions import TypedDict

from querykin.compute.arrays import Float64Array, Int64Array, gather_indices, make_indptr
from querykin.errors import WorkspaceError
from querykin.logs.graph_building import write_graph
from querykin.logs.log import Log
from querykin.logs.nearest_queries import StemPostings, nearest_queries
from querykin.logs.query_stems import distinct_stems, stem_idf
from querykin.logs.relations import KIND, Relation
from querykin.logs.sorted_runs import positions
from querykin.querylog.counted_queries import query_key
from querykin.querylog.query_texts import QueryTexts
from querykin.storage.array_files import at_least, load, load_ascending, load_offsets, map_array, within
from querykin.storage.content_hash import content_hash
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.store import Manifest, Store
from querykin.text.analyzer import Analyzer
from querykin.text.normalization import normalize_query
from querykin.vectors import Vectors

_POWER = 4.0  # of similarities, as in the weights of a web kernel's results


class _Metadata(TypedDict):
    """The metadata of the store."""

    part: str
    log: str  # the state that it was derived from
    min_sessions: Number
    sessions: Number
    analyzer: str


class LogGraph:
    """Logged queries with counts of pages, or of other logged queries; on disk."""

    def __init__(self, path: Path, relation: Relation) -> None:
        self.relation = relation
        self._store = Store(path, KIND)
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        self._metadata = (
            check_metadata(self._store, manifest.metadata, _Metadata) if manifest.metadata else None
        )
        if self._metadata is None:
            return
        # Of what it is made of, not of the files: made again after damage it is the same.
        made_of = (self._metadata["log"], self._metadata["min_sessions"], self._metadata["analyzer"])
        self.version = f"{content_hash(repr(made_of).encode()):016x}"
        part = self._store.part(self._metadata["part"])
        self.keys: Int64Array = load_ascending(part / "queries", "keys", np.int64)
        size = len(self.keys)
        self.total_sessions = self._metadata["sessions"]
        asked = within(1, self.total_sessions + 1) if self.relation == "sessions" else at_least(1)
        self.sessions: Int64Array = load(part, "sessions", asked, size, np.int64)
        self._texts = QueryTexts.open(part / "queries", size)
        pages = len(map_array(part / "pages", "keys", types=np.int64))
        self._pages = QueryTexts.open(part / "pages", pages)
        self.width = pages if self.relation == "clicks" else size
        self._features = map_array(part, "features", within(0, self.width), types=np.int32)
        self._counts = map_array(part, "counts", at_least(1), len(self._features), np.int64)
        self._indptr: Int64Array = load_offsets(part, "indptr", len(self._features), size)
        self.feature_rows: Int64Array = load(part, "feature_rows", at_least(0), self.width, np.int64)
        hashes = load_ascending(part, "stems", np.int64)
        queries = load(part, "stem_queries", within(0, size), types=np.int32)
        indptr = load_offsets(part, "stem_indptr", len(queries), len(hashes))
        self._postings = StemPostings(
            hashes, indptr, queries, load(part, "norms", at_least(0), size, np.float64)
        )

    def is_current(self, analyzer: Analyzer, min_sessions: int) -> bool:
        """Whether it was derived from some state of a log under these settings."""
        known = self._metadata
        return known is not None and (known["analyzer"], known["min_sessions"]) == (
            analyzer.space(True),
            min_sessions,
        )

    def is_of(self, log: Log) -> bool:
        """Whether it was derived from this very state of the log."""
        return self._metadata is not None and self._metadata["log"] == log.state

    def update(self, log: Log, analyzer: Analyzer, min_sessions: int) -> None:
        """Derive it from the log again."""
        with self._store.writing():
            part, runs = self._store.new_part("graph"), self._store.new_part("runs")
            folder = self._store.part(part)
            if not write_graph(folder, log, self.relation, analyzer, min_sessions, self._store.part(runs)):
                self._forget()
                raise WorkspaceError(
                    f"the log has no {self.relation} of queries that at least {min_sessions} sessions asked; "
                    "next: querykin log add FILE"
                )
            self._store.discard(runs)
            metadata = _Metadata(
                part=part,
                log=log.state,
                min_sessions=min_sessions,
                sessions=log.sessions,
                analyzer=analyzer.space(True),
            )
            self._store.commit({**metadata}, [part])
        self._store.read(self._load)

    def clear(self) -> None:
        """Delete the graph, if it was derived: nothing may be answered from removed data."""
        if self._metadata is not None:
            with self._store.writing():
                self._forget()

    def _forget(self) -> None:
        self._store.commit({}, [])
        self._metadata = None

    def __len__(self) -> int:
        return len(self.keys)

    def queries(self, ids: Int64Array) -> list[str]:
        """Logged queries by their ids."""
        return self._texts.decoded(ids)

    def labels(self, features: Int64Array) -> list[str]:
        """The pages or queries that features stand for."""
        return (self._pages if self.relation == "clicks" else self._texts).decoded(features)

    def ids_of(self, texts: Sequence[str]) -> Int64Array:
        """The ids of texts among the logged queries, -1 for one that is not."""
        sought = np.array([query_key(normalize_query(text)) for text in texts], np.int64)
        return positions(self.keys, sought)

    def rows(self, ids: Int64Array) -> Vectors:
        """The counts of logged queries by page or other query."""
        begins, ends = self._indptr[ids], self._indptr[ids + 1]
        indptr = make_indptr(ends - begins)
        taken = gather_indices(begins, indptr)
        features = self._features.covering(begins, ends)[taken].astype(np.int64)
        return Vectors(indptr, features, self._counts.covering(begins, ends)[taken].astype(np.float64), "")

    def anchors(
        self,
        texts: Sequence[str],
        analyzer: Analyzer,
        smoothing: float,
        neighbors: int,
        min_similarity: float,
    ) -> Vectors:
        """Each text as a mixture of logged queries; weights sum to 1, a text without any is an empty row.

        A query of n sessions is itself with the weight n / (n + smoothing), the rest are the nearest other
        queries by its words: Dirichlet smoothing. A text that is not in the log is these queries only.
        """
        own = self.ids_of(texts)
        indptr, near, similarities = self._nearest(texts, own, analyzer, neighbors, min_similarity)
        owners = np.repeat(np.arange(len(texts)), np.diff(indptr))
        weights = similarities**_POWER
        totals = np.bincount(owners, weights, len(texts))
        logged = own >= 0
        asked = np.zeros(len(texts))
        asked[logged] = self.sessions[own[logged]]
        mass = np.where(totals > 0, asked / (asked + smoothing) if smoothing else np.sign(asked), 1.0)
        weights = weights / totals[owners] * (1 - mass)[owners]
        rows = np.concatenate([owners, np.flatnonzero(logged)])
        ids, weights = np.concatenate([near, own[logged]]), np.concatenate([weights, mass[logged]])
        order = np.lexsort((ids, rows))
        kept = order[weights[order] > 0]
        return Vectors(
            make_indptr(np.bincount(rows[kept], minlength=len(texts))), ids[kept], weights[kept], ""
        )

    def _nearest(
        self,
        texts: Sequence[str],
        own: Int64Array,
        analyzer: Analyzer,
        neighbors: int,
        min_similarity: float,
    ) -> tuple[Int64Array, Int64Array, Float64Array]:
        indptr, hashes = distinct_stems(texts, analyzer)
        stems = positions(self._postings.hashes, hashes)
        frequencies = np.where(stems >= 0, np.append(np.diff(self._postings.indptr), 0)[stems], 0)
        weights = stem_idf(frequencies, len(self))
        return nearest_queries(indptr, stems, weights, own, self._postings, neighbors, min_similarity)
