"""The order of suggestions: by descending score, then by descending query count, then by text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.querylog.repository import Repository


@dataclass(frozen=True, slots=True)
class Ranking:
    """Queries of the repository, best first; `covered` is false where the corpus knows too little.

    `probabilities` are those of being a good suggestion, for measures that are calibrated; `missing_shards`
    names the shards whose queries are not in the ranking.
    """

    query_ids: Int64Array
    scores: Float64Array
    covered: bool = True
    probabilities: Float64Array | None = None
    missing_shards: tuple[str, ...] = ()

    @classmethod
    def none(cls, covered: bool) -> Self:
        """An empty ranking."""
        return cls(np.zeros(0, np.int64), np.zeros(0), covered)


def union_of_missing(rankings: Iterable[Ranking]) -> tuple[str, ...]:
    """The shards that are missing in any of several rankings, each once."""
    return tuple(dict.fromkeys(shard for ranking in rankings for shard in ranking.missing_shards))


def best(
    found: Sequence[tuple[Int64Array, Float64Array]],
    k: int,
    repository: Repository,
    min_score: float = -np.inf,
) -> Ranking:
    """Merge lists of query ids and scores into the k best that score at least `min_score`."""
    query_ids = np.concatenate([np.zeros(0, np.int64), *(part[0] for part in found)])
    scores = np.concatenate([np.zeros(0), *(part[1] for part in found)])
    if min_score > -np.inf:
        query_ids, scores = query_ids[scores >= min_score], scores[scores >= min_score]
    counts = repository.counts[query_ids]
    order = np.lexsort((-counts, -scores))
    if len(order) > k:  # texts are read only for those that may be among the first k
        last = order[k - 1]
        tied = (scores == scores[last]) & (counts >= counts[last])
        order = order[((scores > scores[last]) | tied)[order]]
    order = _break_ties(order, scores[order], counts[order], query_ids[order], repository)[:k]
    return Ranking(query_ids[order], scores[order])


def _break_ties(
    order: Int64Array, scores: Float64Array, counts: Int64Array, query_ids: Int64Array, repository: Repository
) -> Int64Array:
    """The same order, with queries of equal score and count sorted by text."""
    if not ((scores[1:] == scores[:-1]) & (counts[1:] == counts[:-1])).any():
        return order
    return order[np.lexsort((repository.text_ranks(query_ids), -counts, -scores))]
