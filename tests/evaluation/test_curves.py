"""Curves equal scikit-learn's or reference loops, and have few points."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve, roc_curve

from querykin.evaluation.curves import MAX_POINTS, distribution, precision_recall, ratings, reliability, roc
from querykin.evaluation.metrics import auc, eleven_points, interpolated_precision
from querykin.evaluation.ranked_groups import rank, thresholds
from reference import metrics as reference

rows = st.lists(
    st.tuples(st.one_of(st.just(nan), st.integers(0, 8).map(lambda n: n / 8)), st.integers(0, 1)),
    min_size=1,
    max_size=60,
)


def arrays(rows):
    scores, grades = zip(*rows, strict=True)
    return np.array(scores, np.float64), np.array(grades, np.float64)


@given(rows)
@settings(deadline=None, max_examples=100)
def test_precision_recall_and_roc_equal_scikit_learn(rows):
    scores, grades = arrays(rows)
    cuts, filled = thresholds(scores, grades, 1), np.where(np.isnan(scores), -1.0, scores)
    curve = precision_recall(cuts)
    if grades.any():
        precision, recall, _ = precision_recall_curve(grades, filled)
        assert curve.x == pytest.approx(recall[-2::-1])
        assert curve.y == pytest.approx(precision[-2::-1])
    else:
        assert not len(curve.x)
    curve = roc(cuts)
    if grades.any() and not grades.all():
        fpr, tpr, _ = roc_curve(grades, filled, drop_intermediate=False)
        assert curve.x == pytest.approx(fpr)
        assert curve.y == pytest.approx(tpr)
    else:
        assert not len(curve.x)


def test_eleven_points_are_means_over_groups():
    scores, grades = np.array([4.0, 3.0, 2.0, 1.0, 0.0]), np.array([1, 0, 0, 1, 1])
    ranked = rank(scores, grades, np.array([0, 0, 1, 1, 2]), 1)
    assert interpolated_precision(ranked)[:2].tolist() == [[1.0] * 11, [0.5] * 11]
    assert eleven_points(ranked).tolist() == [0.75] * 11


@given(rows)
@settings(deadline=None, max_examples=60)
def test_ratings_equal_the_reference(rows):
    scores, grades = arrays(rows)
    found = ratings(thresholds(scores, grades, 1), groups=4)
    assert found.thresholds.tolist() == sorted(set(scores[~np.isnan(scores)]), reverse=True)
    for row in zip(found.thresholds, found.mean_grades, found.per_group, strict=True):
        mean, count = reference.mean_grade_from(scores, grades, row[0])
        assert row[1:] == pytest.approx((mean, count / 4))


@given(rows, st.integers(1, 12))
@settings(deadline=None, max_examples=100)
def test_reliability_equals_the_reference(rows, bins):
    scores, grades = arrays(rows)
    scored = ~np.isnan(scores)
    expected = reference.reliability(scores[scored], grades[scored] >= 1, bins)
    found = reliability(scores, grades, 1, bins)
    assert list(zip(found.scores, found.relevant, found.pairs, strict=True)) == [
        pytest.approx(each) for each in expected
    ]
    error = sum(abs(mean - share) * size for mean, share, size in expected)
    assert found.error == pytest.approx(error / scored.sum() if scored.any() else nan, nan_ok=True)


def test_calibrated_probabilities_have_a_small_error_and_scores_outside_0_to_1_none():
    rng = np.random.default_rng(0)
    scores = rng.random(20_000)
    grades = (rng.random(20_000) < scores).astype(np.float64)
    calibrated = reliability(scores, grades, 1)
    assert calibrated.error < 0.02
    assert calibrated.pairs.tolist() == [2000] * 10
    assert reliability(scores**3, grades, 1).error > 0.2
    outside = reliability(scores * 2, grades, 1)
    assert isnan(outside.error)
    assert not len(outside.scores)


def test_a_distribution_counts_scores_by_grade():
    scores, grades = np.array([0.0, 0.1, 0.9, 1.0, nan]), np.array([0.0, 2.0, 2.0, 2.0, 0.0])
    found = distribution(scores, grades, relevant=2, bins=2)
    assert found.grades.tolist() == [0, 2]
    assert found.edges.tolist() == [0, 0.5, 1]
    assert found.counts.tolist() == [[1, 0], [1, 2]]


@pytest.mark.parametrize(("relevant", "sizes"), [(0.5, [50, 50]), (-1.0, [100]), (2.0, [100, 0])])
def test_many_grades_are_merged_into_two_classes(relevant, sizes):
    grades = np.arange(100) / 100
    found = distribution(grades, grades, relevant)
    assert found.counts.sum(axis=1).tolist() == sizes


@pytest.mark.parametrize("scores", [np.full(3, nan), np.full(3, 0.5)])
def test_scores_without_variation_give_degenerate_curves(scores):
    grades, cuts = np.array([0.0, 1.0, 1.0]), thresholds(scores, np.array([0.0, 1.0, 1.0]), 1)
    assert distribution(scores, grades, 1).counts.sum() == (0 if isnan(scores[0]) else 3)
    assert len(ratings(cuts, 1).thresholds) == (0 if isnan(scores[0]) else 1)
    assert roc(cuts).x.tolist() == roc(cuts).y.tolist() == [0, 1]
    assert np.isnan(eleven_points(rank(scores, grades, np.arange(3), 1))).all()


def test_thinned_curves_keep_their_shape():
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 2, 100_000).astype(np.float64)
    scores = grades + rng.normal(0, 1, len(grades))
    cuts = thresholds(scores, grades, 1)
    curve = roc(cuts)
    assert 300 < len(curve.x) <= MAX_POINTS
    assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)
    area = (np.diff(curve.x) * (curve.y[1:] + curve.y[:-1]) / 2).sum()
    assert area == pytest.approx(auc(cuts), abs=1e-4)
    line = precision_recall(cuts)
    assert 100 < len(line.x) <= MAX_POINTS
    assert (line.x[0], line.x[-1]) == (cuts.relevant[0] / cuts.relevant[-1], 1)
    assert 100 < len(ratings(cuts, 1).thresholds) <= MAX_POINTS
