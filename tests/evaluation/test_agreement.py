"""Kappas equal the published values, scikit-learn's, and reference loops for preferences."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from querykin.errors import InputError
from querykin.evaluation.agreement import (
    PREFERENCE_CLASSES,
    agreements,
    kappa,
    kappas,
    mean_kappas,
    preference_kappas,
)
from reference import metrics as reference

# Alfonseca, Hall & Hartmann (2009), table 2: two raters on 0..4.
ALFONSECA = np.array(
    [[280, 95, 14, 1, 0], [108, 86, 65, 4, 0], [11, 47, 83, 16, 0], [1, 2, 17, 45, 2], [0, 0, 1, 1, 2]]
)


def test_quadratic_kappa_of_alfonseca_et_al_is_as_printed():
    assert round(kappas(ALFONSECA, np.arange(5.0)).quadratic, 4) == 0.7111


def test_binary_kappa_of_alfonseca_et_al():
    """2 and more are positive: .585 from the table; the paper prints .6171."""
    binary = np.add.reduceat(np.add.reduceat(ALFONSECA, [0, 2]), [0, 2], axis=1)
    assert round(kappas(binary, np.arange(2.0)).simple, 3) == 0.585


@pytest.mark.parametrize(
    ("observed", "expected", "printed", "within"),
    [
        (0.598, 0.397, 0.338, 0.005),
        (0.844, 0.723, 0.435, 0.002),
        (0.647, 0.414, 0.399, 0.002),
        (0.827, 0.673, 0.473, 0.0025),
        (0.799, 0.645, 0.432, 0.002),
    ],
)
def test_kappas_of_yih_and_meek_follow_from_the_shares_they_print(observed, expected, printed, within):
    """Only approximately: the paper prints means over pairs of raters, and shares rounded to three digits."""
    assert kappa(observed, expected) == pytest.approx(printed, abs=within)


grades = st.integers(0, 3)
couples = st.lists(st.tuples(grades, grades, st.integers(0, 2)), min_size=1, max_size=25)


def one_pair(rows):
    """The agreement of two raters who graded every item; judgements in random order."""
    ours, theirs, groups = (np.array(side) for side in zip(*rows, strict=True))
    order = np.random.default_rng(0).permutation(2 * len(rows))
    items = np.tile(np.arange(len(rows)), 2)[order]
    raters = np.repeat([4, 9], len(rows))[order]
    _, found = agreements(
        items, raters, np.concatenate([ours, theirs])[order].astype(np.float64), np.tile(groups, 2)[order]
    )
    return ours, theirs, groups, found[0]


@given(couples)
@settings(deadline=None, max_examples=100)
def test_kappas_equal_scikit_learn(rows):
    ours, theirs, _, found = one_pair(rows)
    if len({*ours, *theirs}) > 1:
        for weights, value in (
            (None, found.grades.simple),
            ("linear", found.grades.linear),
            ("quadratic", found.grades.quadratic),
        ):
            assert value == pytest.approx(
                cohen_kappa_score(ours, theirs, labels=np.arange(4), weights=weights)
            )
    assert found.confusion.sum() == len(rows)


@given(couples)
@settings(deadline=None, max_examples=100)
def test_kappas_with_pooled_chance_equal_the_reference(rows):
    ours, theirs, _, found = one_pair(rows)
    values = found.grades.observed, found.grades.expected, found.grades.pooled
    assert values == pytest.approx(reference.pooled_kappa(ours.tolist(), theirs.tolist()), nan_ok=True)


@given(couples)
@settings(deadline=None, max_examples=100)
def test_preferences_equal_the_reference(rows):
    ours, theirs, groups, found = one_pair(rows)
    table = np.array(reference.preferences(ours, theirs, groups))
    expected = preference_kappas(table)
    assert list(found.preferences) == list(PREFERENCE_CLASSES)
    for name, each in found.preferences.items():
        assert each.items == table.sum()
        assert each.pooled == pytest.approx(expected[name].pooled, nan_ok=True)


def test_ties_count_as_better_in_one_grouping_and_as_worse_in_the_other():
    """Rows and columns: the first candidate is worse, equal, better."""
    found = preference_kappas(np.array([[10, 3, 2], [4, 20, 5], [1, 6, 30]]))
    observed = {name: each.observed for name, each in found.items()}
    assert observed == pytest.approx(
        {
            "better, equal, worse": 60 / 81,
            "better or equal, worse": (10 + 20 + 5 + 6 + 30) / 81,
            "better, equal or worse": (10 + 3 + 4 + 20 + 30) / 81,
        }
    )


def test_raters_agree_on_a_preference_though_their_grades_differ():
    """Yih & Meek's example: Excellent and Bad, Good and Fair."""
    *_, found = one_pair([(3, 2, 0), (0, 1, 0)])
    assert found.grades.observed == 0
    assert found.preferences["better, equal, worse"].observed == 1


def test_only_raters_with_items_in_common_are_compared():
    items, raters = np.array([0, 1, 1, 2, 2, 3]), np.array([1, 1, 2, 2, 3, 4])
    scale, found = agreements(items, raters, np.array([0.0, 2.0, 2.0, 5.0, 0.0, 5.0]), np.zeros(6, np.int64))
    assert scale.tolist() == [0, 2, 5]
    assert [each.raters for each in found] == [(1, 2), (2, 3)]
    assert found[1].confusion.tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]


def test_the_distance_of_grades_is_that_of_their_numbers():
    """A scale of 1 to 5 on which 3 was never used."""
    table = np.array([[5, 1, 0, 0], [2, 4, 1, 0], [0, 2, 6, 1], [1, 0, 0, 7]])
    full = np.insert(np.insert(table, 2, 0, axis=0), 2, 0, axis=1)
    assert kappas(table, np.array([1.0, 2.0, 4.0, 5.0])).quadratic == pytest.approx(
        kappas(full, np.arange(5.0)).quadratic
    )


def test_a_mean_is_over_defined_kappas_and_not_the_kappa_of_means():
    defined = kappas(np.array([[20, 5], [10, 15]]), np.arange(2.0))
    undefined = kappas(np.array([[10, 0], [0, 0]]), np.arange(2.0))
    found = mean_kappas([defined, undefined])
    assert (found.items, found.observed, found.simple) == (30, 0.85, defined.simple)
    assert isnan(mean_kappas([]).simple)


def test_kappas_without_common_items_are_undefined():
    assert isnan(kappas(np.zeros((2, 2), np.int64), np.arange(2.0)).simple)
    scale, found = agreements(*(np.empty(0, kind) for kind in (np.int64, np.int64, np.float64, np.int64)))
    assert (len(scale), found) == (0, [])


def test_two_grades_of_one_rater_for_one_item_are_refused():
    with pytest.raises(InputError, match="rater 5 has graded item 3 twice"):
        agreements(np.array([3, 3]), np.array([5, 5]), np.array([1.0, 2.0]), np.array([0, 0]))
