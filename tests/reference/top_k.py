"""The top k by brute force: the reference for `index.maxscore`, `posting_blocks` and `block_max`."""

from collections.abc import Sequence
from math import log1p

from reference.vectors import Row


def inner_product(row: Row, query: Row) -> float:
    """Summed in the order of the features, as the kernels do: equal to the last bit."""
    total = 0.0
    for feature in sorted(query):
        total += query[feature] * row.get(feature, 0.0)
    return total


def top_k(rows: Sequence[Row], live: Sequence[bool], query: Row, k: int) -> list[tuple[int, float]]:
    """The k best live rows that share a feature with the query, sorted by (-score, number).

    Ties with the last of them are included.
    """
    scores = [(number, inner_product(row, query)) for number, row in enumerate(rows) if live[number]]
    found = [(number, score) for number, score in scores if score > 0]
    ranked = sorted(found, key=lambda pair: (-pair[1], pair[0]))
    return [pair for pair in ranked if len(ranked) <= k or pair[1] >= ranked[k - 1][1]]


def scaled_inner_product(row: Row, query: Row, tf_scaling: Row) -> float:
    """The inner product, where a weight w counts log(1 + g w) if its feature has the scaling g."""
    total = 0.0
    for feature in sorted(query):
        weight, scale = row.get(feature, 0.0), tf_scaling.get(feature, 0.0)
        total += query[feature] * (log1p(scale * weight) if scale else weight)
    return total


def penalized(
    rows: Sequence[Row],
    live: Sequence[bool],
    query: Row,
    tf_scaling: Row,
    length_penalties: Sequence[float],
    mass: float,
    k: int,
    slack: float,
) -> dict[int, float]:
    """Inner products less length penalties of the k best live rows, and of all within `slack` of the last.

    A row whose penalty is NaN is left out.
    """
    scores = {
        number: scaled_inner_product(row, query, tf_scaling) - mass * length_penalties[number]
        for number, row in enumerate(rows)
        if live[number] and length_penalties[number] == length_penalties[number]
    }
    if len(scores) <= k:
        return scores
    last = sorted(scores.values(), reverse=True)[k - 1]
    return {number: score for number, score in scores.items() if score >= last - slack * abs(last)}
