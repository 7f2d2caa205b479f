"""The rows of a repository on disk, searched exactly."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.compute.threads import thread_map
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.index.block_max_index import BlockMaxIndex
from querykin.index.length_penalties import LengthPenalties, length_penalties_of
from querykin.index.posting_lists import PostingLists
from querykin.index.ranking import Ranking, best
from querykin.index.segment import IndexSegment
from querykin.measures.base import VectorMeasure
from querykin.querylog.repository import Repository
from querykin.storage.store import Manifest, Store
from querykin.vectors import Vectors

VERSION = 6  # of what segments hold


@dataclass(frozen=True)
class Build:
    """Rows that belong together: one measure, one frozen table of statistics, one state of the corpus."""

    index_settings: str  # with all parameters that the rows depend on
    statistics_version: str  # the corpus's name for the statistics
    statistics: str  # the part that holds them, frozen
    space: str  # of the rows
    source_ids: str  # the corpus and the repository that they come from
    corpus_version: str  # of the corpus then: its epoch of that day
    next_doc_id: int  # documents from here on were not yet there
    vocabulary_size: int  # words of the vocabulary from here on were not yet known
    truncation_error: float  # the most that truncation may have taken from a row's squared length
    segments: list[str] = field(default_factory=list)
    version: int = VERSION

    def parts(self) -> list[str]:
        """The parts of the store that this build needs."""
        return [self.statistics, *self.segments]


class Index:
    """The nearest queries of a repository under one measure.

    `committed` is what readers use; `in_progress` is finished work of a build that has not come to its end.
    """

    def __init__(self, path: Path) -> None:
        self.store = Store(path, "index")
        self._known_penalties: dict[str, list[LengthPenalties | None]] = {}
        self._live: tuple[tuple[str, int, int], list[BoolArray]] | None = None
        self.store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        self.generation = manifest.generation
        self.committed = _build(manifest.metadata.get("committed"))
        self.in_progress = _build(manifest.metadata.get("in_progress"))
        names = self.committed.segments if self.committed else []
        self.segments = [IndexSegment(self.store.part(name)) for name in names]
        self.statistics = Statistics.empty()  # the frozen table that weighs the rows
        if self.committed:
            self.statistics = Statistics.open(self.store.part(self.committed.statistics))
            self.statistics.version = self.committed.statistics_version

    @property
    def terms(self) -> float:
        """How many terms a row holds on average."""
        rows = sum(len(segment) for segment in self.segments)
        return sum(segment.rows.entries for segment in self.segments) / max(1, rows)

    @property
    def bytes(self) -> int:
        """How much room the rows take on disk."""
        names = self.committed.segments if self.committed else []
        files = (file for name in names for file in self.store.part(name).iterdir())
        return sum(file.stat().st_size for file in files)

    @property
    def truncation_error(self) -> float:
        """The most that was cut off a row, as a share of its squared length; 0 where rows are whole."""
        return self.committed.truncation_error if self.committed else 0.0

    def missing(self, repository: Repository) -> Int64Array:
        """The queries of the repository that have no row."""
        lacking = repository.counts > 0
        for segment in self.segments:
            lacking[segment.query_ids[segment.query_ids < len(lacking)]] = False
        return np.flatnonzero(lacking)

    def behind(self, repository: Repository, corpus: Corpus) -> bool:
        """Whether queries or documents have come or gone since the last build."""
        if self.committed is None or self.committed.corpus_version != corpus.statistics.version:
            return True
        return len(self.missing(repository)) > 0

    @cached_property
    def _newest(self) -> list[BoolArray]:
        return newest_rows(self.segments)

    def live(self, repository: Repository, min_count: int = 1) -> list[BoolArray]:
        """For each segment the rows that may be found; kept until the repository changes."""
        asked = repository.store_id, repository.generation, min_count
        if self._live is None or self._live[0] != asked:
            masks = [
                newest & in_repository(segment, repository, min_count)
                for segment, newest in zip(self.segments, self._newest, strict=True)
            ]
            self._live = asked, masks
        return self._live[1]

    def search(
        self,
        measure: VectorMeasure,
        queries: Vectors,
        k: int,
        repository: Repository,
        live: Sequence[BoolArray],
        min_score: float = -np.inf,
    ) -> list[Ranking]:
        """For each row of `queries` the k nearest queries that score `minimum` or more, on all cores."""
        self._check_space(queries)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        tf_scaling = measure.tf_scaling(queries.features)
        query_stats = measure.query_stats(queries)

        def nearest(row: int) -> Ranking:
            features, weights = queries.row(row)
            if not len(features):
                return Ranking.none(covered=False)
            asked = (
                features,
                weights,
                tf_scaling[queries.indptr[row] : queries.indptr[row + 1]],
                query_stats[row],
            )
            found = [
                _nearest(segment, measure, length_penalties, *asked, k, mask, min_score)
                for segment, length_penalties, mask in zip(
                    self.segments, self._penalties(measure), live, strict=True
                )
            ]
            return best(found, k, repository, min_score)

        return thread_map(nearest, range(len(queries)))

    def _penalties(self, measure: VectorMeasure) -> list[LengthPenalties | None]:
        """For each segment what `measure` takes off its rows, computed once."""
        if type(measure).length_penalties is VectorMeasure.length_penalties:
            return [None] * len(self.segments)
        name = repr(measure)
        if name not in self._known_penalties:
            each = (measure.length_penalties(segment.candidate_stats) for segment in self.segments)
            self._known_penalties[name] = [
                length_penalties_of(taken) if taken is not None else None for taken in each
            ]
        return self._known_penalties[name]

    def scores(
        self, measure: VectorMeasure, query: Vectors, query_ids: Int64Array, repository: Repository
    ) -> Float64Array:
        """The scores of one row with queries of the repository; NaN or 0 for those without a row."""
        self._check_space(query)
        found = np.full(len(query_ids), 0.0 if measure.always_scores else np.nan)
        features, weights = query.row(0)
        if not len(features) or not len(query_ids):
            return found
        tf_scaling, query_stats = measure.tf_scaling(features), measure.query_stats(query)[0]
        for segment, live in zip(self.segments, self.live(repository), strict=True):
            if not len(segment):
                continue
            place = np.minimum(segment.query_ids.searchsorted(query_ids.astype(np.int32)), len(segment) - 1)
            known = (segment.query_ids[place] == query_ids) & live[place] & segment.filled[place]
            held, rows = np.flatnonzero(known), place[known]
            values = segment.rows.dot_rows(features, weights, tf_scaling, rows)
            found[held] = measure.score_from_dot(values, query_stats, segment.candidate_stats[rows])
        return found

    def _check_space(self, queries: Vectors) -> None:
        if self.committed and queries.space != self.committed.space:
            raise ValueError(f"vectors of {queries.space!r}, but the index holds {self.committed.space!r}")

    def commit(self, committed: Build | None, in_progress: Build | None) -> None:
        """Make these builds the index's content, in one step."""
        metadata: dict[str, Any] = {
            "committed": committed and vars(committed),
            "in_progress": in_progress and vars(in_progress),
        }
        parts = {part for build in (committed, in_progress) if build for part in build.parts()}
        self.store.commit(metadata, sorted(parts))


def _nearest(
    segment: IndexSegment,
    measure: VectorMeasure,
    length_penalties: LengthPenalties | None,
    features: Int64Array,
    weights: Float64Array,
    tf_scaling: Float64Array,
    query_stats: Float64Array,
    k: int,
    live: BoolArray,
    min_score: float,
) -> tuple[Int64Array, Float64Array]:
    """The best rows of one segment with their scores: k of them, and all that tie with the last.

    Those far below `minimum` are left out.
    """
    if isinstance(segment.rows, BlockMaxIndex) or (measure.kernel and isinstance(segment.rows, PostingLists)):
        rows, shared = segment.rows.top(features, weights, live, k, min_score)
        return segment.query_ids[rows].astype(np.int64), measure.score_from_dot(
            shared, query_stats, segment.candidate_stats[rows]
        )
    if length_penalties is not None and isinstance(segment.rows, PostingLists):
        rows, values = segment.rows.top_penalized(
            features,
            weights,
            tf_scaling,
            length_penalties,
            query_stats[1],
            live,
            k,
            min_score - query_stats[0],
        )
        return segment.query_ids[rows].astype(np.int64), values + query_stats[0]
    values = segment.rows.dot_all(features, weights, tf_scaling, len(segment))
    rows = np.flatnonzero(
        live & ((segment.candidate_stats > 0) if measure.scores_all_rows else (values != 0))
    )
    scores = measure.score_from_dot(values[rows], query_stats, segment.candidate_stats[rows])
    if not measure.scores_all_rows:
        rows, scores = rows[scores > 0], scores[scores > 0]
    rows, scores = rows[scores >= min_score], scores[scores >= min_score]
    if len(rows) > k:
        enough = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        rows, scores = rows[enough], scores[enough]
    return segment.query_ids[rows].astype(np.int64), scores


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
    """Which rows belong to queries that are in the repository, asked at least so often.

    The index may be newer than the snapshot of the repository: what that does not know is not there.
    """
    enough = np.append(repository.counts >= max(1, min_count), False)
    return enough.take(segment.query_ids, mode="clip")


def _build(metadata: dict[str, Any] | None) -> Build | None:
    """Rows of another version are as good as none: everything in an index can be made anew."""
    return Build(**metadata) if metadata and metadata.get("version") == VERSION else None
