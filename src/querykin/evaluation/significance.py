"""Significance of differences between measures: tests and bootstrap intervals over groups (queries)."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, UInt8Array
from querykin.compute.jit import njit
from querykin.evaluation.ranked_groups import sort_descending

RESAMPLES = 1_000
PERMUTATIONS = 9_999
MAX_DRAWS = 200_000_000  # signs drawn for one test: with very many groups there are fewer permutations
BATCH = 5_000_000  # signs drawn at once, which bounds the memory
MAX_BUNDLES = 500


@dataclass(frozen=True)
class Interval:
    """A difference and its 95 % percentile bootstrap interval over groups."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """The mean difference of a metric between two measures over groups, with two-sided p-values.

    `t_test` is Student's paired t test, `permutation` the paired permutation test (sign flips).
    """

    groups: int
    interval: Interval
    t_test: float
    permutation: float


def compare(values: Float64Array, baseline: Float64Array, seed: int = 0) -> Comparison:
    """Compare the values of a metric in the same groups (or folds) under two measures.

    Groups where either value is NaN are left out. With fewer than two groups the interval and both tests are
    NaN; if all differences are equal, the t test is. With up to 13 groups the permutation test is exact.

    >>> found = compare(np.array([0.9, 0.6, 0.5, 0.8]), np.array([0.7, 0.5, 0.4, 0.4]))
    >>> found.groups, round(found.interval.difference, 3), round(found.t_test, 3), found.permutation
    (4, 0.2, 0.066, 0.125)
    """
    defined = ~np.isnan(values) & ~np.isnan(baseline)
    values, baseline = values[defined], baseline[defined]
    differences = values - baseline
    count = len(differences)
    if count < 2:
        difference = float(differences[0]) if count else np.nan
        return Comparison(count, Interval(difference, np.nan, np.nan), np.nan, np.nan)
    from scipy.stats import bootstrap, ttest_rel  # slow to import, and a service starts without

    batch = max(1, BATCH // count)
    resampled = bootstrap(
        (differences,), np.mean, n_resamples=RESAMPLES, batch=batch, method="percentile", random_state=seed
    ).bootstrap_distribution
    constant = np.ptp(differences) <= 1e-9 * np.abs(differences).max()
    return Comparison(
        count,
        _interval(float(differences.mean()), resampled),
        np.nan if constant else float(ttest_rel(values, baseline).pvalue),
        _permutation_test(differences, batch, seed),
    )


def _permutation_test(differences: Float64Array, batch: int, seed: int) -> float:
    """Two-sided p-value of the mean difference under random sign flips, the observed signs included.

    About 20 times as fast as `scipy.stats.permutation_test` on 2,000 groups (.09 s against 2 s): signs are
    drawn as bits and summed by one matrix product.
    """
    count = len(differences)
    if 2**count <= PERMUTATIONS:
        signs = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return float(_is_extreme(signs, differences).mean())
    rng, rounds = np.random.default_rng(seed), min(PERMUTATIONS, MAX_DRAWS // count)
    extreme = 1
    for done in range(0, rounds, batch):
        drawn = rng.integers(0, 256, (min(batch, rounds - done), count // 8 + 1), np.uint8)
        extreme += int(_is_extreme(np.unpackbits(drawn, axis=1, count=count), differences).sum())
    return extreme / (rounds + 1)


def _is_extreme(signs: Int64Array | UInt8Array, differences: Float64Array) -> BoolArray:
    """Which rows of signs (0 flips a difference) give a sum at least as large as the observed one."""
    total = float(differences.sum())
    sums: Float64Array = 2 * (signs @ differences) - total
    slack = 1e-9 * float(np.abs(differences).sum())  # the last bits depend on the order of summation
    return np.abs(sums) >= abs(total) - slack


def compare_auc(
    scores: Float64Array,
    baseline: Float64Array,
    grades: Float64Array,
    groups: Int64Array,
    relevant: float,
    seed: int = 0,
) -> Interval:
    """The difference in AUC over all pairs between two measures, with a bootstrap interval over groups.

    A resample that contains group g w[g] times has the AUC (w' M w) / (w' P)(w' N): M[g, h] counts how often
    a relevant pair of g is above an irrelevant one of h, P and N the relevant and irrelevant pairs of each
    group. More than 500 groups are first merged at random into 500 bundles, which are resampled instead.

    >>> scores, baseline = np.array([0.9, 0.1, 0.8, 0.2]), np.full(4, 0.5)
    >>> compare_auc(scores, baseline, np.array([1.0, 0.0, 1.0, 0.0]), np.array([0, 0, 1, 1]), relevant=1)
    Interval(difference=0.5, low=0.5, high=0.5)
    """
    is_relevant = grades >= relevant
    if is_relevant.all() or not is_relevant.any():
        return Interval(np.nan, np.nan, np.nan)
    rng = np.random.default_rng(seed)
    numbers, group_of = np.unique(groups, return_inverse=True)
    count = min(len(numbers), MAX_BUNDLES)
    bundles = (rng.permutation(len(numbers)) % count)[group_of]
    resamples = rng.multinomial(count, np.full(count, 1 / count), RESAMPLES)
    w = np.vstack([np.ones(count), resamples])  # the first row is the data themselves
    relevant_counts = np.bincount(bundles[is_relevant], minlength=count)
    irrelevant_counts = np.bincount(bundles[~is_relevant], minlength=count)
    pairs = (w @ relevant_counts) * (w @ irrelevant_counts)
    wins = _wins(scores, bundles, is_relevant, count) - _wins(baseline, bundles, is_relevant, count)
    usable = pairs > 0  # a resample may lack one of the classes
    differences = ((w @ wins) * w).sum(axis=1)[usable] / pairs[usable]
    return _interval(float(differences[0]), differences[1:] if count > 1 else np.empty(0))


def _wins(scores: Float64Array, groups: Int64Array, is_relevant: BoolArray, count: int) -> Float64Array:
    order, edges = sort_descending(scores)
    return _count_wins(groups[order], is_relevant[order], edges, count)


@njit
def _count_wins(groups: Int64Array, is_relevant: BoolArray, edges: Int64Array, count: int) -> Float64Array:
    """[h, g]: how often relevant pairs of group g are above irrelevant ones of group h; ties count half."""
    wins = np.zeros((count, count))
    above = np.zeros(count)
    for run in range(len(edges) - 1):
        begin, end = edges[run], edges[run + 1]
        for i in range(begin, end):
            if is_relevant[i]:
                above[groups[i]] += 0.5
        for i in range(begin, end):
            if not is_relevant[i]:
                wins[groups[i]] += above
        for i in range(begin, end):
            if is_relevant[i]:
                above[groups[i]] += 0.5
    return wins


def _interval(difference: float, resampled: Float64Array) -> Interval:
    if not len(resampled):
        return Interval(difference, np.nan, np.nan)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Interval(difference, float(low), float(high))


def holm(p_values: Float64Array) -> Float64Array:
    """P-values of several comparisons adjusted by Holm's step-down method (1979); NaN is not a comparison.

    The smallest is multiplied by the number of comparisons, the next by one less, and so on; the result is
    made monotone. It supersedes Bonferroni's correction, which multiplies every p-value by the number of
    comparisons: it controls the family-wise error rate equally well and is never larger.

    >>> holm(np.array([0.01, 0.04, 0.5])).tolist()
    [0.03, 0.08, 0.5]
    """
    order = np.argsort(p_values)  # NaN last
    remaining = np.count_nonzero(~np.isnan(p_values)) - np.arange(len(p_values))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * remaining), 1.0)
    return adjusted
