"""In which order do scores put the pairs? Group by group for rank metrics, all together for thresholds.

Everywhere: one entry per judged pair; a score of NaN means "no opinion" and comes last; grades are numbers;
a pair is relevant when its grade is at least `relevant`; rows of a group need not stand together.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array


@dataclass(frozen=True)
class RankedGroups:
    """Judged pairs group by group, the best score of each group first.

    The order is strict: equal scores, and pairs without a score, stand in a random order.
    """

    groups: Int64Array  # the groups' numbers, rising
    indptr: Int64Array  # group g holds the places first[g] : first[g + 1]
    scores: Float64Array
    grades: Float64Array
    relevant: BoolArray

    @cached_property
    def sizes(self) -> Int64Array:
        """Pairs of each group."""
        return np.diff(self.indptr)

    @cached_property
    def found(self) -> Int64Array:
        """Relevant pairs of each group."""
        return np.diff(self.counted[self.indptr])

    @cached_property
    def counted(self) -> Int64Array:
        """Relevant pairs before each place, over all groups; the last entry counts them all."""
        return np.concatenate([[0], np.cumsum(self.relevant)])

    @cached_property
    def ranks(self) -> Int64Array:
        """Each place's rank in its group, from 1."""
        return np.arange(1, len(self.scores) + 1) - np.repeat(self.indptr[:-1], self.sizes)

    @cached_property
    def hits(self) -> Int64Array:
        """Relevant pairs of the same group down to each place."""
        return self.counted[1:] - np.repeat(self.counted[self.indptr[:-1]], self.sizes)

    def sums(self, values: Float64Array) -> Float64Array:
        """The sum of the places' values for each group."""
        return np.add.reduceat(values, self.indptr[:-1])


def rank(
    scores: Float64Array, grades: Float64Array, groups: Int64Array, relevant: float, seed: int = 0
) -> RankedGroups:
    """Put the pairs of each group in order, the best score first.

    >>> scores, grades = np.array([0.2, np.nan, 0.9]), np.array([0.0, 1.0, 2.0])
    >>> ranked = rank(scores, grades, np.array([7, 7, 7]), relevant=1)
    >>> ranked.scores.tolist(), ranked.grades.tolist(), ranked.hits.tolist()
    ([0.9, 0.2, nan], [2.0, 0.0, 1.0], [1, 1, 2])
    """
    chance = np.random.default_rng(seed).random(len(scores))
    order = np.lexsort((chance, -scores, groups))
    numbers, first = np.unique(groups[order], return_index=True)
    return RankedGroups(
        numbers, np.append(first, len(scores)), scores[order], grades[order], grades[order] >= relevant
    )


@dataclass(frozen=True)
class Thresholds:
    """What is kept when pairs below a score are dropped, for every score that occurs, the highest first.

    Pairs without a score are kept only by the last threshold, which is NaN then and keeps everything.
    """

    scores: Float64Array
    pairs: Int64Array  # how many pairs are kept
    relevant: Int64Array  # how many of them are relevant
    grades: Float64Array  # the sum of their grades

    @property
    def irrelevant(self) -> Int64Array:
        """How many of the pairs kept are not relevant."""
        return self.pairs - self.relevant


def thresholds(scores: Float64Array, grades: Float64Array, relevant: float) -> Thresholds:
    """Count what each score keeps, over all pairs; equal scores are kept or dropped together.

    >>> kept = thresholds(np.array([0.5, np.nan, 0.9, 0.5]), np.array([0.0, 1.0, 2.0, 1.0]), relevant=1)
    >>> kept.scores.tolist(), kept.pairs.tolist(), kept.relevant.tolist(), kept.grades.tolist()
    ([0.9, 0.5, nan], [1, 3, 4], [1, 2, 3], [2.0, 3.0, 4.0])
    """
    order, edges = sort_descending(scores)
    last = edges[1:] - 1
    hits = np.cumsum(grades[order] >= relevant, dtype=np.int64)
    totals = np.cumsum(grades[order])
    return Thresholds(scores[order[last]], edges[1:], hits[last], totals[last])


def sort_descending(scores: Float64Array) -> tuple[Int64Array, Int64Array]:
    """Row numbers by falling score, NaN last, and where each run of equal scores begins and the last ends."""
    order = np.argsort(-scores)
    return order, np.append(np.flatnonzero(starts(scores[order])), len(scores))


def starts(scores: Float64Array) -> BoolArray:
    """Where in sorted scores a run of equal ones begins; NaN equals NaN."""
    marks = np.ones(len(scores), np.bool_)
    marks[1:] = (scores[1:] != scores[:-1]) & ~np.isnan(scores[:-1])  # nothing follows NaN but NaN
    return marks
