"""Losses and their gradients, and which preferences are drawn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.errors import UnknownName
from querykin.learning.losses import PAIRS_OF_A_GROUP, losses, sample_preferences
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
def test_the_gradient_is_how_the_loss_changes(name, rows):
    scores, targets, groups = rows
    loss = losses[name](targets, groups)
    gradient = loss(scores)[1]
    for place in range(len(scores)):
        step = np.zeros(len(scores))
        step[place] = STEP
        change = (loss(scores + step)[0] - loss(scores - step)[0]) / (2 * STEP)
        assert gradient[place] == pytest.approx(change, rel=1e-4, abs=1e-5)


@given(judged())
@settings(deadline=None, max_examples=60)
def test_losses_are_the_means_of_the_formulas_within_groups_summed_up(rows):
    scores, targets, groups = rows
    expected = dict.fromkeys(losses, 0.0)
    for group in np.unique(groups):
        mine = np.flatnonzero(groups == group)
        for name in ("sse", "log"):
            expected[name] += reference.loss(name, scores[mine].tolist(), targets[mine].tolist()) / len(mine)
        drawn = list(
            zip(*map(np.ndarray.tolist, sample_preferences(targets[mine], groups[mine])), strict=True)
        )
        if drawn:
            expected["preference"] += reference.preference(scores[mine].tolist(), drawn) / len(drawn)
    for name, value in expected.items():
        assert losses[name](targets, groups)(scores)[0] == pytest.approx(value)


@given(judged())
@settings(deadline=None, max_examples=60)
def test_preferences_are_all_within_a_group_and_for_the_better_grade(rows):
    _, targets, groups = rows
    better, worse = sample_preferences(targets, groups)
    assert (groups[better] == groups[worse]).all()
    assert (targets[better] > targets[worse]).all()
    count = sum(
        targets[a] > targets[b]
        for a in range(len(groups))
        for b in range(len(groups))
        if groups[a] == groups[b]
    )
    assert len(better) == count


def test_of_many_preferences_of_a_group_some_are_drawn_and_the_seed_decides_which():
    targets, groups = np.repeat([0.0, 1.0], 40), np.zeros(80, np.int64)
    first, again, other = (sample_preferences(targets, groups, seed) for seed in (0, 0, 1))
    assert len(first[0]) == PAIRS_OF_A_GROUP
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_tuned_preference_loss_rewards_no_other_multiple_of_the_first_scores():
    """So that learning cannot gain by drawing all scores together, or apart."""
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


def test_an_unknown_loss_is_refused_with_those_there_are():
    with pytest.raises(UnknownName, match="unknown loss 'hinge'; Known: log, preference, sse"):
        losses["hinge"]
