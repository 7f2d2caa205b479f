"""Tests and intervals equal SciPy's, or resampling by reference loops."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, ttest_rel

from querykin.evaluation.metrics import auc
from querykin.evaluation.ranked_groups import thresholds
from querykin.evaluation.significance import (
    Interval,
    _count_wins,
    compare,
    compare_auc,
    holm,
    sort_descending,
)
from reference import metrics as reference

RNG = np.random.default_rng(7)


def test_the_t_test_is_scipys_over_groups_with_both_values():
    ours, theirs = RNG.random(50), RNG.random(50)
    ours[3], theirs[8] = nan, nan
    both = np.delete(np.arange(50), [3, 8])
    found = compare(ours, theirs)
    assert found.groups == 48
    assert found.t_test == pytest.approx(ttest_rel(ours[both], theirs[both]).pvalue)
    assert found.interval.difference == pytest.approx((ours - theirs)[both].mean())


def test_the_permutation_test_of_few_groups_is_exact():
    """Ten folds, better in all of them: 2 of 1,024 sign vectors are as extreme."""
    assert compare(np.arange(1.0, 11.0), np.zeros(10)).permutation == pytest.approx(2 / 1024)


@given(st.lists(st.integers(-3, 3).map(lambda n: n / 4), min_size=2, max_size=9))
@settings(deadline=None, max_examples=50)
def test_the_exact_permutation_test_equals_scipy(differences):
    """Sums of quarters are exact: SciPy does not tolerate rounding errors."""
    values = np.array(differences)
    theirs = permutation_test((values,), np.mean, permutation_type="samples", vectorized=True)
    assert compare(values, np.zeros(len(values))).permutation == pytest.approx(theirs.pvalue)


def test_rounding_errors_are_not_a_difference():
    assert compare(np.array([0.0, 1.0, -1 / 3, -2 / 3]), np.zeros(4)).permutation == 1


def test_the_sampled_permutation_test_is_close_to_the_exact_one():
    values = RNG.normal(0.3, 1, 15)
    theirs = permutation_test((values,), np.mean, permutation_type="samples", n_resamples=2**15)
    assert compare(values, np.zeros(15)).permutation == pytest.approx(theirs.pvalue, abs=0.02)


def test_a_clear_difference_is_significant_and_noise_is_not():
    base = RNG.random(200)
    better = compare(base + 0.05 + RNG.normal(0, 0.1, 200), base)
    assert better.t_test < 0.001
    assert better.permutation < 0.001
    assert 0 < better.interval.low < better.interval.difference < better.interval.high
    noise = compare(base + RNG.normal(0, 0.1, 200), base)
    assert noise.interval.low < 0 < noise.interval.high
    assert abs(noise.t_test - noise.permutation) < 0.03


def test_an_interval_of_means_has_the_theoretical_width():
    differences = RNG.normal(0, 1, 400)
    found = compare(differences, np.zeros(400)).interval
    assert found.high - found.low == pytest.approx(2 * 1.96 * differences.std() / 20, rel=0.1)


def test_results_are_determined_by_the_seed():
    ours, theirs = RNG.random(30), RNG.random(30)
    assert compare(ours, theirs, seed=1) == compare(ours, theirs, seed=1) != compare(ours, theirs, seed=2)


def test_constant_differences_have_no_t_test_and_one_group_no_test():
    same = compare(np.ones(20), np.ones(20))
    assert (same.interval, same.permutation) == (Interval(0.0, 0.0, 0.0), 1.0)
    assert isnan(same.t_test)
    shifted = compare(np.arange(5.0) / 10 + 0.1, np.arange(5.0) / 10)
    assert isnan(shifted.t_test)
    one = compare(np.array([0.5, nan]), np.array([0.25, 0.5]))
    assert (one.groups, one.interval.difference) == (1, 0.25)
    assert all(map(isnan, (one.interval.low, one.interval.high, one.t_test, one.permutation)))
    assert isnan(compare(np.array([nan]), np.array([nan])).interval.difference)


judged = st.lists(
    st.tuples(st.one_of(st.just(nan), st.integers(0, 4).map(float)), st.integers(0, 2), st.booleans()),
    max_size=30,
)


@given(judged)
@settings(deadline=None, max_examples=100)
def test_wins_between_groups_equal_the_reference(rows):
    scores = np.array([score for score, _, _ in rows], np.float64)
    groups = np.array([group for _, group, _ in rows], np.int64)
    relevant = np.array([is_relevant for _, _, is_relevant in rows], np.bool_)
    order, edges = sort_descending(scores)
    found = _count_wins(groups[order], relevant[order], edges, 3)
    assert found.tolist() == reference.wins(scores, groups, relevant, 3)


def pairs(groups: int, size: int) -> tuple[np.ndarray, ...]:
    """Scores of two measures, the first one better, with correlated errors within a group."""
    rng = np.random.default_rng(3)
    numbers = rng.permutation(np.repeat(np.arange(groups) * 3, size))
    grades = rng.integers(0, 2, len(numbers)).astype(np.float64)
    shift = rng.normal(0, 1, 3 * groups)[numbers]
    ours = np.round(grades + shift + rng.normal(0, 1, len(numbers)), 1)
    return ours, np.round(grades + shift + rng.normal(0, 2, len(numbers)), 1), grades, numbers


def resampled(ours, theirs, grades, groups, rounds=1000):
    """The plain bootstrap: groups drawn with replacement, AUC recomputed."""
    rng, numbers = np.random.default_rng(11), np.unique(groups)
    members = {number: np.flatnonzero(groups == number) for number in numbers}
    found = []
    for _ in range(rounds):
        rows = np.concatenate([members[number] for number in rng.choice(numbers, len(numbers))])
        cuts = [thresholds(scores[rows], grades[rows], 1) for scores in (ours, theirs)]
        found.append(auc(cuts[0]) - auc(cuts[1]))
    return np.quantile(found, [0.025, 0.975])


def test_the_interval_of_an_auc_difference_is_that_of_resampled_groups():
    data = pairs(groups=30, size=20)
    found = compare_auc(*data, relevant=1)
    cuts = [thresholds(scores, data[2], 1) for scores in data[:2]]
    assert found.difference == pytest.approx(auc(cuts[0]) - auc(cuts[1]))
    low, high = resampled(*data)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.1 * (high - low))


def test_bundling_groups_hardly_changes_the_interval():
    data = pairs(groups=1500, size=4)
    found = compare_auc(*data, relevant=1)
    low, high = resampled(*data, rounds=300)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.2 * (high - low))


def test_an_auc_difference_without_both_classes_or_of_one_group():
    scores, groups = np.array([0.1, 0.2]), np.array([3, 3])
    assert isnan(compare_auc(scores, scores, np.ones(2), groups, 1).difference)
    one = compare_auc(scores, -scores, np.array([0.0, 1.0]), groups, 1)
    assert one.difference == 1
    assert isnan(one.low)
    assert isnan(compare_auc(np.empty(0), np.empty(0), np.empty(0), np.empty(0, np.int64), 1).difference)


@given(st.lists(st.integers(0, 100).map(lambda n: n / 100), min_size=1, max_size=8))
@settings(deadline=None)
def test_holm_equals_the_reference_and_never_exceeds_bonferroni(p_values):
    values = np.array(p_values)
    assert holm(values) == pytest.approx(reference.holm(p_values))
    assert (holm(values) <= np.minimum(1, values * len(values)) + 1e-12).all()  # Bonferroni's


def test_a_comparison_without_a_p_value_does_not_count():
    assert holm(np.array([nan, 0.01, 0.02])) == pytest.approx([nan, 0.02, 0.02], nan_ok=True)
