"""In which order? By falling score, then by how often a query was asked, then by its text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.repository import Repository


@dataclass(frozen=True, slots=True)
class Ranking:
    """Queries of the repository by number, best first; not covered: the measure has no opinion."""

    numbers: Longs
    scores: Reals
    covered: bool = True

    @classmethod
    def none(cls, covered: bool) -> Self:
        """Nothing found."""
        return cls(np.zeros(0, np.int64), np.zeros(0), covered)


def best(
    found: Sequence[tuple[Longs, Reals]], k: int, repository: Repository, least: float = -np.inf
) -> Ranking:
    """The k best of several lists of numbers and scores, of those that score `least` or more."""
    numbers = np.concatenate([np.zeros(0, np.int64), *(part[0] for part in found)])
    scores = np.concatenate([np.zeros(0), *(part[1] for part in found)])
    if least > -np.inf:
        numbers, scores = numbers[scores >= least], scores[scores >= least]
    counts = repository.counts[numbers]
    order = np.lexsort((-counts, -scores))
    if len(order) > k:  # all that may be among the first k, whatever their texts are
        last = order[k - 1]
        tied = (scores == scores[last]) & (counts >= counts[last])
        order = order[((scores > scores[last]) | tied)[order]]
    order = _by_text(order, scores[order], counts[order], numbers[order], repository)[:k]
    return Ranking(numbers[order], scores[order])


def _by_text(order: Longs, scores: Reals, counts: Longs, numbers: Longs, repository: Repository) -> Longs:
    """The same order, with those that are equal in score and count put in the order of their texts."""
    if not ((scores[1:] == scores[:-1]) & (counts[1:] == counts[:-1])).any():
        return order
    keys = zip((-scores).tolist(), (-counts).tolist(), repository.texts(numbers), order.tolist(), strict=True)
    return np.array([place for *_, place in sorted(keys)], np.int64)
