"""Extracted trees predict as scikit-learn does, also after a round trip through JSON."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from querykin.learning.trees import _SETTINGS, fit_trees, tree_scores


def data(seed, size=300, width=3, binary=True):
    rng = np.random.default_rng(seed)
    rows = np.round(rng.normal(size=(size, width)), 1)  # ties, so that some values equal thresholds
    raw = rows[:, 0] - rows[:, -1] ** 2 + rng.normal(size=size)
    targets = (raw > 0).astype(float) if binary else np.clip(np.round(raw + 2) / 4, 0, 1)
    return rows, rng.random(size) + 0.5, targets


@given(st.integers(0, 1000), st.booleans(), st.lists(st.booleans(), min_size=3, max_size=3))
@settings(deadline=None, max_examples=6)
def test_predictions_equal_scikit_learns(seed, binary, increasing):
    rows, sample_weight, targets = data(seed, binary=binary)
    kind = HistGradientBoostingClassifier if binary else HistGradientBoostingRegressor
    theirs = kind(**_SETTINGS, monotonic_cst=np.array(increasing).astype(int))
    theirs.fit(rows, targets, sample_weight=sample_weight)
    trees = fit_trees(rows, sample_weight, targets, np.array(increasing))
    rng = np.random.default_rng(seed + 1)
    at_thresholds = rng.choice(trees["thresholds"], (200, 3))
    other = np.concatenate([rows, rng.normal(size=(200, 3)) * 3, at_thresholds])
    expected = theirs.decision_function(other) if binary else theirs.predict(other)
    assert tree_scores(trees, other).tolist() == pytest.approx(expected.tolist(), abs=1e-9)
    assert trees["logistic"] == binary
    again = json.loads(json.dumps(trees, allow_nan=False))
    assert tree_scores(again, other).tolist() == tree_scores(trees, other).tolist()


@pytest.mark.parametrize("binary", [True, False])
def test_the_prediction_never_falls_as_an_increasing_feature_rises(binary):
    rows, sample_weight, targets = data(3, binary=binary)
    unconstrained = fit_trees(rows, sample_weight, 1 - targets, np.zeros(3, bool))
    trees = fit_trees(rows, sample_weight, 1 - targets, np.array([True, False, False]))
    grid = np.tile(rows[:40], (50, 1, 1))
    grid[:, :, 0] = np.linspace(-4, 4, 50)[:, None]
    rises = np.diff(tree_scores(trees, grid.reshape(-1, 3)).reshape(50, 40), axis=0)
    assert (rises >= -1e-12).all()
    falls = np.diff(tree_scores(unconstrained, grid.reshape(-1, 3)).reshape(50, 40), axis=0)
    assert (falls < -0.01).any()  # without the constraint it falls


def test_trees_learn_an_interaction():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2000, 2))
    targets = (rows[:, 0] * rows[:, 1] > 0).astype(float)
    trees = fit_trees(rows, np.ones(2000), targets, np.zeros(2, bool))
    corners = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    assert (tree_scores(trees, corners) > 0).tolist() == [True, True, False, False]


def test_the_same_data_give_the_same_trees():
    rows, sample_weight, targets = data(5)
    first, again = (fit_trees(rows, sample_weight, targets, np.ones(3, bool)) for _ in range(2))
    assert first == again


def test_trees_without_data_predict_0():
    trees = fit_trees(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(2, bool))
    assert tree_scores(trees, np.ones((3, 2))).tolist() == [0, 0, 0]


def test_a_single_class_gives_finite_predictions():
    for target in (0.0, 1.0):
        trees = fit_trees(np.arange(40.0)[:, None], np.ones(40), np.full(40, target), np.zeros(1, bool))
        assert np.isfinite(tree_scores(trees, np.array([[3.0], [99.0]]))).all()


def test_no_rows_have_no_predictions():
    rows, sample_weight, targets = data(1)
    trees = fit_trees(rows, sample_weight, targets, np.zeros(3, bool))
    assert len(tree_scores(trees, np.zeros((0, 3)))) == 0
