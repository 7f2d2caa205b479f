"""Preferences: pairs of candidates of one group whose grades differ, and how well scores order them.

Two samplers serve two learners. They draw differently, and models were published with each, so both stay:

- `sample_preferences` limits each group separately and returns no weights; the preference loss of TWEAK
  (Yih 2009) averages within groups itself.
- `weighted_preferences` also limits all groups together and the size of one group, and returns a weight for
  each preference; combinations (Yih & Meek 2007) and `pairwise_accuracy` use it.
"""

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array

MAX_PER_GROUP = 300  # preferences drawn from one group; more add little
MIN_PER_GROUP = 20  # drawn from a group however many groups there are
MAX_TOTAL = 20_000  # drawn from all groups together, approximately
MAX_GROUP_ROWS = 1000  # a larger group is sampled down to this many rows before its pairs are enumerated


def sample_preferences(
    grades: Float64Array, groups: Int64Array, seed: int = 0, max_per_group: int = MAX_PER_GROUP
) -> tuple[Int64Array, Int64Array]:
    """Rows of the better and of the worse candidate of each preference, unweighted.

    A group with more than `max_per_group` preferences gives a random sample of them.

    >>> better, worse = sample_preferences(np.array([0.0, 1.0, 1.0, 1.0]), np.array([7, 7, 7, 8]))
    >>> better.tolist(), worse.tolist()
    ([1, 2], [0, 0])
    """
    rng = np.random.default_rng(seed)
    better, worse = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for rows in _rows_by_group(groups):
        high, low = _ordered_pairs(grades[rows])
        if len(high) > max_per_group:
            drawn = np.sort(rng.permutation(len(high))[:max_per_group])
            high, low = high[drawn], low[drawn]
        better.append(rows[high])
        worse.append(rows[low])
    return np.concatenate(better), np.concatenate(worse)


def weighted_preferences(
    grades: Float64Array, groups: Int64Array, seed: int = 0
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """Rows of the better and of the worse candidate of each preference, and the preference's weight.

    The weights of every group that has preferences sum to the mean group size, so that a query counts once
    however many of its candidates were judged. The more groups there are, the fewer preferences are drawn
    from each.

    >>> better, worse, weights = weighted_preferences(np.array([2.0, 0.0, 1.0, 5.0]), np.array([0, 0, 0, 1]))
    >>> sorted(zip(better.tolist(), worse.tolist())), weights.tolist()
    ([(0, 1), (0, 2), (2, 1)], [0.6666666666666666, 0.6666666666666666, 0.6666666666666666])
    """
    rng = np.random.default_rng(seed)
    rows_by_group = _rows_by_group(groups)
    max_per_group = max(MIN_PER_GROUP, min(MAX_PER_GROUP, MAX_TOTAL // max(1, len(rows_by_group))))
    pairs = [np.zeros((2, 0), np.int64)]
    weights, group_weight = [np.zeros(0)], len(groups) / max(1, len(rows_by_group))
    for rows in rows_by_group:
        if len(rows) > MAX_GROUP_ROWS:
            rows = rng.choice(rows, MAX_GROUP_ROWS, replace=False)
        high, low = _ordered_pairs(grades[rows])
        if len(high) > max_per_group:
            drawn = rng.choice(len(high), max_per_group, replace=False)
            high, low = high[drawn], low[drawn]
        pairs.append(np.stack([rows[high], rows[low]]))
        weights.append(np.full(len(high), group_weight / max(1, len(high))))
    better, worse = np.hstack(pairs)
    return better, worse, np.concatenate(weights)


def _rows_by_group(groups: Int64Array) -> list[Int64Array]:
    if not len(groups):
        return []
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)


def _ordered_pairs(grades: Float64Array) -> tuple[Int64Array, Int64Array]:
    """All pairs of rows of which the first has the higher grade."""
    high, low = np.nonzero(grades[:, None] > grades[None, :])
    return high, low


def comparable(grades: Float64Array, groups: Int64Array) -> Int64Array:
    """The groups, or one group of all rows if no group has two different grades (one candidate a query)."""
    defined = ~np.isnan(pairwise_accuracy(np.zeros(len(grades)), grades, groups))
    return groups if defined.any() else np.zeros_like(groups)


def pairwise_accuracy(scores: Float64Array, grades: Float64Array, groups: Int64Array) -> Float64Array:
    """Share of each group's preferences that the scores order correctly, ties half; NaN without any."""
    better, worse, _ = weighted_preferences(grades, groups)
    correct = (scores[better] > scores[worse]) + 0.5 * (scores[better] == scores[worse])
    names, group_of_row = np.unique(groups, return_inverse=True)
    counts = np.bincount(group_of_row[better], minlength=len(names))
    totals = np.bincount(group_of_row[better], correct, len(names))
    accuracy: Float64Array = totals / np.where(counts, counts, np.nan)
    return accuracy


def one_standard_error_rule(accuracies: Float64Array) -> int:
    """The simplest setting whose accuracy is within one standard error of the best (Breiman et al. 1984).

    Rows are settings, the simplest first; columns are groups. The standard error is that of the paired
    difference from the best setting.

    >>> one_standard_error_rule(np.array([[0.5, 0.5, 0.6], [0.7, 0.8, 0.8], [0.9, 0.7, 0.8]]))
    1
    """
    defined = accuracies[:, ~np.isnan(accuracies[0])]
    if not defined.size:
        return 0
    best = defined[np.argmax(defined.mean(axis=1))]
    loss = best - defined
    return int(np.argmax(loss.mean(axis=1) <= loss.std(axis=1) / np.sqrt(defined.shape[1])))
