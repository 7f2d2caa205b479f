"""Metrics of scores against grades, vectorized for millions of pairs.

Means over groups are over groups with both relevant and irrelevant pairs: elsewhere every order is equally
good. An undefined value is NaN. Areas under curves and rank correlation treat ties as ties; precision,
average precision and nDCG need a strict order, in which ties are broken at random.
"""

from dataclasses import dataclass, field

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.evaluation.ranked_groups import RankedGroups, Thresholds, rank, starts, thresholds

RECALLS = np.arange(11) / 10


@dataclass(frozen=True)
class Metrics:
    """The metrics of one measure; those that are means over groups also as the value of each group."""

    values: dict[str, float]
    by_group: dict[str, Float64Array]  # one entry per group, NaN where it has only one class
    groups: Int64Array  # group numbers, ascending
    # Interpolated precision at the recalls 0, 0.1, ... 1; empty for ranked lists.
    eleven_points: Float64Array = field(default_factory=lambda: np.empty(0))


def all_metrics(
    scores: Float64Array,
    grades: Float64Array,
    groups: Int64Array,
    relevant: float,
    always_scores: bool = False,
    seed: int = 0,
) -> Metrics:
    """All metrics of the scores of one measure; for `always_scores` see `coverage`.

    >>> scores, grades = np.array([0.9, 0.4, 0.1, 0.3, 0.8, np.nan]), np.array([2.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    >>> found = all_metrics(scores, grades, np.array([1, 1, 1, 2, 2, 2]), relevant=1)
    >>> {name: round(value, 3) for name, value in found.values.items()}
    {'coverage': 0.833, 'auc': 0.556, 'mean_auc': 0.5, 'map': 0.667, 'ndcg': 0.791, 'p@1': 0.5,
     'p@3': 0.5, 'p@5': 0.3, 'spearman': 0.309, 'auc_pr': 0.7, 'tpr@0.1': 0.333, 'tpr@0.2': 0.333}
    >>> found.by_group["map"].round(3).tolist()
    [0.833, 0.5]
    """
    cuts = thresholds(scores, grades, relevant)
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
        "auc": auc(cuts),
        **{name: mean(each) for name, each in by_group.items()},
        "spearman": spearman(scores, grades),
        "auc_pr": auc_pr(cuts),
        "tpr@0.1": tpr_at(cuts, 0.1),
        "tpr@0.2": tpr_at(cuts, 0.2),
    }
    return Metrics(values, by_group, ranked.groups, eleven_points(ranked))


def mean(values: Float64Array) -> float:
    """The mean of the values that are not NaN; NaN if there is none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan


def coverage(scores: Float64Array, always_scores: bool) -> float:
    """Share of pairs on which a measure has an opinion.

    A measure that never returns NaN (`always_scores`, such as word overlap) has an opinion where its score is
    above 0, as in Yih & Meek (2007); any other where its score is not NaN.
    """
    return mean((scores > 0 if always_scores else ~np.isnan(scores)).astype(np.float64))


def spearman(scores: Float64Array, grades: Float64Array) -> float:
    """Spearman's rank correlation of score and grade over all pairs; ties have their mean rank."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    if (filled == filled[:1]).all() or (grades == grades[:1]).all():
        return np.nan
    from scipy.stats import spearmanr  # slow to import, and a service starts without

    return float(spearmanr(filled, grades).statistic)


def auc(cuts: Thresholds) -> float:
    """Area under the ROC curve over all pairs: P(relevant above irrelevant), ties half (Mann-Whitney).

    >>> auc(thresholds(np.array([0.9, 0.5, 0.5, np.nan]), np.array([1, 1, 0, 0]), relevant=1))
    0.875
    """
    above = cuts.relevant - np.diff(cuts.relevant, prepend=0) / 2
    wins = (np.diff(cuts.irrelevant, prepend=0) * above).sum()
    return _ratio(wins, cuts.relevant[-1:] * cuts.irrelevant[-1:])


def auc_pr(cuts: Thresholds) -> float:
    """Area under the precision-recall curve over all pairs: sum of precision times the step in recall.

    There is no interpolation: this is average precision over all pairs, with each run of ties as one step.
    """
    steps = np.diff(cuts.relevant, prepend=0) * (cuts.relevant / cuts.pairs)
    return _ratio(steps.sum(), cuts.relevant[-1:])


def tpr_at(cuts: Thresholds, fpr: float) -> float:
    """True positive rate at a false positive rate.

    The ROC curve is linear between thresholds; where it is vertical, the upper end counts.
    """
    irrelevant = np.append(0, cuts.irrelevant)
    hits = np.interp(fpr * irrelevant[-1], irrelevant, np.append(0, cuts.relevant))
    return _ratio(float(hits), cuts.relevant[-1:]) if irrelevant[-1] else np.nan


def group_auc(ranked: RankedGroups) -> Float64Array:
    """Area under the ROC curve of each group, as `auc`."""
    run_starts = starts(ranked.scores)
    run_starts[ranked.indptr[:-1]] = True
    edges = np.append(np.flatnonzero(run_starts), len(run_starts))
    hits = np.diff(ranked.relevant_before[edges])
    misses = np.diff(edges) - hits
    above = ranked.hits[edges[1:] - 1] - hits / 2
    wins = np.add.reduceat(misses * above, np.searchsorted(edges, ranked.indptr[:-1]))
    return _group_ratios(ranked, wins, ranked.relevant_counts * (ranked.sizes - ranked.relevant_counts))


def average_precision(ranked: RankedGroups) -> Float64Array:
    """Average precision of each group: mean precision at the ranks of its relevant pairs."""
    precision = np.where(ranked.relevant, ranked.hits / ranked.ranks, 0.0)
    return _group_ratios(ranked, ranked.sums(precision), ranked.relevant_counts)


def precision_at(ranked: RankedGroups, k: int) -> Float64Array:
    """Precision at k of each group; the divisor is k also for groups with fewer pairs."""
    top = ranked.indptr[:-1] + np.minimum(ranked.sizes, k) - 1
    return _group_ratios(ranked, ranked.hits[top], np.full(len(top), k))


def ndcg(ranked: RankedGroups) -> Float64Array:
    """Normalized discounted cumulative gain of each group (Järvelin & Kekäläinen 2002).

    The gain of a pair is its grade, or 0 for a negative one; the discount is log2(rank + 1).
    """
    gains = np.maximum(ranked.grades, 0.0)
    owners = np.repeat(np.arange(len(ranked.groups)), ranked.sizes)
    ideal = gains[np.lexsort((-gains, owners))]
    discounts = np.log2(ranked.ranks + 1)
    return _group_ratios(ranked, ranked.sums(gains / discounts), ranked.sums(ideal / discounts))


def interpolated_precision(ranked: RankedGroups) -> Float64Array:
    """For each group, the highest precision at a recall of at least 0, 0.1, ... 1."""
    entries = np.flatnonzero(ranked.relevant)
    groups = np.repeat(np.arange(len(ranked.groups)), ranked.relevant_counts)
    tenths = 10 * ranked.hits[entries] // ranked.relevant_counts[groups]
    best = np.zeros((len(ranked.groups), len(RECALLS)))
    np.maximum.at(best, (groups, tenths), ranked.hits[entries] / ranked.ranks[entries])
    best = np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]
    best[~_has_both_classes(ranked)] = np.nan
    return best


def eleven_points(ranked: RankedGroups) -> Float64Array:
    """The eleven interpolated precisions as means over groups with both classes."""
    return np.array([mean(each) for each in interpolated_precision(ranked).T])


def _has_both_classes(ranked: RankedGroups) -> BoolArray:
    return (ranked.relevant_counts > 0) & (ranked.relevant_counts < ranked.sizes)


def _group_ratios(
    ranked: RankedGroups, numerator: Float64Array | Int64Array, denominator: Float64Array | Int64Array
) -> Float64Array:
    """Ratios for groups with both classes, NaN for others."""
    out = np.full(len(ranked.groups), np.nan)
    np.divide(numerator, denominator, out=out, where=_has_both_classes(ranked) & (denominator > 0))
    return out


def _ratio(numerator: float, denominator: Int64Array) -> float:
    """The ratio to an array of at most one element; NaN if that is absent or 0."""
    return float(numerator / denominator[0]) if denominator.any() else np.nan
