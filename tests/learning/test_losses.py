"""Losses equal the reference and have correct gradients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.errors import UnknownName
from querykin.learning.losses import losses
from querykin.learning.preferences import sample_preferences
from reference import tweak as reference

STEP = 1e-6


@st.composite
def judged(draw):
    size = draw(st.integers(1, 12))
    column = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=size, max_size=size)
    groups = st.lists(st.integers(0, 2), min_size=size, max_size=size)
    scores = st.lists(st.floats(0.01, 0.99), min_size=size, max_size=size)
    return np.array(draw(scores)), np.array(draw(column)), np.array(draw(groups), np.int64)


@pytest.mark.parametrize("name", list(losses))
@given(judged())
@settings(deadline=None, max_examples=60)
def test_the_gradient_equals_the_finite_difference(name, rows):
    scores, targets, groups = rows
    loss = losses[name](targets, groups)
    gradient = loss(scores)[1]
    for row in range(len(scores)):
        step = np.zeros(len(scores))
        step[row] = STEP
        change = (loss(scores + step)[0] - loss(scores - step)[0]) / (2 * STEP)
        assert gradient[row] == pytest.approx(change, rel=1e-4, abs=1e-5)


@given(judged())
@settings(deadline=None, max_examples=60)
def test_losses_are_sums_over_groups_of_means_within_each(data):
    scores, targets, groups = data
    expected = dict.fromkeys(losses, 0.0)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        for name in ("sse", "log"):
            expected[name] += reference.loss(name, scores[rows].tolist(), targets[rows].tolist()) / len(rows)
        drawn = list(
            zip(*map(np.ndarray.tolist, sample_preferences(targets[rows], groups[rows])), strict=True)
        )
        if drawn:
            expected["preference"] += reference.preference(scores[rows].tolist(), drawn) / len(drawn)
    for name, value in expected.items():
        assert losses[name](targets, groups)(scores)[0] == pytest.approx(value)


def test_a_tuned_preference_loss_is_minimal_at_the_scale_of_the_initial_scores():
    """So that learning gains nothing by shrinking or stretching all scores."""
    rng = np.random.default_rng(0)
    targets, groups = rng.integers(0, 2, 400).astype(float), np.repeat(np.arange(20), 20)
    for noise in (0.5, 1.0, 1.5):
        scores = 0.5 + (targets + noise * rng.normal(size=400)) / 5
        loss = losses["preference"](targets, groups).tuned(scores)
        value, gradient = loss(scores)
        assert gradient @ scores == pytest.approx(0, abs=0.01)
        assert value <= min(loss(factor * scores)[0] for factor in (0, 0.5, 0.9, 1.1, 2)) + 1e-6


def test_scores_of_0_and_1_have_a_finite_log_loss():
    value, gradient = losses["log"](np.array([1.0, 0.0]), np.array([0, 0]))(np.array([0.0, 1.0]))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_an_unknown_loss_is_an_error_that_lists_the_known_ones():
    with pytest.raises(UnknownName, match=r"unknown loss 'hinge'\. Known: log, preference, sse"):
        losses["hinge"]
