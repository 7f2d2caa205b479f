"""The rows of a repository on disk, searched exactly."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compiled import Bools, Longs, Reals, in_threads
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.index.burdens import Burdens, burdens_of
from querykin.index.lists import Lists
from querykin.index.packed import Packed
from querykin.index.ranking import Ranking, best
from querykin.index.segment import Segment
from querykin.measures.base import VectorMeasure
from querykin.repository import Repository
from querykin.storage import Manifest, Store
from querykin.vectors import Vectors

VERSION = 6  # of what segments hold


@dataclass(frozen=True)
class Build:
    """Rows that belong together: one measure, one frozen table of statistics, one state of the corpus."""

    measure: str  # with all parameters that the rows depend on
    epoch: str  # the corpus's name for the statistics
    statistics: str  # the part that holds them, frozen
    space: str  # of the rows
    lineage: str  # the corpus and the repository that they come from
    state: str  # of the corpus then: its epoch of that day
    next_serial: int  # documents from here on were not yet there
    words: int  # words of the vocabulary from here on were not yet known
    lost_mass: float  # the most that truncation may have taken from a row's squared length
    segments: list[str] = field(default_factory=list)
    version: int = VERSION

    def parts(self) -> list[str]:
        """The parts of the store that this build needs."""
        return [self.statistics, *self.segments]


class Index:
    """The nearest queries of a repository under one measure.

    `visible` is what readers use; `pending` is finished work of a build that has not come to its end.
    """

    def __init__(self, path: Path) -> None:
        self.store = Store(path, "index")
        self._known_burdens: dict[str, list[Burdens | None]] = {}
        self._alive: tuple[tuple[str, int, int], list[Bools]] | None = None
        self.store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        self.generation = manifest.generation
        self.visible = _build(manifest.facts.get("visible"))
        self.pending = _build(manifest.facts.get("pending"))
        names = self.visible.segments if self.visible else []
        self.segments = [Segment(self.store.part(name)) for name in names]
        self.statistics = Statistics.empty()  # the frozen table that weighs the rows
        if self.visible:
            self.statistics = Statistics.open(self.store.part(self.visible.statistics))
            self.statistics.epoch = self.visible.epoch

    @property
    def terms(self) -> float:
        """How many terms a row holds on average."""
        rows = sum(len(segment) for segment in self.segments)
        return sum(segment.rows.entries for segment in self.segments) / max(1, rows)

    @property
    def bytes(self) -> int:
        """How much room the rows take on disk."""
        names = self.visible.segments if self.visible else []
        files = (file for name in names for file in self.store.part(name).iterdir())
        return sum(file.stat().st_size for file in files)

    @property
    def lost_mass(self) -> float:
        """The most that was cut off a row, as a share of its squared length; 0 where rows are whole."""
        return self.visible.lost_mass if self.visible else 0.0

    def missing(self, repository: Repository) -> Longs:
        """The queries of the repository that have no row."""
        lacking = repository.counts > 0
        for segment in self.segments:
            lacking[segment.numbers[segment.numbers < len(lacking)]] = False
        return np.flatnonzero(lacking)

    def behind(self, repository: Repository, corpus: Corpus) -> bool:
        """Whether queries or documents have come or gone since the last build."""
        if self.visible is None or self.visible.state != corpus.statistics.epoch:
            return True
        return len(self.missing(repository)) > 0

    @cached_property
    def _newest(self) -> list[Bools]:
        return newest_rows(self.segments)

    def alive(self, repository: Repository, min_count: int = 1) -> list[Bools]:
        """For each segment the rows that may be found; kept until the repository changes."""
        asked = repository.lineage, repository.generation, min_count
        if self._alive is None or self._alive[0] != asked:
            masks = [
                newest & asked_for(segment, repository, min_count)
                for segment, newest in zip(self.segments, self._newest, strict=True)
            ]
            self._alive = asked, masks
        return self._alive[1]

    def search(self, measure: VectorMeasure, queries: Vectors, k: int, repository: Repository,
               alive: Sequence[Bools], least: float = -np.inf) -> list[Ranking]:  # fmt: skip
        """For each row of `queries` the k nearest queries that score `least` or more, on all cores."""
        self._check_space(queries)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        gains = measure.gains(queries.features)
        about = measure.about(queries)

        def nearest(row: int) -> Ranking:
            features, weights = queries.row(row)
            if not len(features):
                return Ranking.none(covered=False)
            asked = features, weights, gains[queries.first[row] : queries.first[row + 1]], about[row]
            found = [
                _nearest(segment, measure, burdens, *asked, k, mask, least)
                for segment, burdens, mask in zip(self.segments, self._burdens(measure), alive, strict=True)
            ]
            return best(found, k, repository, least)

        return in_threads(nearest, range(len(queries)))

    def _burdens(self, measure: VectorMeasure) -> list[Burdens | None]:
        """For each segment what `measure` takes off its rows, computed once."""
        if type(measure).burdens is VectorMeasure.burdens:
            return [None] * len(self.segments)
        name = repr(measure)
        if name not in self._known_burdens:
            each = (measure.burdens(segment.sizes) for segment in self.segments)
            self._known_burdens[name] = [burdens_of(taken) if taken is not None else None for taken in each]
        return self._known_burdens[name]

    def scores(self, measure: VectorMeasure, query: Vectors, numbers: Longs, repository: Repository) -> Reals:
        """The scores of one row with queries of the repository; NaN or 0 for those without a row."""
        self._check_space(query)
        found = np.full(len(numbers), 0.0 if measure.always_scores else np.nan)
        features, weights = query.row(0)
        if not len(features) or not len(numbers):
            return found
        gains, about = measure.gains(features), measure.about(query)[0]
        for segment, alive in zip(self.segments, self.alive(repository), strict=True):
            if not len(segment):
                continue
            place = np.minimum(segment.numbers.searchsorted(numbers.astype(np.int32)), len(segment) - 1)
            known = (segment.numbers[place] == numbers) & alive[place] & segment.filled[place]
            held, rows = np.flatnonzero(known), place[known]
            values = segment.rows.some(features, weights, gains, rows)
            found[held] = measure.finish(values, about, segment.sizes[rows])
        return found

    def _check_space(self, queries: Vectors) -> None:
        if self.visible and queries.space != self.visible.space:
            raise ValueError(f"vectors of {queries.space!r}, but the index holds {self.visible.space!r}")

    def commit(self, visible: Build | None, pending: Build | None) -> None:
        """Make these builds the index's content, in one step."""
        facts: dict[str, Any] = {"visible": visible and vars(visible), "pending": pending and vars(pending)}
        parts = {part for build in (visible, pending) if build for part in build.parts()}
        self.store.commit(facts, sorted(parts))


def _nearest(segment: Segment, measure: VectorMeasure, burdens: Burdens | None, features: Longs,
             weights: Reals, gains: Reals, about: Reals, k: int, alive: Bools,
             least: float) -> tuple[Longs, Reals]:  # fmt: skip
    """The best rows of one segment with their scores: k of them, and all that tie with the last.

    Those far below `least` are left out.
    """
    if isinstance(segment.rows, Packed) or (measure.kernel and isinstance(segment.rows, Lists)):
        rows, shared = segment.rows.top(features, weights, alive, k, least)
        return segment.numbers[rows].astype(np.int64), measure.finish(shared, about, segment.sizes[rows])
    if burdens is not None and isinstance(segment.rows, Lists):
        rows, values = segment.rows.top_burdened(features, weights, gains, burdens, about[1], alive, k,
                                                 least - about[0])  # fmt: skip
        return segment.numbers[rows].astype(np.int64), values + about[0]
    values = segment.rows.values(features, weights, gains, len(segment))
    rows = np.flatnonzero(alive & ((segment.sizes > 0) if measure.every_row else (values != 0)))
    scores = measure.finish(values[rows], about, segment.sizes[rows])
    if not measure.every_row:
        rows, scores = rows[scores > 0], scores[scores > 0]
    rows, scores = rows[scores >= least], scores[scores >= least]
    if len(rows) > k:
        enough = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        rows, scores = rows[enough], scores[enough]
    return segment.numbers[rows].astype(np.int64), scores


def newest_rows(segments: Sequence[Segment]) -> list[Bools]:
    """For each segment the rows that no later segment replaces."""
    size = 1 + max((int(segment.numbers.max(initial=-1)) for segment in segments), default=-1)
    later = np.zeros(size, np.bool_)
    masks = []
    for segment in reversed(segments):
        masks.append(~later[segment.numbers])
        later[segment.numbers] = True
    return masks[::-1]


def asked_for(segment: Segment, repository: Repository, min_count: int = 1) -> Bools:
    """Which rows belong to queries that are in the repository, asked at least so often.

    The index may be newer than the snapshot of the repository: what that does not know is not there.
    """
    enough = np.append(repository.counts >= max(1, min_count), False)
    return enough.take(segment.numbers, mode="clip")


def _build(facts: dict[str, Any] | None) -> Build | None:
    """Rows of another version are as good as none: everything in an index can be made anew."""
    return Build(**facts) if facts and facts.get("version") == VERSION else None
