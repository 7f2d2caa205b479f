"""Points of curves over all pairs, thinned out for plotting."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.evaluation.ranked_groups import Thresholds, sort_descending

MAX_POINTS = 500
MAX_GRADES = 10


@dataclass(frozen=True)
class Curve:
    """Points of a line from left to right; none if the curve is undefined."""

    x: Float64Array
    y: Float64Array


def precision_recall(cuts: Thresholds) -> Curve:
    """Precision against recall over all pairs, one point for each threshold.

    >>> from querykin.evaluation.ranked_groups import thresholds
    >>> cuts = thresholds(np.array([0.9, 0.8, 0.3, np.nan]), np.array([1, 0, 1, 0]), relevant=1)
    >>> precision_recall(cuts).x.tolist(), precision_recall(cuts).y.round(2).tolist()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.67, 0.5])
    """
    if not cuts.relevant.any():
        return Curve(np.empty(0), np.empty(0))
    return _thinned(cuts.relevant / cuts.relevant[-1], cuts.relevant / cuts.pairs)


def roc(cuts: Thresholds) -> Curve:
    """True positive rate against false positive rate, from (0, 0) to (1, 1)."""
    relevant, irrelevant = np.append(0, cuts.relevant), np.append(0, cuts.irrelevant)
    if not relevant[-1] or not irrelevant[-1]:
        return Curve(np.empty(0), np.empty(0))
    return _thinned(irrelevant / irrelevant[-1], relevant / relevant[-1])


@dataclass(frozen=True)
class Ratings:
    """Mean grade and number of suggestions by threshold: figures 1 and 2 of Sahami & Heilman (2006)."""

    thresholds: Float64Array  # descending
    mean_grades: Float64Array  # of the pairs with at least this score
    per_group: Float64Array  # mean number of these pairs per group (query)


def ratings(cuts: Thresholds, groups: int) -> Ratings:
    """Mean grade of the pairs at or above each score, and their number per group.

    >>> from querykin.evaluation.ranked_groups import thresholds
    >>> cuts = thresholds(np.array([0.9, 0.4, 0.4]), np.array([5.0, 3.0, 1.0]), relevant=3)
    >>> found = ratings(cuts, groups=2)
    >>> found.thresholds.tolist(), found.mean_grades.tolist(), found.per_group.tolist()
    ([0.9, 0.4], [5.0, 3.0], [0.5, 1.5])
    """
    scored = ~np.isnan(cuts.scores)
    means = (cuts.grades / cuts.pairs)[scored]
    chosen = _evenly_spaced(cuts.pairs[scored].astype(np.float64), means)
    return Ratings(cuts.scores[scored][chosen], means[chosen], cuts.pairs[scored][chosen] / groups)


@dataclass(frozen=True)
class Distribution:
    """Histograms of scores by grade: counts[c, b] pairs of class c between edges[b] and edges[b + 1]."""

    grades: Float64Array  # the lowest grade of each class
    edges: Float64Array
    counts: Int64Array


def distribution(scores: Float64Array, grades: Float64Array, relevant: float, bins: int = 40) -> Distribution:
    """Count the scores of each grade in bins of equal width; pairs without a score are left out.

    More than ten different grades are merged into two classes: below `relevant`, and from it on.
    """
    scale = np.unique(grades)
    if len(scale) > MAX_GRADES:
        scale = np.unique([scale[0], max(relevant, scale[0])])
    scored = np.isfinite(scores)
    edges = np.histogram_bin_edges(scores[scored], bins)
    classes = np.searchsorted(scale, grades[scored], side="right") - 1
    counts = [np.histogram(scores[scored][classes == number], edges)[0] for number in range(len(scale))]
    return Distribution(scale, edges, np.array(counts, np.int64).reshape(len(scale), bins))


@dataclass(frozen=True)
class Reliability:
    """Reliability diagram: mean score and share of relevant pairs, for bins of about equal size."""

    scores: Float64Array
    relevant: Float64Array
    pairs: Int64Array
    error: float  # expected calibration error: mean |score - share| over the pairs


def reliability(scores: Float64Array, grades: Float64Array, relevant: float, bins: int = 10) -> Reliability:
    """Compare scores with the share of relevant pairs; ties stay in one bin.

    Pairs without a score are left out. Scores outside 0 to 1 are not probabilities: no bins, error NaN.

    >>> found = reliability(np.array([0.9, 0.7, 0.2, 0.2]), np.array([1, 1, 0, 1]), relevant=1, bins=2)
    >>> found.scores.round(3).tolist(), found.relevant.tolist(), round(found.error, 3)
    ([0.2, 0.8], [0.5, 1.0], 0.25)
    """
    scored = ~np.isnan(scores)
    is_relevant, values = grades[scored] >= relevant, scores[scored]
    if not len(values) or values.min() < 0 or values.max() > 1:
        return Reliability(np.empty(0), np.empty(0), np.empty(0, np.int64), np.nan)
    order, edges = sort_descending(-values)
    bin_of_run = (edges[:-1] + edges[1:]) * bins // (2 * len(values))
    bin_of_pair = np.repeat(bin_of_run, np.diff(edges))
    pairs = np.bincount(bin_of_pair)
    used = pairs > 0
    pairs = pairs[used]
    means = np.bincount(bin_of_pair, values[order])[used] / pairs
    shares = np.bincount(bin_of_pair, is_relevant[order])[used] / pairs
    return Reliability(means, shares, pairs, float(np.average(np.abs(means - shares), weights=pairs)))


def _thinned(x: Float64Array, y: Float64Array) -> Curve:
    chosen = _evenly_spaced(x, y)
    return Curve(x[chosen], y[chosen])


def _evenly_spaced(x: Float64Array, y: Float64Array) -> Int64Array:
    """Indices of at most MAX_POINTS points, evenly spaced along the line, with both ends."""
    if len(x) <= MAX_POINTS:
        return np.arange(len(x))
    steps = np.abs(np.diff(x)) / max(np.ptp(x), 1e-300) + np.abs(np.diff(y)) / max(np.ptp(y), 1e-300)
    length = np.append(0.0, np.cumsum(steps))
    chosen = np.searchsorted(length, np.linspace(0.0, length[-1], MAX_POINTS))
    return np.unique(np.append(chosen[:-1], len(x) - 1))
