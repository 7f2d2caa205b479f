"""Logistic regression: the gradient is correct, and the optimum equals scikit-learn's."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from querykin.learning.linear import Prior, fit_weights


def prior(width, variance=3.0):
    return Prior(np.full(width, variance), np.zeros(width, bool))


def planted(weights, shift=0.0, size=6000, seed=0):
    """Random features, and labels drawn from the model with these weights."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(size, len(weights)))
    chance = 1 / (1 + np.exp(-(rows @ np.array(weights) + shift)))
    return rows, (rng.random(size) < chance).astype(float)


@pytest.fixture
def objectives(monkeypatch):
    """The functions that were passed to the optimizer."""
    passed = []
    solve = scipy.optimize.minimize

    def record(function, *arguments, **options):
        passed.append(function)
        return solve(function, *arguments, **options)

    monkeypatch.setattr(scipy.optimize, "minimize", record)
    return passed


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("width", [1, 4])
def test_the_gradient_is_that_of_the_loss(width, intercept, objectives):
    rng = np.random.default_rng(width)
    rows, sample_weight, targets = rng.normal(size=(50, width)), rng.random(50) * 3, rng.random(50)
    gaussian = Prior(rng.random(width) + 0.1, np.zeros(width, bool))
    fit_weights(rows, sample_weight, targets, gaussian, intercept)
    (loss,) = objectives
    for _ in range(5):
        point = rng.normal(size=width + intercept) * 2
        numeric = approx_fprime(point, lambda weights: loss(weights)[0], 1e-7)
        assert loss(point)[1] == pytest.approx(numeric, rel=1e-4, abs=1e-4)


def test_the_objective_is_the_documented_loss(objectives):
    rows, sample_weight, targets = np.array([[1.0], [-2.0]]), np.array([1.0, 3.0]), np.array([1.0, 0.25])
    fit_weights(rows, sample_weight, targets, prior(1, 2.0), intercept=True)
    weight, shift = 0.7, -0.3
    p = 1 / (1 + np.exp(-(rows[:, 0] * weight + shift)))
    expected = -(sample_weight * (targets * np.log(p) + (1 - targets) * np.log(1 - p))).sum() + weight**2 / (
        2 * 2.0
    )
    assert objectives[0](np.array([weight, shift]))[0] == pytest.approx(expected)


@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([0.1, 3.0, 30.0]), st.booleans())
@settings(deadline=None, max_examples=25)
def test_unbounded_weights_equal_scikit_learns(seed, width, variance, intercept):
    rng = np.random.default_rng(seed)
    rows, labels = planted(rng.normal(size=width), 0.5, 200, seed)
    labels[:2] = 0, 1
    sample_weight = rng.random(200) + 0.5
    theirs = LogisticRegression(C=variance, fit_intercept=intercept, tol=1e-8, max_iter=1000)
    theirs.fit(rows, labels, sample_weight=sample_weight)
    ours = fit_weights(rows, sample_weight, labels, prior(width, variance), intercept)
    expected = [*theirs.coef_[0], *(theirs.intercept_ if intercept else [])]
    assert ours.tolist() == pytest.approx(expected, abs=2e-3)


def test_planted_weights_are_recovered():
    weights = [2.0, 0.0, -1.0, 0.5]
    rows, labels = planted(weights, shift=-0.7)
    found = fit_weights(rows, np.ones(len(rows)), labels, prior(4, 100.0), intercept=True)
    assert found.tolist() == pytest.approx([*weights, -0.7], abs=0.15)


def test_nonnegative_weights_are_clipped_at_0_and_the_others_are_as_without_them():
    rows, labels = planted([1.5, -1.0, 0.8])
    nonnegative = Prior(np.full(3, 3.0), np.array([True, True, False]))
    found = fit_weights(rows, np.ones(len(rows)), labels, nonnegative, intercept=True)
    assert found[1] == 0
    without = fit_weights(rows[:, [0, 2]], np.ones(len(rows)), labels, prior(2), intercept=True)
    assert found[[0, 2, 3]].tolist() == pytest.approx(without.tolist(), abs=1e-3)
    unbounded = fit_weights(rows, np.ones(len(rows)), labels, prior(3), intercept=True)
    assert unbounded[1] < -0.8


def test_a_narrow_prior_keeps_a_weight_small():
    rows, labels = planted([1.0, 1.0])
    gaussian = Prior(np.array([3.0, 1e-6]), np.zeros(2, bool))
    found = fit_weights(rows, np.ones(len(rows)), labels, gaussian, intercept=False)
    assert found[0] > 0.7
    assert abs(found[1]) < 0.01


def test_targets_may_be_shares():
    found = fit_weights(
        np.zeros((4, 1)), np.ones(4), np.array([0.0, 0.5, 0.5, 1.0]), prior(1), intercept=True
    )
    assert found.tolist() == pytest.approx([0, 0], abs=1e-6)
    shares = fit_weights(
        np.zeros((2, 1)), np.array([1.0, 3.0]), np.array([1.0, 0.0]), prior(1), intercept=True
    )
    assert 1 / (1 + np.exp(-shares[1])) == pytest.approx(0.25, abs=1e-3)


def test_weights_are_0_without_data():
    assert fit_weights(np.zeros((0, 2)), np.zeros(0), np.zeros(0), prior(2), False).tolist() == [0, 0]


def test_large_logits_do_not_overflow():
    rows = np.array([[1e5], [-1e5]])
    found = fit_weights(rows, np.ones(2), np.array([1.0, 0.0]), prior(1), intercept=True)
    assert np.isfinite(found).all()
    assert found[0] > 0
