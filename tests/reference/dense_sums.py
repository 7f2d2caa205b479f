"""Weighted sums of dense scores, pair by pair: the reference for `retrieval.dense_sums`."""

from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """A text: levels, scale and weight in each dense part, and its weight in the listed part."""

    parts: Sequence[tuple[Sequence[int], float, float]]
    weight: float


def dense_sum(query: Row, candidate: Row) -> float:
    """The inner products of both rows in each part, times the means of their weights."""
    total = 0.0
    for (levels, scale, weight), (others, other_scale, other_weight) in zip(
        query.parts, candidate.parts, strict=True
    ):
        product = sum(a * b for a, b in zip(levels, others, strict=True))
        total += (weight + other_weight) / 2 * (product * (other_scale * scale))
    return total


def best_sums(
    query: Row,
    candidates: Sequence[Row],
    eligible: Sequence[bool],
    listed: Sequence[float],
    k: int,
    min_sum: float,
) -> dict[int, float]:
    """The k best sums of at least `min_sum`, `listed` scores included, and all that tie with the last."""
    sums = {
        number: dense_sum(query, each) + (query.weight + each.weight) / 2 * score
        for number, (each, score) in enumerate(zip(candidates, listed, strict=True))
        if eligible[number]
    }
    enough = {number: total for number, total in sums.items() if total >= min_sum}
    last = sorted(enough.values(), reverse=True)[:k][-1] if enough else 0.0
    return {number: total for number, total in enough.items() if total >= last}
