"""Metrics equal ir-measures, scikit-learn or SciPy, or the formula as a reference loop."""

import warnings
from itertools import pairwise
from math import isnan, nan

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score, roc_auc_score

from querykin.evaluation.metrics import (
    all_metrics,
    auc,
    auc_pr,
    average_precision,
    coverage,
    group_auc,
    interpolated_precision,
    ndcg,
    precision_at,
    spearman,
    tpr_at,
)
from querykin.evaluation.ranked_groups import RankedGroups, rank, thresholds
from reference import metrics as reference

# Quarters give many ties; NaN is a missing score. Group numbers have gaps, rows are in any order.
rows = st.lists(
    st.tuples(
        st.one_of(st.just(nan), st.integers(-4, 4).map(lambda n: n / 4)),
        st.integers(0, 3),
        st.sampled_from([-5, 2, 3, 900]),
    ),
    min_size=1,
    max_size=60,
)
RELEVANT = 2


def arrays(rows):
    scores, grades, groups = zip(*rows, strict=True)
    return np.array(scores, np.float64), np.array(grades, np.float64), np.array(groups, np.int64)


def without_nan(scores):
    """NaN replaced by a value below every score, for scikit-learn and SciPy."""
    return np.where(np.isnan(scores), -9.0, scores)


def with_ir_measures(ranked: RankedGroups, measure) -> list[float]:
    """An ir-measures metric of every group with both classes, by ranks instead of scores; NaN elsewhere."""
    names = [str(number) for number in np.repeat(ranked.groups, ranked.sizes)]
    documents = [str(number) for number in range(len(names))]
    qrels = [ir_measures.Qrel(*row) for row in zip(names, documents, map(int, ranked.grades), strict=True)]
    scores = (-ranked.ranks).astype(np.float64)
    run = [ir_measures.ScoredDoc(*row) for row in zip(names, documents, scores, strict=True)]
    found = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    both = (ranked.relevant_counts > 0) & (ranked.relevant_counts < ranked.sizes)
    return [found[str(number)] if each else nan for number, each in zip(ranked.groups, both, strict=True)]


@given(rows, st.integers(0, 3))
@settings(deadline=None, max_examples=100)
def test_the_order_is_by_group_then_score_with_nan_last(rows, seed):
    scores, grades, groups = arrays(rows)
    ranked = rank(scores, grades, groups, RELEVANT, seed)
    numbers = np.repeat(ranked.groups, ranked.sizes)
    key = [(number, isnan(score), -score) for number, score in zip(numbers, ranked.scores, strict=True)]
    assert all(not b < a for a, b in pairwise(key))
    found = zip(ranked.scores, ranked.grades, numbers, strict=True)
    assert sorted(map(str, found)) == sorted(map(str, zip(scores, grades, groups, strict=True)))


def test_ties_are_in_a_random_order_that_the_seed_determines():
    scores, grades, groups = np.zeros(1000), np.arange(1000.0), np.zeros(1000, np.int64)
    orders = [rank(scores, grades, groups, 1, seed).grades.tolist() for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != sorted(orders[0])
    first = [rank(scores[:2], grades[:2], groups[:2], 1, seed).grades[0] for seed in range(400)]
    assert 160 < sum(first) < 240


@given(rows)
@settings(deadline=None, max_examples=100)
def test_average_precision_precision_and_ndcg_equal_ir_measures(rows):
    ranked = rank(*arrays(rows), RELEVANT)
    for ours, theirs in (
        (average_precision(ranked), ir_measures.AP(rel=RELEVANT)),
        (precision_at(ranked, 1), ir_measures.P(rel=RELEVANT) @ 1),
        (precision_at(ranked, 3), ir_measures.P(rel=RELEVANT) @ 3),
        (precision_at(ranked, 5), ir_measures.P(rel=RELEVANT) @ 5),
        (ndcg(ranked), ir_measures.nDCG),
    ):
        assert ours == pytest.approx(with_ir_measures(ranked, theirs), nan_ok=True), theirs


@given(rows)
@settings(deadline=None, max_examples=60)
def test_eleven_point_precision_equals_the_reference_and_ir_measures(rows):
    """ir-measures only where it does not round: at a recall of .7 it requires 2 of 3 relevant pairs."""
    ranked = rank(*arrays(rows), RELEVANT)
    ours = interpolated_precision(ranked)
    for group, (begin, end) in enumerate(pairwise(ranked.indptr)):
        assert ours[group] == pytest.approx(reference.eleven_points(ranked.relevant[begin:end]), nan_ok=True)
    for column in (0, 5, 10):
        theirs = with_ir_measures(ranked, ir_measures.IPrec(rel=RELEVANT) @ (column / 10))
        assert ours[:, column] == pytest.approx(theirs, nan_ok=True)


@given(rows)
@settings(deadline=None, max_examples=150)
def test_areas_equal_scikit_learn_and_the_reference(rows):
    scores, grades, groups = arrays(rows)
    good = grades >= RELEVANT
    cuts = thresholds(scores, grades, RELEVANT)
    assert auc(cuts) == pytest.approx(reference.auc(scores, good), nan_ok=True)
    assert auc_pr(cuts) == pytest.approx(
        average_precision_score(good, without_nan(scores)) if good.any() else nan, nan_ok=True
    )
    if good.any() and not good.all():
        assert auc(cuts) == pytest.approx(roc_auc_score(good, without_nan(scores)))
    by_group = [
        reference.auc(scores[groups == number], good[groups == number]) for number in np.unique(groups)
    ]
    assert group_auc(rank(scores, grades, groups, RELEVANT)) == pytest.approx(by_group, nan_ok=True)


@given(rows, st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 1.0]))
@settings(deadline=None, max_examples=150)
def test_true_positive_rates_equal_the_reference(rows, fpr):
    scores, grades, _ = arrays(rows)
    expected = reference.tpr_at(scores, grades >= RELEVANT, fpr)
    assert tpr_at(thresholds(scores, grades, RELEVANT), fpr) == pytest.approx(expected, nan_ok=True)


@given(rows)
@settings(deadline=None, max_examples=100)
def test_rank_correlation_equals_scipy(rows):
    scores, grades, _ = arrays(rows)
    with warnings.catch_warnings(action="ignore"):
        expected = spearmanr(without_nan(scores), grades).statistic
    assert spearman(scores, grades) == pytest.approx(expected, nan_ok=True)


def test_coverage_counts_scores_or_for_measures_without_nan_scores_above_0():
    scores = np.array([0.0, 0.5, nan, 1.0])
    assert coverage(scores, always_scores=False) == 0.75
    assert coverage(scores, always_scores=True) == 0.5


@given(rows, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_areas_and_correlation_do_not_depend_on_the_order_of_rows(rows, rng):
    names = ("coverage", "auc", "mean_auc", "spearman", "auc_pr", "tpr@0.1", "tpr@0.2")
    before = all_metrics(*arrays(rows), RELEVANT).values
    rng.shuffle(rows)
    after = all_metrics(*arrays(rows), RELEVANT).values
    assert [after[name] for name in names] == pytest.approx([before[name] for name in names], nan_ok=True)


def test_means_are_over_groups_with_both_classes():
    scores, grades = np.array([0.9, 0.1, 0.5, 0.4, 0.3]), np.array([0.0, 1.0, 1.0, 0.0, 0.0])
    found = all_metrics(scores, grades, np.array([4, 4, 6, 7, 7]), relevant=1)
    assert found.groups.tolist() == [4, 6, 7]
    assert found.by_group["map"] == pytest.approx([0.5, nan, nan], nan_ok=True)
    assert found.values["map"] == 0.5


def test_a_negative_grade_has_no_gain():
    ranked = rank(np.array([3.0, 2.0, 1.0]), np.array([-1.0, 2.0, -1.0]), np.zeros(3, np.int64), 1)
    assert ndcg(ranked).tolist() == pytest.approx([1 / np.log2(3)])
    assert isnan(ndcg(rank(np.array([2.0, 1.0]), np.array([-1.0, 0.0]), np.zeros(2, np.int64), 0))[0])


@pytest.mark.parametrize("scores", [[nan, nan, nan], [0.5, 0.5, 0.5], [0.1, 0.2, 0.3]])
@pytest.mark.parametrize("grades", [[0, 0, 0], [2, 2, 2], [0, 2, 2]])
@pytest.mark.parametrize("groups", [[1, 1, 1], [1, 2, 3]])
def test_undefined_values_are_nan_without_errors_or_warnings(scores, grades, groups):
    found = all_metrics(np.array(scores), np.array(grades, np.float64), np.array(groups), RELEVANT).values
    one_class, alone, constant = len(set(grades)) == 1, len(set(groups)) == 3, scores[0] != 0.1
    assert isnan(found["auc"]) == isnan(found["tpr@0.1"]) == one_class
    assert all(isnan(found[name]) == (one_class or alone) for name in ("mean_auc", "map", "ndcg", "p@5"))
    assert isnan(found["spearman"]) == (one_class or constant)
    assert isnan(found["auc_pr"]) == (grades == [0, 0, 0])
    assert found["coverage"] == (0.0 if isnan(scores[0]) else 1.0)


def test_all_values_are_nan_without_pairs():
    found = all_metrics(np.empty(0), np.empty(0), np.empty(0, np.int64), RELEVANT)
    assert all(isnan(value) for value in found.values.values())
    assert not len(found.groups)
