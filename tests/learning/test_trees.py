"""Trees read out of scikit-learn give what scikit-learn gives, and survive being written down."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from querykin.learning.trees import _SETTINGS, fit_trees, tree_scores


def data(seed, size=300, width=3, binary=True):
    rng = np.random.default_rng(seed)
    lines = np.round(rng.normal(size=(size, width)), 1)  # equal values, so that thresholds lie on some
    raw = lines[:, 0] - lines[:, -1] ** 2 + rng.normal(size=size)
    targets = (raw > 0).astype(float) if binary else np.clip(np.round(raw + 2) / 4, 0, 1)
    return lines, rng.random(size) + 0.5, targets


@given(st.integers(0, 1000), st.booleans(), st.lists(st.booleans(), min_size=3, max_size=3))
@settings(deadline=None, max_examples=6)
def test_the_loop_gives_what_scikit_learn_gives(seed, binary, rising):
    lines, counts, targets = data(seed, binary=binary)
    kind = HistGradientBoostingClassifier if binary else HistGradientBoostingRegressor
    theirs = kind(**_SETTINGS, monotonic_cst=np.array(rising).astype(int))
    theirs.fit(lines, targets, sample_weight=counts)
    trees = fit_trees(lines, counts, targets, np.array(rising))
    rng = np.random.default_rng(seed + 1)
    borders = rng.choice(trees["least"], (200, 3))  # a value on a threshold goes where scikit-learn sends it
    other = np.concatenate([lines, rng.normal(size=(200, 3)) * 3, borders])
    expected = theirs.decision_function(other) if binary else theirs.predict(other)
    assert tree_scores(trees, other).tolist() == pytest.approx(expected.tolist(), abs=1e-9)
    assert trees["logistic"] == binary
    again = json.loads(json.dumps(trees, allow_nan=False))
    assert tree_scores(again, other).tolist() == tree_scores(trees, other).tolist()


@pytest.mark.parametrize("binary", [True, False])
def test_more_of_a_rising_feature_never_lowers_the_score(binary):
    lines, counts, targets = data(3, binary=binary)
    free = fit_trees(lines, counts, 1 - targets, np.zeros(3, bool))
    trees = fit_trees(lines, counts, 1 - targets, np.array([True, False, False]))
    grid = np.tile(lines[:40], (50, 1, 1))
    grid[:, :, 0] = np.linspace(-4, 4, 50)[:, None]
    rises = np.diff(tree_scores(trees, grid.reshape(-1, 3)).reshape(50, 40), axis=0)
    assert (rises >= -1e-12).all()
    falls = np.diff(tree_scores(free, grid.reshape(-1, 3)).reshape(50, 40), axis=0)
    assert (falls < -0.01).any()  # without the constraint it would fall


def test_trees_learn_what_no_line_can_tell():
    rng = np.random.default_rng(0)
    lines = rng.normal(size=(2000, 2))
    targets = (lines[:, 0] * lines[:, 1] > 0).astype(float)
    trees = fit_trees(lines, np.ones(2000), targets, np.zeros(2, bool))
    asked = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    assert (tree_scores(trees, asked) > 0).tolist() == [True, True, False, False]


def test_the_same_data_give_the_same_trees():
    lines, counts, targets = data(5)
    first, again = (fit_trees(lines, counts, targets, np.ones(3, bool)) for _ in range(2))
    assert first == again


def test_without_lines_trees_have_no_opinion():
    trees = fit_trees(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(2, bool))
    assert tree_scores(trees, np.ones((3, 2))).tolist() == [0, 0, 0]


def test_one_class_alone_does_no_harm():
    for target in (0.0, 1.0):
        trees = fit_trees(np.arange(40.0)[:, None], np.ones(40), np.full(40, target), np.zeros(1, bool))
        assert np.isfinite(tree_scores(trees, np.array([[3.0], [99.0]]))).all()


def test_no_lines_have_no_scores():
    lines, counts, targets = data(1)
    trees = fit_trees(lines, counts, targets, np.zeros(3, bool))
    assert len(tree_scores(trees, np.zeros((0, 3)))) == 0
