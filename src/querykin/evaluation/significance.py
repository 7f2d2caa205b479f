"""Is one measure better than another, or was it luck? Tests and intervals that go by group (query)."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import bootstrap, ttest_rel

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, UInt8Array
from querykin.compute.jit import njit
from querykin.evaluation.ranked_groups import sort_descending

RESAMPLES = 1_000
PERMUTATIONS = 9_999
DRAWS = 200_000_000  # changes of sign drawn for one test: with very many groups there are fewer rounds
BATCH = 5_000_000  # of them at once, which bounds the memory
BUNDLES = 500


@dataclass(frozen=True)
class Interval:
    """How much better one measure is, and the middle 95 % of what resampled groups give."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """A metric under two measures, group by group: the mean difference and whether it may be luck.

    `t_test` is the p-value of Student's paired test, `permutation` the share of random exchanges of the two
    measures' values in groups that give a mean difference as large. Both are two-sided.
    """

    groups: int
    interval: Interval
    t_test: float
    permutation: float


def compare(ours: Float64Array, theirs: Float64Array, seed: int = 0) -> Comparison:
    """Compare a metric's values in the same groups (or folds) under two measures.

    Groups where one value is NaN are left out. With fewer than two groups there is no interval and no test,
    when all differences are equal no t test (NaN). Up to 13 groups every exchange is tried, not a sample.

    >>> found = compare(np.array([0.9, 0.6, 0.5, 0.8]), np.array([0.7, 0.5, 0.4, 0.4]))
    >>> found.groups, round(found.interval.difference, 3), round(found.t_test, 3), found.permutation
    (4, 0.2, 0.066, 0.125)
    """
    both = ~np.isnan(ours) & ~np.isnan(theirs)
    ours, theirs = ours[both], theirs[both]
    differences = ours - theirs
    count = len(differences)
    if count < 2:
        difference = float(differences[0]) if count else np.nan
        return Comparison(count, Interval(difference, np.nan, np.nan), np.nan, np.nan)
    batch = max(1, BATCH // count)
    resampled = bootstrap(
        (differences,), np.mean, n_resamples=RESAMPLES, batch=batch, method="percentile", random_state=seed
    ).bootstrap_distribution
    constant = np.ptp(differences) <= 1e-9 * np.abs(differences).max()
    return Comparison(
        count,
        _interval(float(differences.mean()), resampled),
        np.nan if constant else float(ttest_rel(ours, theirs).pvalue),
        _exchange(differences, batch, seed),
    )


def _exchange(differences: Float64Array, batch: int, seed: int) -> float:
    """The share of exchanges, this one among them, with a mean difference as large in either direction."""
    count = len(differences)
    if 2**count <= PERMUTATIONS:
        kept = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return float(_as_large(kept, differences).mean())
    rng, rounds = np.random.default_rng(seed), min(PERMUTATIONS, DRAWS // count)
    larger = 1
    for done in range(0, rounds, batch):
        drawn = rng.integers(0, 256, (min(batch, rounds - done), count // 8 + 1), np.uint8)
        larger += int(_as_large(np.unpackbits(drawn, axis=1, count=count), differences).sum())
    return larger / (rounds + 1)


def _as_large(kept: Int64Array | UInt8Array, differences: Float64Array) -> BoolArray:
    """Which rows give a sum as large as all differences do; a 0 turns a difference's sign."""
    total = float(differences.sum())
    sums: Float64Array = 2 * (kept @ differences) - total
    slack = 1e-9 * float(np.abs(differences).sum())  # the last bits depend on the order of adding
    return np.abs(sums) >= abs(total) - slack


def compare_auc(
    ours: Float64Array,
    theirs: Float64Array,
    grades: Float64Array,
    groups: Int64Array,
    relevant: float,
    seed: int = 0,
) -> Interval:
    """How much higher the AUC over all pairs is with our scores than with theirs; groups are resampled.

    A resample that holds group g w[g] times has the AUC (w' M w) / (w' P)(w' N): M[g, h] counts how often a
    relevant pair of g beats an irrelevant one of h, P and N the relevant and irrelevant pairs of each. More
    than 500 groups are first put together at random into 500 bundles, which are then resampled instead.

    >>> ours, theirs, grades = np.array([0.9, 0.1, 0.8, 0.2]), np.full(4, 0.5), np.array([1.0, 0.0, 1.0, 0.0])
    >>> compare_auc(ours, theirs, grades, np.array([0, 0, 1, 1]), relevant=1)
    Interval(difference=0.5, low=0.5, high=0.5)
    """
    good = grades >= relevant
    if good.all() or not good.any():
        return Interval(np.nan, np.nan, np.nan)
    rng = np.random.default_rng(seed)
    numbers, units = np.unique(groups, return_inverse=True)
    count = min(len(numbers), BUNDLES)
    bundles = (rng.permutation(len(numbers)) % count)[units]
    drawn = rng.multinomial(count, np.full(count, 1 / count), RESAMPLES)
    times = np.vstack([np.ones(count), drawn])  # the first round takes every group once: the data themselves
    pairs = (times @ np.bincount(bundles[good], minlength=count)) * (
        times @ np.bincount(bundles[~good], minlength=count)
    )
    wins = _wins(ours, bundles, good, count) - _wins(theirs, bundles, good, count)
    usable = pairs > 0  # a resample may lack one of the classes
    differences = ((times @ wins) * times).sum(axis=1)[usable] / pairs[usable]
    return _interval(float(differences[0]), differences[1:] if count > 1 else np.empty(0))


def _wins(scores: Float64Array, groups: Int64Array, good: BoolArray, count: int) -> Float64Array:
    order, edges = sort_descending(scores)
    return _count_wins(groups[order], good[order], edges, count)


@njit
def _count_wins(groups: Int64Array, good: BoolArray, edges: Int64Array, count: int) -> Float64Array:
    """How often relevant pairs of one group beat irrelevant ones of another [h, g]; equal counts half."""
    wins = np.zeros((count, count))
    above = np.zeros(count)
    for run in range(len(edges) - 1):
        begin, end = edges[run], edges[run + 1]
        for i in range(begin, end):
            if good[i]:
                above[groups[i]] += 0.5
        for i in range(begin, end):
            if not good[i]:
                wins[groups[i]] += above
        for i in range(begin, end):
            if good[i]:
                above[groups[i]] += 0.5
    return wins


def _interval(difference: float, resampled: Float64Array) -> Interval:
    if not len(resampled):
        return Interval(difference, np.nan, np.nan)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Interval(difference, float(low), float(high))


def bonferroni(p_values: Float64Array) -> Float64Array:
    """P-values of several comparisons, each times their number; NaN is no comparison.

    >>> bonferroni(np.array([0.01, 0.04, 0.5])).tolist()
    [0.03, 0.12, 1.0]
    """
    return np.minimum(p_values * np.count_nonzero(~np.isnan(p_values)), 1.0)


def holm(p_values: Float64Array) -> Float64Array:
    """P-values of several comparisons by Holm's steps: as safe as Bonferroni's, never larger.

    The smallest is multiplied by the number of comparisons, the next by one less, and so on; none is smaller
    than the one before it.

    >>> holm(np.array([0.01, 0.04, 0.5])).tolist()
    [0.03, 0.08, 0.5]
    """
    order = np.argsort(p_values)  # NaN last
    left = np.count_nonzero(~np.isnan(p_values)) - np.arange(len(p_values))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * left), 1.0)
    return adjusted
