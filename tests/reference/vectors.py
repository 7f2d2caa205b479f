"""Sparse rows as dictionaries: the reference for the kernels of `querykin.vectors`."""

from math import sqrt

Row = dict[int, float]


def dot(a: Row, b: Row) -> float:
    """NaN where a row is empty: such a text is not covered."""
    return sum(a[feature] * b[feature] for feature in a if feature in b) if a and b else float("nan")


def plus(a: Row, b: Row, factor: float) -> Row:
    return {feature: a.get(feature, 0.0) + factor * b.get(feature, 0.0) for feature in a | b}


def largest_terms(row: Row, count: int) -> Row:
    """The largest entries; ties go to the smaller feature."""
    kept = sorted(row, key=lambda feature: (-row[feature], feature))[:count]
    return {feature: row[feature] for feature in kept}


def unit(row: Row) -> Row:
    norm = sqrt(sum(weight**2 for weight in row.values()))
    return {feature: weight / norm for feature, weight in row.items()} if norm > 0 else {}


def keep_norm_share(row: Row, share: float, most: int | None = None) -> Row:
    """The fewest largest entries that make up this share of the squared norm, at most `most`."""
    target, total, kept = share * sum(weight**2 for weight in row.values()), 0.0, {}
    for feature in sorted(row, key=lambda feature: (-row[feature], feature))[:most]:
        if total < target:
            kept[feature] = row[feature]
            total += row[feature] ** 2
    return dict(sorted(kept.items()))
