"""Logistic regression: the gradient is the loss's, and the optimum is scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from querykin.learning import linear
from querykin.learning.linear import Prior, fit_weights


def prior(width, variance=3.0, rising=False):
    return Prior(np.full(width, variance), np.full(width, rising))


def planted(weights, shift=0.0, size=6000, seed=0):
    """Lines of random features, and labels drawn from the model with these weights."""
    rng = np.random.default_rng(seed)
    lines = rng.normal(size=(size, len(weights)))
    chance = 1 / (1 + np.exp(-(lines @ np.array(weights) + shift)))
    return lines, (rng.random(size) < chance).astype(float)


@pytest.fixture
def asked_to_minimise(monkeypatch):
    """What is minimised, as it was handed to the optimiser."""
    handed = []
    solve = linear.minimize

    def listen(function, *arguments, **options):
        handed.append(function)
        return solve(function, *arguments, **options)

    monkeypatch.setattr(linear, "minimize", listen)
    return handed


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("width", [1, 4])
def test_the_gradient_is_that_of_the_loss(width, intercept, asked_to_minimise):
    rng = np.random.default_rng(width)
    lines, counts, targets = rng.normal(size=(50, width)), rng.random(50) * 3, rng.random(50)
    belief = Prior(rng.random(width) + 0.1, np.zeros(width, bool))
    fit_weights(lines, counts, targets, belief, intercept)
    (loss,) = asked_to_minimise
    for _ in range(5):
        point = rng.normal(size=width + intercept) * 2
        numeric = approx_fprime(point, lambda weights: loss(weights)[0], 1e-7)
        assert loss(point)[1] == pytest.approx(numeric, rel=1e-4, abs=1e-4)


def test_the_loss_is_the_one_printed(asked_to_minimise):
    lines, counts, targets = np.array([[1.0], [-2.0]]), np.array([1.0, 3.0]), np.array([1.0, 0.25])
    fit_weights(lines, counts, targets, prior(1, 2.0), intercept=True)
    weight, shift = 0.7, -0.3
    p = 1 / (1 + np.exp(-(lines[:, 0] * weight + shift)))
    expected = -(counts * (targets * np.log(p) + (1 - targets) * np.log(1 - p))).sum() + weight**2 / (2 * 2.0)
    assert asked_to_minimise[0](np.array([weight, shift]))[0] == pytest.approx(expected)


@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([0.1, 3.0, 30.0]), st.booleans())
@settings(deadline=None, max_examples=25)
def test_weights_equal_scikit_learns_where_nothing_is_bounded(seed, width, variance, intercept):
    rng = np.random.default_rng(seed)
    lines, labels = planted(rng.normal(size=width), 0.5, 200, seed)
    labels[:2] = 0, 1
    counts = rng.random(200) + 0.5
    theirs = LogisticRegression(C=variance, fit_intercept=intercept, tol=1e-8, max_iter=1000)
    theirs.fit(lines, labels, sample_weight=counts)
    ours = fit_weights(lines, counts, labels, prior(width, variance), intercept)
    expected = [*theirs.coef_[0], *(theirs.intercept_ if intercept else [])]
    assert ours.tolist() == pytest.approx(expected, abs=2e-3)


def test_planted_weights_are_recovered():
    weights = [2.0, 0.0, -1.0, 0.5]
    lines, labels = planted(weights, shift=-0.7)
    found = fit_weights(lines, np.ones(len(lines)), labels, prior(4, 100.0), intercept=True)
    assert found.tolist() == pytest.approx([*weights, -0.7], abs=0.15)


def test_weights_that_may_not_be_negative_are_not_and_the_others_are_as_without_them():
    lines, labels = planted([1.5, -1.0, 0.8])
    rising = Prior(np.full(3, 3.0), np.array([True, True, False]))
    found = fit_weights(lines, np.ones(len(lines)), labels, rising, intercept=True)
    assert found[1] == 0
    without = fit_weights(lines[:, [0, 2]], np.ones(len(lines)), labels, prior(2), intercept=True)
    assert found[[0, 2, 3]].tolist() == pytest.approx(without.tolist(), abs=1e-3)
    free = fit_weights(lines, np.ones(len(lines)), labels, prior(3), intercept=True)
    assert free[1] < -0.8


def test_a_narrow_prior_keeps_a_weight_small():
    lines, labels = planted([1.0, 1.0])
    belief = Prior(np.array([3.0, 1e-6]), np.zeros(2, bool))
    found = fit_weights(lines, np.ones(len(lines)), labels, belief, intercept=False)
    assert found[0] > 0.7
    assert abs(found[1]) < 0.01


def test_targets_between_0_and_1_are_met():
    found = fit_weights(
        np.zeros((4, 1)), np.ones(4), np.array([0.0, 0.5, 0.5, 1.0]), prior(1), intercept=True
    )
    assert found.tolist() == pytest.approx([0, 0], abs=1e-6)
    shares = fit_weights(
        np.zeros((2, 1)), np.array([1.0, 3.0]), np.array([1.0, 0.0]), prior(1), intercept=True
    )
    assert 1 / (1 + np.exp(-shares[1])) == pytest.approx(0.25, abs=1e-3)


def test_without_lines_the_prior_speaks():
    assert fit_weights(np.zeros((0, 2)), np.zeros(0), np.zeros(0), prior(2), False).tolist() == [0, 0]


def test_scores_far_away_do_not_overflow():
    lines = np.array([[1e5], [-1e5]])
    found = fit_weights(lines, np.ones(2), np.array([1.0, 0.0]), prior(1), intercept=True)
    assert np.isfinite(found).all()
    assert found[0] > 0
