"""An index of the repository's rows under one measure: exact search over segments on disk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray
from typing_extensions import TypedDict

from querykin.compute.arrays import BoolArray, Float64Array, Int8Array, Int32Array, Int64Array
from querykin.compute.threads import thread_map
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.errors import WorkspaceError
from querykin.index.block_max_index import BlockMaxIndex
from querykin.index.length_penalties import LengthPenalties, length_penalties_of
from querykin.index.posting_lists import PostingLists
from querykin.index.quantized_matrix import QuantizedMatrix
from querykin.index.ranking import Ranking, best
from querykin.index.segment import IndexSegment, query_ids_of
from querykin.measures.vector_measure import VectorMeasure
from querykin.querylog.repository import Repository
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.store import Files, Manifest, Store
from querykin.vectors import Vectors, concatenate

VERSION = 6  # of what segments hold
LIVE_MASKS = 8  # cached masks of live rows: one for each minimum count in use


class OtherSpace(WorkspaceError, ValueError):
    """Rows of another space than those of the index are not comparable with them."""


@dataclass(frozen=True)
class Build:
    """Rows of one measure, under one pinned version of the statistics and one version of the corpus."""

    index_settings: str  # everything the rows depend on
    statistics_version: str  # of the statistics that weight the rows
    statistics: str  # the part that holds these statistics
    space: str  # of the rows
    source_ids: str  # the ids of the corpus and the repository
    corpus_version: str  # the statistics version of the corpus at the time of the build
    next_doc_id: int  # documents from here on are newer than the build
    vocabulary_size: int  # words from here on are newer than the build
    truncation_error: float  # the largest share of a row's squared norm that truncation dropped
    segments: list[str] = field(default_factory=list)
    version: int = VERSION

    def parts(self) -> list[str]:
        """The parts of the store that this build needs."""
        return [self.statistics, *self.segments]


class _BuildMetadata(TypedDict):
    """A build as the manifest has it."""

    index_settings: str
    statistics_version: str
    statistics: str
    space: str
    source_ids: str
    corpus_version: str
    next_doc_id: Number
    vocabulary_size: Number
    truncation_error: float
    segments: list[str]
    version: int


class Index:
    """The rows of a repository under one measure, searched exactly.

    `committed` is what readers use; `in_progress` is the finished part of an interrupted build. With `only`,
    a range of query ids, the other rows do not count, and segments without a row of the range stay closed;
    what is derived from the whole index (its statistics, its settings) stays that of the whole.
    """

    def __init__(self, path: Path, only: range | None = None) -> None:
        self.store, self._only = Store(path, "index"), only
        self._live_lock = Lock()
        self.refresh()

    def refresh(self) -> None:
        """Read what is on disk now."""
        self._stamp = self.store.stamp()
        self._penalty_cache: dict[str, list[LengthPenalties | None]] = {}
        self._live_cache: LRUCache[tuple[str, int, int], list[BoolArray]] = LRUCache(LIVE_MASKS)
        self.store.read(self._load)

    def is_outdated(self) -> bool:
        """Whether the manifest on disk was replaced since it was read."""
        return self.store.stamp() != self._stamp

    def _load(self, manifest: Manifest) -> None:
        self.generation = manifest.generation
        self.committed = self._build(manifest.metadata.get("committed"))
        self.in_progress = self._build(manifest.metadata.get("in_progress"))
        self._names = self._wanted(self.committed.segments if self.committed else [])
        self.segments = [IndexSegment(self.store.part(name)) for name in self._names]
        self._newest = [
            newest & _inside(segment.query_ids, self._only)
            for segment, newest in zip(self.segments, newest_rows(self.segments), strict=True)
        ]
        self.statistics = Statistics.empty()  # the pinned version that weights the rows
        if self.committed:
            self.statistics = Statistics.open(self.store.part(self.committed.statistics))
            self.statistics.version = self.committed.statistics_version

    def _wanted(self, names: list[str]) -> list[str]:
        """The segments that hold a row of the range."""
        if self._only is None:
            return names
        folders = {name: self.store.part(name) for name in names}
        return [name for name, folder in folders.items() if _inside(query_ids_of(folder), self._only).any()]

    def ids(self, repository: Repository) -> range:
        """The ids of the queries that may have a row: all of the repository, or those of the range."""
        return range(len(repository.counts)) if self._only is None else self._only

    def _build(self, metadata: Any) -> Build | None:
        """A build of another version counts as missing: everything in an index can be rebuilt."""
        if not metadata or (isinstance(metadata, dict) and metadata.get("version") != VERSION):
            return None
        build = Build(**check_metadata(self.store, metadata, _BuildMetadata))
        # Dense rows of querykin 0.1 are in single precision, under the same version.
        outdated = any((self.store.part(name) / "matrix.npy").exists() for name in build.segments)
        return None if outdated else build

    @property
    def terms(self) -> float:
        """The mean number of terms in a row."""
        rows = sum(len(segment) for segment in self.segments)
        return sum(segment.rows.entries for segment in self.segments) / max(1, rows)

    @property
    def bytes(self) -> int:
        """The size of the open segments on disk."""
        files = (file for name in self._names for file in self.store.part(name).iterdir())
        return sum(file.stat().st_size for file in files)

    @property
    def truncation_error(self) -> float:
        """The largest share of a row's squared norm that truncation dropped; 0: rows are whole."""
        return self.committed.truncation_error if self.committed else 0.0

    def missing(self, repository: Repository) -> Int64Array:
        """The queries of the repository that have no row."""
        missing = (repository.counts > 0) & _inside(np.arange(len(repository.counts)), self._only)
        for segment in self.segments:
            missing[segment.query_ids[segment.query_ids < len(missing)]] = False
        return np.flatnonzero(missing)

    def is_stale(self, repository: Repository, corpus: Corpus) -> bool:
        """Whether queries or documents were added or removed since the last build."""
        if self.committed is None or self.committed.corpus_version != corpus.statistics.version:
            return True
        return len(self.missing(repository)) > 0

    def live_rows(self, repository: Repository, min_count: int = 1) -> list[BoolArray]:
        """For each segment the rows that may be returned; cached until the repository changes."""
        key = repository.store_id, repository.generation, max(1, min_count)
        with self._live_lock:
            if key not in self._live_cache:
                self._live_cache[key] = [
                    newest & in_repository(segment, repository, min_count)
                    for segment, newest in zip(self.segments, self._newest, strict=True)
                ]
            return self._live_cache[key]

    def search(
        self,
        measure: VectorMeasure,
        queries: Vectors,
        k: int,
        repository: Repository,
        live: Sequence[BoolArray],
        min_score: float = -np.inf,
    ) -> list[Ranking]:
        """For each row of `queries` the k nearest queries that score `min_score` or more, on all cores."""
        self._check_space(queries)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        tf_scaling, query_stats = _tf_scaling(measure, queries.features), measure.query_stats(queries)
        penalties = self._penalties(measure)

        def nearest(row: int) -> Ranking:
            features, weights = queries.row(row)
            if not len(features):
                return Ranking.none(covered=False)
            scaling = tf_scaling[queries.indptr[row] : queries.indptr[row + 1]]
            query = QueryRow(features, weights, scaling, query_stats[row])
            found = [
                _search_segment(segment, measure, penalty, query, k, mask, min_score)
                for segment, penalty, mask in zip(self.segments, penalties, live, strict=True)
            ]
            return best(found, k, repository, min_score)

        return thread_map(nearest, range(len(queries)))

    def _penalties(self, measure: VectorMeasure) -> list[LengthPenalties | None]:
        """The length penalties of each segment's rows, computed once for each measure."""
        name = repr(measure)
        if name not in self._penalty_cache:
            each = (measure.length_penalties(segment.candidate_stats) for segment in self.segments)
            self._penalty_cache[name] = [
                None if penalties is None else length_penalties_of(penalties) for penalties in each
            ]
        return self._penalty_cache[name]

    def scores(
        self, measure: VectorMeasure, query: Vectors, query_ids: Int64Array, repository: Repository
    ) -> Float64Array:
        """The scores of one row with queries of the repository; NaN or 0 for those without a row."""
        self._check_space(query)
        found = np.full(len(query_ids), 0.0 if measure.always_scores else np.nan)
        features, weights = query.row(0)
        if not len(features) or not len(query_ids):
            return found
        tf_scaling, query_stats = _tf_scaling(measure, features), measure.query_stats(query)[0]
        for segment, live in zip(self.segments, self.live_rows(repository), strict=True):
            indexed, rows = segment.find(query_ids, live & segment.filled)
            values = segment.rows.dot_rows(features, weights, tf_scaling, rows)
            found[indexed] = measure.score_from_dot(values, query_stats, segment.candidate_stats[rows])
        return found

    def dense_positions(self, repository: Repository, ids: range) -> list[tuple[Int32Array, Int32Array]]:
        """For each segment the dense rows that have a query among `ids`, and the position of each there."""
        found = []
        for segment, live in zip(self.segments, self.live_rows(repository), strict=True):
            rows = np.flatnonzero(live & segment.filled & _inside(segment.query_ids, ids))
            positions = segment.query_ids[rows] - ids.start
            found.append((rows.astype(np.int32), positions.astype(np.int32)))
        return found

    def add_weighted(
        self,
        query: Vectors,
        positions: Sequence[tuple[Int32Array, Int32Array]],
        query_weight: float,
        weights: Float64Array,
        sums: Float64Array,
    ) -> None:
        """Add the inner products of one row with dense rows to `sums`, times the mean of both weights.

        `positions` are those of `dense_positions`.
        """
        self._check_space(query)
        features, row_weights = query.row(0)
        if not len(features):
            return
        for segment, (rows, places) in zip(self.segments, positions, strict=True):
            assert isinstance(segment.rows, QuantizedMatrix)
            segment.rows.add_weighted((features, row_weights), rows, places, query_weight, weights, sums)

    def dense_rows(self, query_ids: Int64Array, repository: Repository) -> Float64Array:
        """The rows of queries of the repository in a dense matrix; zeros for those without one."""
        levels, scales = self.quantized_rows(query_ids, repository)
        return levels * scales.astype(np.float64)[:, None]

    def quantized_rows(
        self, query_ids: Int64Array, repository: Repository
    ) -> tuple[Int8Array, NDArray[np.float32]]:
        """The levels and scales of the dense rows of queries of the repository; 0 for those without one."""
        matrices = [each.rows for each in self.segments if isinstance(each.rows, QuantizedMatrix)]
        levels = np.zeros((len(query_ids), self.columns), np.int8)
        scales = np.zeros(len(query_ids), np.float32)
        for segment, matrix, live in zip(self.segments, matrices, self.live_rows(repository), strict=True):
            indexed, rows = segment.find(query_ids, live)
            levels[indexed, : matrix.columns], scales[indexed] = matrix.levels[rows], matrix.scales[rows]
        return levels, scales

    @property
    def columns(self) -> int:
        """The number of columns of dense rows."""
        rows = (segment.rows for segment in self.segments)
        return max((each.columns for each in rows if isinstance(each, QuantizedMatrix)), default=0)

    def filled_queries(self, repository: Repository, min_count: int = 1) -> BoolArray:
        """Which queries of `ids` have a row that is not empty and may be returned."""
        ids = self.ids(repository)
        filled = np.zeros(len(ids), np.bool_)
        for segment, live in zip(self.segments, self.live_rows(repository, min_count), strict=True):
            filled[segment.query_ids[live & segment.filled] - ids.start] = True
        return filled

    def find_rows(self, query_ids: Int64Array, repository: Repository) -> tuple[Int64Array, Vectors]:
        """Which of these queries have a row, and their rows; not for posting lists, which scatter them."""
        none, space = np.zeros(0, np.int64), self.committed.space if self.committed else ""
        numbers, parts = [none], [Vectors(np.zeros(1, np.int64), none, np.zeros(0), space)]
        for segment, live in zip(self.segments, self.live_rows(repository), strict=True):
            assert not isinstance(segment.rows, PostingLists)
            indexed, rows = segment.find(query_ids, live)
            numbers.append(indexed)
            parts.append(segment.rows.vectors(rows, space))
        return np.concatenate(numbers), concatenate(parts)

    def _check_space(self, queries: Vectors) -> None:
        if self.committed and queries.space != self.committed.space:
            raise OtherSpace(
                f"vectors of {queries.space!r}, but the index holds {self.committed.space!r}; "
                "next: querykin build --rebuild"
            )

    def commit(
        self, committed: Build | None, in_progress: Build | None, sealed: Mapping[str, Files] | None = None
    ) -> None:
        """Make these builds the content of the index, in one step; `sealed` as in `Store.commit`."""
        metadata: dict[str, Any] = {
            "committed": committed and vars(committed),
            "in_progress": in_progress and vars(in_progress),
        }
        parts = {part for build in (committed, in_progress) if build for part in build.parts()}
        self.store.commit(metadata, sorted(parts), sealed)


class QueryRow(NamedTuple):
    """One encoded query: its features and weights, and what the measure knows of them."""

    features: Int64Array
    weights: Float64Array
    tf_scaling: Float64Array
    stats: Float64Array


def _tf_scaling(measure: VectorMeasure, features: Int64Array) -> Float64Array:
    """The scaling of each feature; 0 for none."""
    scaling = measure.tf_scaling(features)
    return np.zeros(len(features)) if scaling is None else scaling


def _search_segment(
    segment: IndexSegment,
    measure: VectorMeasure,
    penalties: LengthPenalties | None,
    query: QueryRow,
    k: int,
    live: BoolArray,
    min_score: float,
) -> tuple[Int64Array, Float64Array]:
    """The best rows of one segment with their scores: k of them, and all that tie with the last.

    Rows far below `min_score` are left out.
    """
    features, weights, tf_scaling, stats = query
    rows: Int64Array
    if isinstance(segment.rows, BlockMaxIndex) or (measure.kernel and isinstance(segment.rows, PostingLists)):
        rows, dots = segment.rows.top(features, weights, live, k, min_score)
        scores = measure.score_from_dot(dots, stats, segment.candidate_stats[rows])
    elif penalties is not None and isinstance(segment.rows, PostingLists):
        limit = min_score - stats[0]
        rows, dots = segment.rows.top_penalized(
            features, weights, tf_scaling, penalties, stats[1], live, k, limit
        )
        scores = dots + stats[0]
    else:
        rows, scores = _score_all(segment, segment.rows, measure, query, live)
        rows, scores = rows[scores >= min_score], scores[scores >= min_score]
        if len(rows) > k:
            enough = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
            rows, scores = rows[enough], scores[enough]
    return segment.query_ids[rows].astype(np.int64), scores


def _score_all(
    segment: IndexSegment,
    vectors: PostingLists | QuantizedMatrix,
    measure: VectorMeasure,
    query: QueryRow,
    live: BoolArray,
) -> tuple[Int64Array, Float64Array]:
    """The scores of all live rows that have one."""
    dots = vectors.dot_all(query.features, query.weights, query.tf_scaling, len(segment))
    candidates = segment.candidate_stats > 0 if measure.scores_all_rows else dots != 0
    rows = np.flatnonzero(live & candidates)
    scores = measure.score_from_dot(dots[rows], query.stats, segment.candidate_stats[rows])
    if not measure.scores_all_rows:
        rows, scores = rows[scores > 0], scores[scores > 0]
    return rows, scores


def _inside(query_ids: NDArray[np.integer], only: range | None) -> BoolArray:
    """Which queries belong to a range; all if there is none."""
    if only is None:
        return np.ones(len(query_ids), np.bool_)
    return (query_ids >= only.start) & (query_ids < only.stop)


def newest_rows(segments: Sequence[IndexSegment]) -> list[BoolArray]:
    """For each segment the rows that no later segment replaces."""
    size = 1 + max((int(segment.query_ids.max(initial=-1)) for segment in segments), default=-1)
    later = np.zeros(size, np.bool_)
    masks = []
    for segment in reversed(segments):
        masks.append(~later[segment.query_ids])
        later[segment.query_ids] = True
    return masks[::-1]


def in_repository(segment: IndexSegment, repository: Repository, min_count: int = 1) -> BoolArray:
    """Which rows belong to queries of the repository with at least this count.

    The index may be newer than the snapshot of the repository; queries unknown to the snapshot are left out.
    """
    enough = np.append(repository.counts >= max(1, min_count), False)
    return enough.take(segment.query_ids, mode="clip")
