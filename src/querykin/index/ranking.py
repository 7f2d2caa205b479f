"""In which order? By falling score, then by how often a query was asked, then by its text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.querylog.repository import Repository


@dataclass(frozen=True, slots=True)
class Ranking:
    """Queries of the repository by number, best first; not covered: the measure has no opinion."""

    query_ids: Int64Array
    scores: Float64Array
    covered: bool = True

    @classmethod
    def none(cls, covered: bool) -> Self:
        """Nothing found."""
        return cls(np.zeros(0, np.int64), np.zeros(0), covered)


def best(
    found: Sequence[tuple[Int64Array, Float64Array]],
    k: int,
    repository: Repository,
    min_score: float = -np.inf,
) -> Ranking:
    """The k best of several lists of numbers and scores, of those that score `minimum` or more."""
    query_ids = np.concatenate([np.zeros(0, np.int64), *(part[0] for part in found)])
    scores = np.concatenate([np.zeros(0), *(part[1] for part in found)])
    if min_score > -np.inf:
        query_ids, scores = query_ids[scores >= min_score], scores[scores >= min_score]
    counts = repository.counts[query_ids]
    order = np.lexsort((-counts, -scores))
    if len(order) > k:  # all that may be among the first k, whatever their texts are
        last = order[k - 1]
        tied = (scores == scores[last]) & (counts >= counts[last])
        order = order[((scores > scores[last]) | tied)[order]]
    order = _by_text(order, scores[order], counts[order], query_ids[order], repository)[:k]
    return Ranking(query_ids[order], scores[order])


def _by_text(
    order: Int64Array, scores: Float64Array, counts: Int64Array, query_ids: Int64Array, repository: Repository
) -> Int64Array:
    """The same order, with those that are equal in score and count put in the order of their texts."""
    if not ((scores[1:] == scores[:-1]) & (counts[1:] == counts[:-1])).any():
        return order
    keys = zip(
        (-scores).tolist(), (-counts).tolist(), repository.texts(query_ids), order.tolist(), strict=True
    )
    return np.array([place for *_, place in sorted(keys)], np.int64)
