"""Folds keep groups together, and out-of-fold scores come from models fitted to other groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.errors import InputError
from querykin.learning.cross_validation import cross_val_predict, group_folds

sizes = st.lists(st.integers(1, 9), min_size=2, max_size=15)


def split_groups(groups, folds):
    """The groups whose rows are in several folds."""
    return [group for group in np.unique(groups) if len(np.unique(folds[groups == group])) > 1]


@given(sizes, st.data())
@settings(deadline=None, max_examples=100)
def test_all_rows_of_a_group_are_in_one_fold_and_no_fold_is_empty(sizes, data):
    groups = np.repeat(np.arange(len(sizes)) * 7 - 20, sizes)
    groups = groups[data.draw(st.permutations(range(len(groups))))]
    count = data.draw(st.integers(2, len(sizes)))
    folds = group_folds(groups, count, data.draw(st.integers(0, 3)))
    assert not split_groups(groups, folds)
    assert set(folds.tolist()) == set(range(count))


def test_folds_by_row_split_groups():
    groups = np.repeat(np.arange(5), 4)
    assert len(split_groups(groups, np.arange(20) % 3)) == 5


@given(sizes, st.integers(0, 3))
@settings(deadline=None, max_examples=100)
def test_folds_differ_in_size_by_no_more_than_the_largest_group(sizes, seed):
    rows = np.bincount(group_folds(np.repeat(np.arange(len(sizes)), sizes), 2, seed))
    assert rows.max() - rows.min() <= max(sizes)


def test_folds_depend_on_the_seed_and_not_on_the_order_of_rows():
    groups = np.repeat(np.arange(30), 3)
    first, again, other = (group_folds(groups, 5, seed) for seed in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()
    order = np.random.default_rng(0).permutation(len(groups))
    assert group_folds(groups[order], 5).tolist() == first[order].tolist()


@pytest.mark.parametrize("folds", [-1, 0, 1, 4])
def test_an_invalid_number_of_folds_is_an_error_with_the_allowed_range(folds):
    with pytest.raises(InputError, match=f"from 2 to the number of groups, 3 here.* got {folds}"):
        group_folds(np.array([0, 1, 1, 2]), folds)


def test_the_assignment_is_the_one_of_published_figures():
    folds = group_folds(np.repeat(np.arange(8), [3, 1, 2, 2, 5, 1, 1, 4]), 3, seed=5)
    assert folds[np.cumsum([0, 3, 1, 2, 2, 5, 1, 1])].tolist() == [2, 0, 2, 1, 0, 2, 0, 1]


def test_out_of_fold_scores_are_by_models_of_the_other_folds():
    groups, steps = np.repeat(np.arange(6), 2), []

    def learn(rows):
        return {"groups": set(groups[rows].tolist())}

    def scores(content, rows):
        assert content["groups"] == set(range(6)) - set(groups[rows].tolist())
        return groups[rows] * 1.0

    assert cross_val_predict(groups, 3, learn, scores, 1, steps.append).tolist() == groups.tolist()
    assert steps == [4, 4, 4]
