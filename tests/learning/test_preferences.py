"""Preferences are the pairs of a group whose grades differ, sampled; weights make groups count alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.learning.preferences import (
    MAX_GROUP_ROWS,
    MAX_PER_GROUP,
    MAX_TOTAL,
    one_standard_error_rule,
    sample_preferences,
    weighted_preferences,
)
from reference import combination as reference

judged = st.lists(st.tuples(st.sampled_from([7, -2, 0, 40]), st.integers(0, 3)), max_size=24)


def columns(rows):
    return np.array([grade for _, grade in rows], float), np.array([group for group, _ in rows], np.int64)


@given(judged)
@settings(deadline=None, max_examples=100)
def test_every_pair_of_a_group_with_different_grades_is_a_preference(rows):
    grades, groups = columns(rows)
    better, worse, _ = weighted_preferences(grades, groups)
    found = list(zip(better.tolist(), worse.tolist(), strict=True))
    assert sorted(found) == sorted(reference.preferences(grades.tolist(), groups.tolist()))


@given(judged)
@settings(deadline=None, max_examples=100)
def test_the_weights_of_a_group_sum_to_the_mean_group_size(rows):
    grades, groups = columns(rows)
    better, _, weights = weighted_preferences(grades, groups)
    for group in np.unique(groups):
        of_group = weights[groups[better] == group]
        differ = len(np.unique(grades[groups == group])) > 1
        assert of_group.sum() == pytest.approx(len(rows) / len(np.unique(groups)) if differ else 0)
        assert len(np.unique(of_group)) <= 1


def test_large_groups_are_sampled_by_the_seed():
    groups, grades = np.repeat([0, 1], 60), np.tile(np.arange(60.0), 2)
    first, again, other = (weighted_preferences(grades, groups, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])
    better, worse, weights = first
    assert len(better) == 2 * MAX_PER_GROUP
    assert len(set(zip(better.tolist(), worse.tolist(), strict=True))) == 2 * MAX_PER_GROUP
    assert (grades[better] > grades[worse]).all()
    assert weights.sum() == pytest.approx(120)


def test_a_group_of_any_size_is_sampled():
    size = 50 * MAX_GROUP_ROWS  # all of its pairs would take gigabytes
    better, worse, weights = weighted_preferences(np.arange(size) % 7.0, np.zeros(size, np.int64))
    assert len(better) == len(worse) == MAX_PER_GROUP
    assert weights.sum() == pytest.approx(size)
    assert better.max() > size // 2


def test_many_groups_give_fewer_preferences_each():
    count = 1000
    groups, grades = np.repeat(np.arange(count), 12), np.tile(np.arange(12.0), count)
    better, _, weights = weighted_preferences(grades, groups)
    assert len(better) == MAX_TOTAL
    assert set(np.bincount(groups[better]).tolist()) == {MAX_TOTAL // count}
    assert weights.sum() == pytest.approx(12 * count)


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    groups, grades = rng.integers(0, 5, 40), rng.integers(0, 3, 40).astype(float)
    order = rng.permutation(40)
    expected = weighted_preferences(grades, groups)
    shuffled = weighted_preferences(grades[order], groups[order])
    moved = {(int(order[b]), int(order[w])) for b, w, _ in zip(*shuffled, strict=True)}
    assert moved == {(int(b), int(w)) for b, w, _ in zip(*expected, strict=True)}


def test_equal_grades_give_no_preferences():
    for groups, grades in (([], []), ([0, 1, 2], [0, 1, 2]), ([0, 0], [1, 1])):
        better, worse, weights = weighted_preferences(np.array(grades, float), np.array(groups, np.int64))
        assert len(better) == len(worse) == len(weights) == 0


@given(judged)
@settings(deadline=None, max_examples=60)
def test_unweighted_preferences_are_the_same_pairs(rows):
    grades, groups = columns(rows)
    better, worse = sample_preferences(grades, groups)
    expected = reference.preferences(grades.tolist(), groups.tolist())
    assert sorted(zip(better.tolist(), worse.tolist(), strict=True)) == sorted(expected)


def test_unweighted_preferences_of_a_large_group_are_sampled_by_the_seed():
    grades, groups = np.repeat([0.0, 1.0], 40), np.zeros(80, np.int64)
    first, again, other = (sample_preferences(grades, groups, seed) for seed in (0, 0, 1))
    assert len(first[0]) == MAX_PER_GROUP
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_simplest_setting_within_one_standard_error_is_chosen():
    noisy, worse, best = [0.7, 0.9, 0.8, np.nan], [0.6, 0.4, 0.6, np.nan], [0.9, 0.7, 0.9, np.nan]
    assert one_standard_error_rule(np.array([noisy, best])) == 0
    assert one_standard_error_rule(np.array([worse, noisy, best])) == 1
    assert one_standard_error_rule(np.array([worse, best])) == 1
    assert one_standard_error_rule(np.full((2, 3), np.nan)) == 0
