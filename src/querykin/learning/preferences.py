"""Which of two was found better? Pairs of candidates of one group whose grades differ."""

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array

PAIRS = 300  # of one group at most (more say little that is new)
ALL_PAIRS = 20_000  # of all groups together, about
LONGEST = 1000  # rows of one group that are compared with each other; of more, so many at random


def weighted_preferences(
    groups: Int64Array, grades: Float64Array, seed: int = 0
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """Rows that are preferred, the rows they are preferred to, and what each such pair counts.

    The pairs of every group count together as much as an average group has rows: a query is a query, however
    many of its candidates were judged.

    >>> better, worse, weights = weighted_preferences(np.array([0, 0, 0, 1]), np.array([2.0, 0.0, 1.0, 5.0]))
    >>> sorted(zip(better.tolist(), worse.tolist())), weights.tolist()
    ([(0, 1), (0, 2), (2, 1)], [0.6666666666666666, 0.6666666666666666, 0.6666666666666666])
    """
    random = np.random.default_rng(seed)
    order = np.argsort(groups, kind="stable")
    lists = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1) if len(groups) else []
    most = max(20, min(PAIRS, ALL_PAIRS // max(1, len(lists))))
    found = [np.zeros((2, 0), np.int64)]
    weights, each = [np.zeros(0)], len(groups) / max(1, len(lists))
    for rows in lists:
        if len(rows) > LONGEST:
            rows = random.choice(rows, LONGEST, replace=False)
        better, worse = np.nonzero(grades[rows][:, None] > grades[rows][None, :])
        if len(better) > most:
            chosen = random.choice(len(better), most, replace=False)
            better, worse = better[chosen], worse[chosen]
        found.append(np.stack([rows[better], rows[worse]]))
        weights.append(np.full(len(better), each / max(1, len(better))))
    preferred, other = np.hstack(found)
    return preferred, other, np.concatenate(weights)


def comparable(grades: Float64Array, groups: Int64Array) -> Int64Array:
    """The groups, or all rows as one where no group has two different grades: single pairs are such."""
    known = ~np.isnan(pairwise_accuracy(np.zeros(len(grades)), grades, groups))
    return groups if known.any() else np.zeros_like(groups)


def pairwise_accuracy(scores: Float64Array, grades: Float64Array, groups: Int64Array) -> Float64Array:
    """For each group the share of its preferences that scores order rightly; NaN where it has none."""
    better, worse, _ = weighted_preferences(groups, grades)
    right = (scores[better] > scores[worse]) + 0.5 * (scores[better] == scores[worse])
    names, place = np.unique(groups, return_inverse=True)
    counts = np.bincount(place[better], minlength=len(names))
    shares: Float64Array = np.bincount(place[better], right, len(names)) / np.where(counts, counts, np.nan)
    return shares


def one_standard_error_rule(shares: Float64Array) -> int:
    """The first line, the simplest first, that loses less than a standard error against the best one.

    A line has the share of each group's preferences that one candidate orders rightly.

    >>> one_standard_error_rule(np.array([[0.5, 0.5, 0.6], [0.7, 0.8, 0.8], [0.9, 0.7, 0.8]]))
    1
    """
    known = shares[:, ~np.isnan(shares[0])]
    if not known.size:
        return 0
    best = known[np.argmax(known.mean(axis=1))]
    lost = best - known
    return int(np.argmax(lost.mean(axis=1) <= lost.std(axis=1) / np.sqrt(known.shape[1])))
