"""In which order do scores put the pairs? Group by group for rank metrics, all together for thresholds.

Everywhere: one entry per judged pair; a score of NaN means "no opinion" and comes last; grades are numbers;
a pair is relevant when its grade is at least `relevant`; rows of a group need not stand together.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from querykin.compiled import Bools, Longs, Reals


@dataclass(frozen=True)
class Ranked:
    """Judged pairs group by group, the best score of each group first.

    The order is strict: equal scores, and pairs without a score, stand in a random order.
    """

    groups: Longs  # the groups' numbers, rising
    first: Longs  # group g holds the places first[g] : first[g + 1]
    scores: Reals
    grades: Reals
    relevant: Bools

    @cached_property
    def sizes(self) -> Longs:
        """Pairs of each group."""
        return np.diff(self.first)

    @cached_property
    def found(self) -> Longs:
        """Relevant pairs of each group."""
        return np.diff(self.counted[self.first])

    @cached_property
    def counted(self) -> Longs:
        """Relevant pairs before each place, over all groups; the last entry counts them all."""
        return np.concatenate([[0], np.cumsum(self.relevant)])

    @cached_property
    def ranks(self) -> Longs:
        """Each place's rank in its group, from 1."""
        return np.arange(1, len(self.scores) + 1) - np.repeat(self.first[:-1], self.sizes)

    @cached_property
    def hits(self) -> Longs:
        """Relevant pairs of the same group down to each place."""
        return self.counted[1:] - np.repeat(self.counted[self.first[:-1]], self.sizes)

    def sums(self, values: Reals) -> Reals:
        """The sum of the places' values for each group."""
        return np.add.reduceat(values, self.first[:-1])


def rank(scores: Reals, grades: Reals, groups: Longs, relevant: float, seed: int = 0) -> Ranked:
    """Put the pairs of each group in order, the best score first.

    >>> scores, grades = np.array([0.2, np.nan, 0.9]), np.array([0.0, 1.0, 2.0])
    >>> ranked = rank(scores, grades, np.array([7, 7, 7]), relevant=1)
    >>> ranked.scores.tolist(), ranked.grades.tolist(), ranked.hits.tolist()
    ([0.9, 0.2, nan], [2.0, 0.0, 1.0], [1, 1, 2])
    """
    chance = np.random.default_rng(seed).random(len(scores))
    order = np.lexsort((chance, -scores, groups))
    numbers, first = np.unique(groups[order], return_index=True)
    return Ranked(numbers, np.append(first, len(scores)), scores[order], grades[order],
                  grades[order] >= relevant)  # fmt: skip


@dataclass(frozen=True)
class Thresholds:
    """What is kept when pairs below a score are dropped, for every score that occurs, the highest first.

    Pairs without a score are kept only by the last threshold, which is NaN then and keeps everything.
    """

    scores: Reals
    pairs: Longs  # how many pairs are kept
    relevant: Longs  # how many of them are relevant
    grades: Reals  # the sum of their grades

    @property
    def irrelevant(self) -> Longs:
        """How many of the pairs kept are not relevant."""
        return self.pairs - self.relevant


def thresholds(scores: Reals, grades: Reals, relevant: float) -> Thresholds:
    """Count what each score keeps, over all pairs; equal scores are kept or dropped together.

    >>> kept = thresholds(np.array([0.5, np.nan, 0.9, 0.5]), np.array([0.0, 1.0, 2.0, 1.0]), relevant=1)
    >>> kept.scores.tolist(), kept.pairs.tolist(), kept.relevant.tolist(), kept.grades.tolist()
    ([0.9, 0.5, nan], [1, 3, 4], [1, 2, 3], [2.0, 3.0, 4.0])
    """
    order, edges = falling(scores)
    last = edges[1:] - 1
    hits = np.cumsum(grades[order] >= relevant, dtype=np.int64)
    totals = np.cumsum(grades[order])
    return Thresholds(scores[order[last]], edges[1:], hits[last], totals[last])


def falling(scores: Reals) -> tuple[Longs, Longs]:
    """Row numbers by falling score, NaN last, and where each run of equal scores begins and the last ends."""
    order = np.argsort(-scores)
    return order, np.append(np.flatnonzero(starts(scores[order])), len(scores))


def starts(scores: Reals) -> Bools:
    """Where in sorted scores a run of equal ones begins; NaN equals NaN."""
    marks = np.ones(len(scores), np.bool_)
    marks[1:] = (scores[1:] != scores[:-1]) & ~np.isnan(scores[:-1])  # nothing follows NaN but NaN
    return marks
