"""The clusters of a list of keywords at any threshold, read off its neighbor graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
from cachetools import LRUCache

from querykin.clustering.clusters import Assignment, Cluster, ClusterCounts, count_clusters, list_clusters
from querykin.clustering.hand_changes import HandChange, placements
from querykin.clustering.neighbor_graph import NeighborGraph
from querykin.clustering.star_clustering import star_clustering
from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.measures.base import Measure
from querykin.querylog.repository import Repository
from querykin.text.normalization import fold_case

_KEPT = 8  # clusterings that are not computed again


@dataclass(frozen=True)
class ClusterSize:
    """A cluster without its members: the head, the number of keywords with it, and their count."""

    head: str
    keywords: int
    count: int


class KeywordClusters:
    """Keywords with their neighbor graph by one measure: `at` groups them at a threshold."""

    def __init__(self, graph: NeighborGraph, repository: Repository, measure: Measure) -> None:
        self.graph, self.repository, self.measure = graph, repository, measure
        self.counts: Int64Array = repository.counts[graph.keywords]
        self._kept: LRUCache[tuple[float, tuple[HandChange, ...]], ClustersAt] = LRUCache(_KEPT)
        self._scores: dict[tuple[int, int], float] = {}  # of keywords placed by hand against their heads
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self.graph)

    def at(self, threshold: float, changes: Sequence[HandChange] = ()) -> "ClustersAt":
        """The clusters at a threshold; keywords changed by hand take no part in it and are placed then."""
        key = threshold, tuple(changes)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = ClustersAt(self, self._assign(threshold, changes))
            return self._kept[key]

    def _assign(self, threshold: float, changes: Sequence[HandChange]) -> Assignment:
        placed = placements(changes, self._positions(changes))
        excluded = np.zeros(len(self), np.bool_)
        excluded[list(placed)] = True
        heads, scores = star_clustering(self.graph, threshold, self.counts, excluded)
        moved = np.array([each for each, joined in placed.items() if joined != each], np.int64)
        targets = heads[[placed[each] for each in moved.tolist()]]
        heads[moved], scores[moved] = targets, self._score(moved, targets)
        return Assignment(heads, scores)

    def _positions(self, changes: Sequence[HandChange]) -> dict[str, int]:
        texts = [text for each in changes for text in (each.query, each.joins) if text]
        return {text: at for text in texts if (at := self.position(text)) is not None}

    def _score(self, keywords: Int64Array, heads: Int64Array) -> Float64Array:
        pairs = list(zip(keywords.tolist(), heads.tolist(), strict=True))
        new = [pair for pair in pairs if pair not in self._scores]
        if new:
            sides = ([self.text(at) for at in side] for side in zip(*new, strict=True))
            self._scores |= zip(new, self.measure.score_pairs(*sides).tolist(), strict=True)
        return np.array([self._scores[pair] for pair in pairs])

    def position(self, text: str) -> int | None:
        """The position of a keyword; None if it is not in the list."""
        (number,) = self.repository.ids_of([text])
        at = int(np.searchsorted(self.graph.keywords, number))
        return at if number >= 0 and at < len(self) and self.graph.keywords[at] == number else None

    def text(self, position: int) -> str:
        """The keyword at a position."""
        return self.repository.query(int(self.graph.keywords[position]))

    def best_scores(self) -> Float64Array:
        """For each keyword its highest score against another; NaN if it has no neighbor."""
        return np.append(self.graph.scores, np.nan)[
            np.where(np.diff(self.graph.indptr) > 0, self.graph.indptr[:-1], len(self.graph.scores))
        ]

    def containing(self, text: str) -> BoolArray:
        """Which keywords contain a text, whatever its case."""
        folded = fold_case(text)
        return np.fromiter((folded in each for each in self._folded), np.bool_, len(self))

    @cached_property
    def _folded(self) -> list[str]:
        return [fold_case(text.decode()) for text in self.repository.texts(self.graph.keywords)]


class ClustersAt:
    """The clusters at one threshold as arrays; text is made of what is asked for only."""

    def __init__(self, keywords: KeywordClusters, assignment: Assignment) -> None:
        self._keywords, self.assignment = keywords, assignment
        heads = assignment.heads
        self.numbers: ClusterCounts = count_clusters(heads)
        self._sizes = np.bincount(heads, minlength=len(heads))
        self._totals = np.bincount(heads, keywords.counts, len(heads)).astype(np.int64)

    @cached_property
    def _by_count(self) -> Int64Array:
        """The heads by descending count of their clusters, then text; keywords alone after all others."""
        heads = np.flatnonzero(self._sizes)
        texts = self._keywords.graph.text_ranks[heads]
        return heads[np.lexsort((texts, -self._totals[heads], self._sizes[heads] == 1))]

    def find(self, text: str = "") -> Int64Array:
        """The heads of the clusters with members, or of all with a keyword that contains the text."""
        if not text.strip():
            return self._by_count[: self.numbers.clusters]
        found = np.zeros(len(self._sizes), np.bool_)
        found[self.assignment.heads[self._keywords.containing(text)]] = True
        return self._by_count[found[self._by_count]]

    def size(self, head: int) -> ClusterSize:
        """The cluster of a head in numbers."""
        return ClusterSize(self._keywords.text(head), int(self._sizes[head]), int(self._totals[head]))

    def cluster_of(self, keyword: int) -> Cluster:
        """The cluster that a keyword is in."""
        return self._list(np.flatnonzero(self.assignment.heads == self.assignment.heads[keyword]))[0]

    def clusters(self) -> list[Cluster]:
        """All clusters by descending count."""
        return self._list(np.arange(len(self._keywords)))

    def _list(self, positions: Int64Array) -> list[Cluster]:
        heads = np.searchsorted(positions, self.assignment.heads[positions])
        assignment = Assignment(heads, self.assignment.scores[positions])
        return list_clusters(assignment, self._keywords.graph.keywords[positions], self._keywords.repository)
