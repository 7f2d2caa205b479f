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
from querykin.index.kernels import top_k
from querykin.index.segment import Segment
from querykin.repository import Repository
from querykin.storage import Manifest, Store
from querykin.vectors import Vectors


@dataclass(frozen=True, slots=True)
class Ranking:
    """Queries of the repository by number, best first."""

    numbers: Longs
    scores: Reals


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

    def parts(self) -> list[str]:
        """The parts of the store that this build needs."""
        return [self.statistics, *self.segments]


class Index:
    """The nearest queries of a repository under one measure.

    `visible` is what readers use; `pending` is finished work of a build that has not come to its end.
    """

    def __init__(self, path: Path) -> None:
        self.store = Store(path, "index")
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
        return sum(len(segment.rows) for segment in self.segments) / max(1, rows)

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
        """For each segment the rows that may be found."""
        return [
            newest & asked_for(segment, repository, min_count)
            for segment, newest in zip(self.segments, self._newest, strict=True)
        ]

    def search(self, vectors: Vectors, k: int, alive: Sequence[Bools]) -> list[Ranking]:
        """For each row of `vectors` the k nearest queries, on all cores; equal scores by number."""
        if self.visible and vectors.space != self.visible.space:
            raise ValueError(f"vectors of {vectors.space!r}, but the index holds {self.visible.space!r}")
        rows = [vectors.row(number) for number in range(len(vectors))]
        return in_threads(lambda row: self._search(*row, k, alive), rows)

    def _search(self, features: Longs, weights: Reals, k: int, alive: Sequence[Bools]) -> Ranking:
        numbers, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
        for segment, mask in zip(self.segments, alive, strict=True):
            rows, values = top_k(segment.features, segment.first, segment.rows, segment.weights, mask,
                                 features, weights, k)  # fmt: skip
            numbers.append(segment.numbers[rows])
            scores.append(values)
        found, values = np.concatenate(numbers), np.concatenate(scores)
        best = np.lexsort((found, -values))[:k]
        return Ranking(found[best], values[best])

    def commit(self, visible: Build | None, pending: Build | None) -> None:
        """Make these builds the index's content, in one step."""
        facts: dict[str, Any] = {"visible": visible and vars(visible), "pending": pending and vars(pending)}
        parts = {part for build in (visible, pending) if build for part in build.parts()}
        self.store.commit(facts, sorted(parts))


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
    return Build(**facts) if facts else None
