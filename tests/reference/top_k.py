"""The best rows by brute force: proves `index.kernels.top_k`."""

from collections.abc import Sequence

from reference.vectors import Row


def inner_product(row: Row, query: Row) -> float:
    """Added up in the query's order, the heaviest first, as the kernel does: equal to the last bit."""
    total = 0.0
    for feature in sorted(query, key=lambda feature: (-query[feature], feature)):
        total += query[feature] * row.get(feature, 0.0)
    return total


def top_k(rows: Sequence[Row], alive: Sequence[bool], query: Row, k: int) -> list[tuple[int, float]]:
    """The score of every living row, sorted by (-score, number); rows that share nothing are left out."""
    scores = [(number, inner_product(row, query)) for number, row in enumerate(rows) if alive[number]]
    found = [(number, score) for number, score in scores if score > 0]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]
