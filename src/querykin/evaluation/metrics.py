"""How well do scores agree with grades? The metrics of the papers, for millions of pairs.

Means over groups are over groups with both classes, relevant and not: elsewhere no order is better than
another. A value that is not defined is NaN. Areas under curves and the rank correlation take equal scores
as equal; precision, average precision and nDCG need a strict order, so equal scores stand in a random one.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.stats import spearmanr

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.evaluation.ranked_groups import RankedGroups, Thresholds, rank, starts, thresholds

RECALLS = np.arange(11) / 10


@dataclass(frozen=True)
class Metrics:
    """The metrics of one measure on judged pairs, and for means over groups the value of each group."""

    values: dict[str, float]
    by_group: dict[
        str, Float64Array
    ]  # the values' means: one entry per group, NaN where it has only one class
    groups: Int64Array  # the groups' numbers, rising
    eleven_points: Float64Array = field(
        default_factory=lambda: np.empty(0)
    )  # precision at the recalls 0, 0.1, ... 1


def all_metrics(
    scores: Float64Array,
    grades: Float64Array,
    groups: Int64Array,
    relevant: float,
    always_scores: bool = False,
    seed: int = 0,
) -> Metrics:
    """Every metric of one measure's scores; `always_scores` says that the measure never leaves one out.

    >>> scores, grades = np.array([0.9, 0.4, 0.1, 0.3, 0.8, np.nan]), np.array([2.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    >>> found = all_metrics(scores, grades, np.array([1, 1, 1, 2, 2, 2]), relevant=1)
    >>> {name: round(value, 3) for name, value in found.values.items()}
    {'coverage': 0.833, 'auc': 0.556, 'mean_auc': 0.5, 'map': 0.667, 'ndcg': 0.791, 'p@1': 0.5,
     'p@3': 0.5, 'p@5': 0.3, 'spearman': 0.309, 'auc_pr': 0.7, 'tpr@0.1': 0.333, 'tpr@0.2': 0.333}
    >>> found.by_group["map"].round(3).tolist()
    [0.833, 0.5]
    """
    kept = thresholds(scores, grades, relevant)
    ranked = rank(scores, grades, groups, relevant, seed)
    by_group = {
        "mean_auc": group_auc(ranked),
        "map": average_precision(ranked),
        "ndcg": ndcg(ranked),
        "p@1": precision_at(ranked, 1),
        "p@3": precision_at(ranked, 3),
        "p@5": precision_at(ranked, 5),
    }
    values = {
        "coverage": coverage(scores, always_scores),
        "auc": auc(kept),
        **{name: mean(each) for name, each in by_group.items()},
        "spearman": spearman(scores, grades),
        "auc_pr": auc_pr(kept),
        "tpr@0.1": tpr_at(kept, 0.1),
        "tpr@0.2": tpr_at(kept, 0.2),
    }
    return Metrics(values, by_group, ranked.groups, eleven_points(ranked))


def mean(values: Float64Array) -> float:
    """The mean over the groups where a value is defined."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan


def coverage(scores: Float64Array, always_scores: bool) -> float:
    """Share of pairs on which a measure has an opinion.

    A measure that gives every pair a number (word overlap) has one where the number is above 0, as in Yih &
    Meek (2007); any other where it gives a number at all.
    """
    return mean((scores > 0 if always_scores else ~np.isnan(scores)).astype(np.float64))


def spearman(scores: Float64Array, grades: Float64Array) -> float:
    """Rank correlation of score and grade over all pairs; equal values share their mean rank."""
    low = np.where(np.isnan(scores), -np.inf, scores)
    if (low == low[:1]).all() or (grades == grades[:1]).all():
        return np.nan
    return float(spearmanr(low, grades).statistic)


def auc(kept: Thresholds) -> float:
    """Chance that a relevant pair has a higher score than an irrelevant one, over all pairs; equal is half.

    >>> auc(thresholds(np.array([0.9, 0.5, 0.5, np.nan]), np.array([1, 1, 0, 0]), relevant=1))
    0.875
    """
    above = kept.relevant - np.diff(kept.relevant, prepend=0) / 2
    wins = (np.diff(kept.irrelevant, prepend=0) * above).sum()
    return _whole(wins, kept.relevant[-1:] * kept.irrelevant[-1:])


def auc_pr(kept: Thresholds) -> float:
    """Area under the precision-recall curve of all pairs: the sum of precision x gain in recall.

    Each threshold adds its precision times what it adds to recall, without interpolation; this is average
    precision over all pairs at once, with equal scores as one step.
    """
    steps = np.diff(kept.relevant, prepend=0) * (kept.relevant / kept.pairs)
    return _whole(steps.sum(), kept.relevant[-1:])


def tpr_at(kept: Thresholds, fpr: float) -> float:
    """Share of relevant pairs kept when this share of irrelevant ones is let through.

    Between two thresholds the ROC curve is a straight line; where it rises upright, the upper end counts.
    """
    let_through = np.append(0, kept.irrelevant)
    hits = np.interp(fpr * let_through[-1], let_through, np.append(0, kept.relevant))
    return _whole(float(hits), kept.relevant[-1:]) if let_through[-1] else np.nan


def group_auc(ranked: RankedGroups) -> Float64Array:
    """The area under the ROC curve of each group: as `auc`, among the group's own pairs."""
    marks = starts(ranked.scores)
    marks[ranked.indptr[:-1]] = True
    edges = np.append(np.flatnonzero(marks), len(marks))
    hits = np.diff(ranked.counted[edges])
    misses = np.diff(edges) - hits
    above = ranked.hits[edges[1:] - 1] - hits / 2
    wins = np.add.reduceat(misses * above, np.searchsorted(edges, ranked.indptr[:-1]))
    return _each(ranked, wins, ranked.found * (ranked.sizes - ranked.found))


def average_precision(ranked: RankedGroups) -> Float64Array:
    """Mean precision at the ranks of each group's relevant pairs."""
    precision = np.where(ranked.relevant, ranked.hits / ranked.ranks, 0.0)
    return _each(ranked, ranked.sums(precision), ranked.found)


def precision_at(ranked: RankedGroups, k: int) -> Float64Array:
    """Share of relevant pairs among the first k of each group; a group of fewer pairs is divided by k too."""
    top = ranked.indptr[:-1] + np.minimum(ranked.sizes, k) - 1
    return _each(ranked, ranked.hits[top], np.full(len(top), k))


def ndcg(ranked: RankedGroups) -> Float64Array:
    """Discounted gain of each group, sum of grade / log2(rank + 1), as a share of the best order's.

    A grade below 0 gains nothing.
    """
    gains = np.maximum(ranked.grades, 0.0)
    places = np.repeat(np.arange(len(ranked.groups)), ranked.sizes)
    best = gains[np.lexsort((-gains, places))]
    discounts = np.log2(ranked.ranks + 1)
    return _each(ranked, ranked.sums(gains / discounts), ranked.sums(best / discounts))


def interpolated_precision(ranked: RankedGroups) -> Float64Array:
    """Eleven precisions for each group: the best at a recall of at least 0, 0.1, ... 1."""
    places = np.flatnonzero(ranked.relevant)
    groups = np.repeat(np.arange(len(ranked.groups)), ranked.found)
    tenths = 10 * ranked.hits[places] // ranked.found[groups]
    best = np.zeros((len(ranked.groups), len(RECALLS)))
    np.maximum.at(best, (groups, tenths), ranked.hits[places] / ranked.ranks[places])
    best = np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]
    best[~_both(ranked)] = np.nan
    return best


def eleven_points(ranked: RankedGroups) -> Float64Array:
    """The best precision at a recall of at least 0, 0.1, ... 1, as means over groups with both classes."""
    return np.array([mean(each) for each in interpolated_precision(ranked).T])


def _both(ranked: RankedGroups) -> BoolArray:
    """Which groups have relevant pairs and others."""
    return (ranked.found > 0) & (ranked.found < ranked.sizes)


def _each(
    ranked: RankedGroups, above: Float64Array | Int64Array, below: Float64Array | Int64Array
) -> Float64Array:
    """Quotients of the groups with both classes, NaN for the others."""
    out = np.full(len(ranked.groups), np.nan)
    np.divide(above, below, out=out, where=_both(ranked) & (below > 0))
    return out


def _whole(above: float, below: Int64Array) -> float:
    """A quotient over all pairs; NaN without any, or when nothing is below the line."""
    return float(above / below[0]) if below.any() else np.nan
