"""Calibration: Platt scaling, change of prior and calibration error equal the reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from querykin.learning.calibration import Calibration, calibration_error, estimated_prior
from reference import combination as reference

predictions = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def sampled(prior, size, seed=0, distance=2.0):
    """Scores of relevant pairs are shifted by a known distance, so that true probabilities are known."""
    rng = np.random.default_rng(seed)
    relevant = rng.random(size) < prior
    scores = rng.normal(size=size) + distance * relevant
    true = 1 / (1 + np.exp(-(distance * scores - distance**2 / 2 + reference.log_odds(prior))))
    return scores, relevant, true


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e4])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_fit_is_platts_optimum(scale, seed):
    scores, relevant, _ = sampled(0.3, 80, seed)
    found = Calibration.fit(scores * scale, relevant)
    best = minimize(lambda x: reference.platt_loss(*x, scores.tolist(), relevant.tolist()), [1, 0], tol=1e-10)
    assert (found.slope * scale, found.shift) == pytest.approx(tuple(best.x), rel=1e-3, abs=1e-3)
    assert found.prior == (relevant.sum() + 1) / (len(relevant) + 2)


def test_probabilities_are_the_true_ones_if_the_model_is_correct():
    scores, relevant, true = sampled(0.2, 20_000)
    found = Calibration.fit(scores, relevant).probabilities(scores)
    assert np.abs(found - true).max() < 0.04
    assert calibration_error(found, relevant) < 0.02


def test_separable_scores_do_not_become_certainties():
    found = Calibration.fit(np.array([0.0, 0.1, 5.0, 5.1]), np.array([False, False, True, True]))
    low, high = found.probabilities(np.array([0.0, 5.0]))
    assert 0.2 < low < 0.3  # a quarter: 1 / (n + 2)
    assert 0.7 < high < 0.8


@pytest.mark.parametrize("scores", [[0.0, 1.0, 2.0, 3.0], [2.0, 2.0, 2.0, 2.0]])
def test_the_order_of_scores_is_kept_even_if_they_are_uninformative(scores):
    found = Calibration.fit(np.array(scores), np.array([True, True, False, False]))
    assert found.slope > 0
    ascending = found.probabilities(np.array([-5.0, 0.0, 5.0]))
    assert (np.diff(ascending) > 0.05).all()  # visibly
    assert ascending.tolist() == pytest.approx([0.5] * 3, abs=0.2)


@given(st.floats(-20, 20), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
@settings(deadline=None, max_examples=100)
def test_another_prior_shifts_by_bayes_rule(score, prior, other):
    made = Calibration(0.9, -0.4, prior)
    (p,) = made.probabilities(np.array([score]))
    (moved,) = made.probabilities(np.array([score]), other)
    assert moved == pytest.approx(reference.shifted(float(p), prior, other), abs=1e-9)


def test_the_prior_of_training_is_the_default():
    made, scores = Calibration(0.9, -0.4, 0.3), np.linspace(-9, 9, 7)
    assert made.probabilities(scores, 0.3).tolist() == pytest.approx(made.probabilities(scores).tolist())


def test_probabilities_for_another_prior_are_calibrated_there():
    scores, relevant, _ = sampled(0.5, 20_000)
    made = Calibration.fit(scores, relevant)
    rare, rare_relevant, true = sampled(0.05, 20_000, seed=1)
    assert np.abs(made.probabilities(rare, 0.05) - true).max() < 0.05
    assert calibration_error(made.probabilities(rare, 0.05), rare_relevant) < 0.02
    assert calibration_error(made.probabilities(rare), rare_relevant) > 0.1


@pytest.mark.parametrize("share", [0.02, 0.2, 0.8])
def test_the_prior_of_unjudged_pairs_is_estimated(share):
    scores, relevant, _ = sampled(0.5, 20_000)
    made = Calibration.fit(scores, relevant)
    unjudged, _, _ = sampled(share, 20_000, seed=2)
    assert estimated_prior(made.probabilities(unjudged), made.prior) == pytest.approx(share, abs=0.02)


def test_probabilities_of_0_and_1_leave_the_estimate_finite():
    assert 0.2 < estimated_prior(np.array([1.0, 0.0, 0.0]), 0.5) < 0.5


@given(predictions)
@settings(deadline=None, max_examples=150)
def test_the_calibration_error_equals_the_reference(pairs):
    probabilities, relevant = np.array([p for p, _ in pairs]), np.array([good for _, good in pairs])
    expected = reference.calibration_error(probabilities.tolist(), relevant.tolist())
    assert calibration_error(probabilities, relevant) == pytest.approx(expected, abs=1e-12)


def test_extreme_scores_are_probabilities():
    extreme = Calibration(1.0, 0.0, 0.5).probabilities(np.array([-1e9, 1e9]))
    assert extreme.tolist() == pytest.approx([0, 1], abs=1e-12)
