"""Preferences are all couples of one group whose grades differ, and every group counts alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.learning.preferences import ALL_PAIRS, LONGEST, PAIRS, weighted_preferences
from reference import combination as twin

judged = st.lists(st.tuples(st.sampled_from([7, -2, 0, 40]), st.integers(0, 3)), max_size=24)


def columns(rows):
    return np.array([group for group, _ in rows], np.int64), np.array([grade for _, grade in rows], float)


@given(judged)
@settings(deadline=None, max_examples=100)
def test_every_couple_of_a_group_with_different_grades_is_there_once(rows):
    groups, grades = columns(rows)
    better, worse, _ = weighted_preferences(groups, grades)
    found = list(zip(better.tolist(), worse.tolist(), strict=True))
    assert sorted(found) == sorted(twin.weighted_preferences(groups.tolist(), grades.tolist()))


@given(judged)
@settings(deadline=None, max_examples=100)
def test_the_couples_of_every_group_weigh_together_what_a_group_has_rows_on_average(rows):
    groups, grades = columns(rows)
    better, _, weights = weighted_preferences(groups, grades)
    for group in np.unique(groups):
        mine = weights[groups[better] == group]
        differ = len(np.unique(grades[groups == group])) > 1
        assert mine.sum() == pytest.approx(len(rows) / len(np.unique(groups)) if differ else 0)
        assert len(np.unique(mine)) <= 1


def test_long_groups_give_a_sample_that_the_seed_repeats():
    groups, grades = np.repeat([0, 1], 60), np.tile(np.arange(60.0), 2)
    first, again, other = (weighted_preferences(groups, grades, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])
    better, worse, weights = first
    assert len(better) == 2 * PAIRS
    assert len(set(zip(better.tolist(), worse.tolist(), strict=True))) == 2 * PAIRS
    assert (grades[better] > grades[worse]).all()
    assert weights.sum() == pytest.approx(120)


def test_a_group_of_any_length_is_sampled():
    size = 50 * LONGEST  # all of its couples would take gigabytes
    better, worse, weights = weighted_preferences(np.zeros(size, np.int64), np.arange(size) % 7.0)
    assert len(better) == len(worse) == PAIRS
    assert weights.sum() == pytest.approx(size)
    assert better.max() > size // 2


def test_many_groups_give_fewer_couples_each():
    count = 1000
    groups, grades = np.repeat(np.arange(count), 12), np.tile(np.arange(12.0), count)
    better, _, weights = weighted_preferences(groups, grades)
    assert len(better) == ALL_PAIRS
    assert set(np.bincount(groups[better]).tolist()) == {ALL_PAIRS // count}
    assert weights.sum() == pytest.approx(12 * count)


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    groups, grades = rng.integers(0, 5, 40), rng.integers(0, 3, 40).astype(float)
    order = rng.permutation(40)
    there = weighted_preferences(groups, grades)
    here = weighted_preferences(groups[order], grades[order])
    moved = {(int(order[b]), int(order[w])) for b, w, _ in zip(*here, strict=True)}
    assert moved == {(int(b), int(w)) for b, w, _ in zip(*there, strict=True)}


def test_nothing_is_preferred_where_nothing_differs():
    for groups, grades in (([], []), ([0, 1, 2], [0, 1, 2]), ([0, 0], [1, 1])):
        better, worse, weights = weighted_preferences(np.array(groups, np.int64), np.array(grades, float))
        assert len(better) == len(worse) == len(weights) == 0
