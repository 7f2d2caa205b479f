"""Folds never part a group: what is judged was not learnt from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.errors import InputError
from querykin.learning.folds import group_folds

sizes = st.lists(st.integers(1, 9), min_size=2, max_size=15)


def parted(groups, folds):
    """The groups whose rows lie in several folds."""
    return [group for group in np.unique(groups) if len(np.unique(folds[groups == group])) > 1]


@given(sizes, st.data())
@settings(deadline=None, max_examples=100)
def test_all_rows_of_a_group_are_in_one_fold_and_no_fold_is_empty(sizes, data):
    groups = np.repeat(np.arange(len(sizes)) * 7 - 20, sizes)
    groups = groups[data.draw(st.permutations(range(len(groups))))]
    count = data.draw(st.integers(2, len(sizes)))
    folds = group_folds(groups, count, data.draw(st.integers(0, 3)))
    assert not parted(groups, folds)
    assert set(folds.tolist()) == set(range(count))


def test_folds_by_row_would_be_found_out():
    groups = np.repeat(np.arange(5), 4)
    assert len(parted(groups, np.arange(20) % 3)) == 5


@given(sizes, st.integers(0, 3))
@settings(deadline=None, max_examples=100)
def test_folds_differ_in_size_by_no_more_than_the_largest_group(sizes, seed):
    rows = np.bincount(group_folds(np.repeat(np.arange(len(sizes)), sizes), 2, seed))
    assert rows.max() - rows.min() <= max(sizes)


def test_the_seed_decides_and_the_order_of_rows_does_not():
    groups = np.repeat(np.arange(30), 3)
    first, again, other = (group_folds(groups, 5, seed) for seed in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()
    order = np.random.default_rng(0).permutation(len(groups))
    assert group_folds(groups[order], 5).tolist() == first[order].tolist()


@pytest.mark.parametrize("folds", [-1, 0, 1, 4])
def test_other_numbers_of_folds_are_refused_with_what_is_allowed(folds):
    with pytest.raises(InputError, match=f"from 2 to the number of groups, 3 here.* got {folds}"):
        group_folds(np.array([0, 1, 1, 2]), folds)
