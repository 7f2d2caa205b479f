"""Orders of judged pairs by score: group by group for rank metrics, all pairs together for thresholds.

In this package every array has one entry per judged pair; a score of NaN is "no opinion" and comes last; a
pair is relevant if its grade is at least `relevant`; the rows of a group need not be adjacent.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array


@dataclass(frozen=True)
class RankedGroups:
    """Judged pairs sorted by group, and by descending score within each.

    The order is strict: ties, and pairs without a score, are in random order.
    """

    groups: Int64Array  # group numbers, ascending
    indptr: Int64Array  # group g has the entries indptr[g] : indptr[g + 1]
    scores: Float64Array
    grades: Float64Array
    relevant: BoolArray

    @cached_property
    def sizes(self) -> Int64Array:
        """Number of pairs of each group."""
        return np.diff(self.indptr)

    @cached_property
    def relevant_counts(self) -> Int64Array:
        """Number of relevant pairs of each group."""
        return np.diff(self.relevant_before[self.indptr])

    @cached_property
    def relevant_before(self) -> Int64Array:
        """Number of relevant pairs before each entry, over all groups; the last element counts them all."""
        return np.concatenate([[0], np.cumsum(self.relevant)])

    @cached_property
    def ranks(self) -> Int64Array:
        """Rank of each entry in its group, from 1."""
        return np.arange(1, len(self.scores) + 1) - np.repeat(self.indptr[:-1], self.sizes)

    @cached_property
    def hits(self) -> Int64Array:
        """Number of relevant pairs of the same group up to and including each entry."""
        return self.relevant_before[1:] - np.repeat(self.relevant_before[self.indptr[:-1]], self.sizes)

    def sums(self, values: Float64Array) -> Float64Array:
        """The sum of the entries' values for each group."""
        return np.add.reduceat(values, self.indptr[:-1])


def rank(
    scores: Float64Array, grades: Float64Array, groups: Int64Array, relevant: float, seed: int = 0
) -> RankedGroups:
    """Sort the pairs of each group by descending score.

    >>> scores, grades = np.array([0.2, np.nan, 0.9]), np.array([0.0, 1.0, 2.0])
    >>> ranked = rank(scores, grades, np.array([7, 7, 7]), relevant=1)
    >>> ranked.scores.tolist(), ranked.grades.tolist(), ranked.hits.tolist()
    ([0.9, 0.2, nan], [2.0, 0.0, 1.0], [1, 1, 2])
    """
    tie_breaks = np.random.default_rng(seed).random(len(scores))
    order = np.lexsort((tie_breaks, -scores, groups))
    numbers, starts = np.unique(groups[order], return_index=True)
    return RankedGroups(
        numbers, np.append(starts, len(scores)), scores[order], grades[order], grades[order] >= relevant
    )


@dataclass(frozen=True)
class Thresholds:
    """Cumulative counts over all pairs for every distinct score as a threshold, in descending order.

    Pairs without a score are included only by the last threshold, which then is NaN and includes all pairs.
    """

    scores: Float64Array
    pairs: Int64Array  # pairs at or above the threshold
    relevant: Int64Array  # of these, relevant ones
    grades: Float64Array  # the sum of their grades

    @property
    def irrelevant(self) -> Int64Array:
        """Number of pairs at or above the threshold that are not relevant."""
        return self.pairs - self.relevant


def thresholds(scores: Float64Array, grades: Float64Array, relevant: float) -> Thresholds:
    """Count the pairs at or above each score; ties are included together.

    >>> cuts = thresholds(np.array([0.5, np.nan, 0.9, 0.5]), np.array([0.0, 1.0, 2.0, 1.0]), relevant=1)
    >>> cuts.scores.tolist(), cuts.pairs.tolist(), cuts.relevant.tolist(), cuts.grades.tolist()
    ([0.9, 0.5, nan], [1, 3, 4], [1, 2, 3], [2.0, 3.0, 4.0])
    """
    order, edges = sort_descending(scores)
    last = edges[1:] - 1
    hits = np.cumsum(grades[order] >= relevant, dtype=np.int64)
    totals = np.cumsum(grades[order])
    return Thresholds(scores[order[last]], edges[1:], hits[last], totals[last])


def sort_descending(scores: Float64Array) -> tuple[Int64Array, Int64Array]:
    """Row numbers by descending score, NaN last, and the edges of the runs of equal scores."""
    order = np.argsort(-scores)
    return order, np.append(np.flatnonzero(starts(scores[order])), len(scores))


def starts(scores: Float64Array) -> BoolArray:
    """Mask of the first entry of each run of equal scores in sorted scores; NaN equals NaN."""
    mask = np.ones(len(scores), np.bool_)
    mask[1:] = (scores[1:] != scores[:-1]) & ~np.isnan(scores[:-1])  # only NaN follows NaN
    return mask
