"""The best rows by brute force: proves `index.maxscore` and `index.blocks`."""

from collections.abc import Sequence
from math import log1p

from reference.vectors import Row


def inner_product(row: Row, query: Row) -> float:
    """Added up in the order of the features, as the kernel does: equal to the last bit."""
    total = 0.0
    for feature in sorted(query):
        total += query[feature] * row.get(feature, 0.0)
    return total


def top_k(rows: Sequence[Row], live: Sequence[bool], query: Row, k: int) -> list[tuple[int, float]]:
    """The score of every living row, sorted by (-score, number); rows that share nothing are left out.

    The first k, and all that tie with the last of them.
    """
    scores = [(number, inner_product(row, query)) for number, row in enumerate(rows) if live[number]]
    found = [(number, score) for number, score in scores if score > 0]
    ranked = sorted(found, key=lambda pair: (-pair[1], pair[0]))
    return [pair for pair in ranked if len(ranked) <= k or pair[1] >= ranked[k - 1][1]]


def gained(row: Row, query: Row, gains: Row) -> float:
    """The inner product in the order of the features, w counting log(1 + g w) where a feature has a gain."""
    total = 0.0
    for feature in sorted(query):
        weight, gain = row.get(feature, 0.0), gains.get(feature, 0.0)
        total += query[feature] * (log1p(gain * weight) if gain else weight)
    return total


def penalized(
    rows: Sequence[Row],
    live: Sequence[bool],
    query: Row,
    gains: Row,
    length_penalties: Sequence[float],
    mass: float,
    k: int,
    slack: float,
) -> dict[int, float]:
    """What is left of every living row's product after its burden, by number; NaN is no burden but no row.

    The k best, and all that come within a share of `slack` of the last.
    """
    left = {
        number: gained(row, query, gains) - mass * length_penalties[number]
        for number, row in enumerate(rows)
        if live[number] and length_penalties[number] == length_penalties[number]
    }
    if len(left) <= k:
        return left
    last = sorted(left.values(), reverse=True)[k - 1]
    return {number: score for number, score in left.items() if score >= last - slack * abs(last)}
