"""Differences in metrics over all pairs together that have no closed form, with bootstrap intervals over groups."""

from collections.abc import Callable

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.evaluation.significance import RESAMPLES, Interval

Metric = Callable[[Float64Array, Float64Array], float]  # of scores and grades


def compare_pooled(
    metric: Metric,
    scores: Float64Array,
    baseline: Float64Array,
    grades: Float64Array,
    groups: Int64Array,
    seed: int = 0,
) -> Interval:
    """The difference of a metric between two measures; a resample has all pairs of the groups drawn.

    >>> from querykin.evaluation.metrics import spearman
    >>> grades = np.arange(6.0)
    >>> found = compare_pooled(spearman, grades, -grades, grades, np.arange(6))
    >>> round(found.difference, 6), round(found.low, 6), round(found.high, 6)
    (2.0, 2.0, 2.0)
    """
    order = np.argsort(groups, kind="stable")
    rows_of = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)

    def apart(rows: Int64Array) -> float:
        return metric(scores[rows], grades[rows]) - metric(baseline[rows], grades[rows])

    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(rows_of), (RESAMPLES, len(rows_of)))
    resampled = [apart(np.concatenate([rows_of[group] for group in groups])) for groups in drawn]
    low, high = np.nanquantile(resampled, [0.025, 0.975])
    return Interval(apart(order), float(low), float(high))
