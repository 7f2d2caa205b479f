"""What should be drawn? Points of curves over all pairs, few enough to plot."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.evaluation.ranked_groups import Thresholds, sort_descending

POINTS = 500
CLASSES = 10


@dataclass(frozen=True)
class Curve:
    """Points of a line, from left to right; none where the curve is not defined."""

    x: Float64Array
    y: Float64Array


def precision_recall(kept: Thresholds) -> Curve:
    """Precision against recall over all pairs, one point for each threshold.

    >>> from querykin.evaluation.ranking import thresholds
    >>> kept = thresholds(np.array([0.9, 0.8, 0.3, np.nan]), np.array([1, 0, 1, 0]), relevant=1)
    >>> precision_recall(kept).x.tolist(), precision_recall(kept).y.round(2).tolist()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.67, 0.5])
    """
    if not kept.relevant.any():
        return Curve(np.empty(0), np.empty(0))
    return _thin(kept.relevant / kept.relevant[-1], kept.relevant / kept.pairs)


def roc(kept: Thresholds) -> Curve:
    """Share of relevant pairs kept against share of irrelevant ones let through, from (0, 0) to (1, 1)."""
    good, bad = np.append(0, kept.relevant), np.append(0, kept.irrelevant)
    if not good[-1] or not bad[-1]:
        return Curve(np.empty(0), np.empty(0))
    return _thin(bad / bad[-1], good / good[-1])


@dataclass(frozen=True)
class Ratings:
    """What a threshold costs and gives: figures 1 and 2 of Sahami & Heilman (2006)."""

    thresholds: Float64Array  # falling
    mean_grades: Float64Array  # of the pairs with a score of at least the threshold
    per_group: Float64Array  # how many these are for each group (query), on average


def ratings(kept: Thresholds, groups: int) -> Ratings:
    """Mean grade of the pairs at or above each score, and their number per group.

    >>> from querykin.evaluation.ranking import thresholds
    >>> kept = thresholds(np.array([0.9, 0.4, 0.4]), np.array([5.0, 3.0, 1.0]), relevant=3)
    >>> found = ratings(kept, groups=2)
    >>> found.thresholds.tolist(), found.mean_grades.tolist(), found.per_group.tolist()
    ([0.9, 0.4], [5.0, 3.0], [0.5, 1.5])
    """
    scored = ~np.isnan(kept.scores)
    means = (kept.grades / kept.pairs)[scored]
    chosen = _spread(kept.pairs[scored].astype(np.float64), means)
    return Ratings(kept.scores[scored][chosen], means[chosen], kept.pairs[scored][chosen] / groups)


@dataclass(frozen=True)
class Distribution:
    """How scores lie for each grade: counts[c, b] pairs of class c between edges[b] and edges[b + 1]."""

    grades: Float64Array  # the grade from which on each class goes
    edges: Float64Array
    counts: Int64Array


def distribution(scores: Float64Array, grades: Float64Array, relevant: float, bins: int = 40) -> Distribution:
    """Count the scores of each grade in bins of equal width; pairs without a score are left out.

    More than ten different grades are two classes: below `relevant`, and from it on.
    """
    scale = np.unique(grades)
    if len(scale) > CLASSES:
        scale = np.unique([scale[0], max(relevant, scale[0])])
    scored = np.isfinite(scores)
    edges = np.histogram_bin_edges(scores[scored], bins)
    classes = np.searchsorted(scale, grades[scored], side="right") - 1
    counts = [np.histogram(scores[scored][classes == number], edges)[0] for number in range(len(scale))]
    return Distribution(scale, edges, np.array(counts, np.int64).reshape(len(scale), bins))


@dataclass(frozen=True)
class Reliability:
    """Are scores probabilities? Mean score and share of relevant pairs, for bins of about equal size."""

    scores: Float64Array
    relevant: Float64Array
    pairs: Int64Array
    error: float  # mean |score - share| over the pairs: the expected calibration error


def reliability(scores: Float64Array, grades: Float64Array, relevant: float, bins: int = 10) -> Reliability:
    """Compare scores with the share of relevant pairs; equal scores stay in one bin.

    Pairs without a score are left out. Scores outside 0 to 1 are no probabilities: no bins, error NaN.

    >>> found = reliability(np.array([0.9, 0.7, 0.2, 0.2]), np.array([1, 1, 0, 1]), relevant=1, bins=2)
    >>> found.scores.round(3).tolist(), found.relevant.tolist(), round(found.error, 3)
    ([0.2, 0.8], [0.5, 1.0], 0.25)
    """
    scored = ~np.isnan(scores)
    good, values = grades[scored] >= relevant, scores[scored]
    if not len(values) or values.min() < 0 or values.max() > 1:
        return Reliability(np.empty(0), np.empty(0), np.empty(0, np.int64), np.nan)
    order, edges = sort_descending(-values)
    middles = (edges[:-1] + edges[1:]) * bins // (2 * len(values))
    places = np.repeat(middles, np.diff(edges))
    pairs = np.bincount(places)
    used = pairs > 0
    pairs = pairs[used]
    means = np.bincount(places, values[order])[used] / pairs
    shares = np.bincount(places, good[order])[used] / pairs
    return Reliability(means, shares, pairs, float(np.average(np.abs(means - shares), weights=pairs)))


def _thin(x: Float64Array, y: Float64Array) -> Curve:
    chosen = _spread(x, y)
    return Curve(x[chosen], y[chosen])


def _spread(x: Float64Array, y: Float64Array) -> Int64Array:
    """At most 500 points of a line, evenly spread along its length, with both ends."""
    if len(x) <= POINTS:
        return np.arange(len(x))
    steps = np.abs(np.diff(x)) / max(np.ptp(x), 1e-300) + np.abs(np.diff(y)) / max(np.ptp(y), 1e-300)
    length = np.append(0.0, np.cumsum(steps))
    places = np.searchsorted(length, np.linspace(0.0, length[-1], POINTS))
    return np.unique(np.append(places[:-1], len(x) - 1))
