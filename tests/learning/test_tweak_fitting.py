"""Fitting of term weights: planted weights are recovered, groups are kept together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.errors import InputError
from querykin.learning.losses import losses
from querykin.learning.tweak.fitting import MIN_DEVELOPMENT, Tweak, development
from querykin.learning.tweak.term_pairs import TermPairs

PLANTED = np.array([1.0, 2.0, -1.5])
START = np.array([1.0, 0.5, 0.0])


def make_pairs(seed=0, texts=240, words=40, groups=12):
    """Pairs of texts of random terms, grouped by the left one."""
    rng = np.random.default_rng(seed)
    chosen = [np.sort(rng.permutation(words)[: rng.integers(8, 20)]) for _ in range(texts)]
    indptr = np.cumsum([0, *map(len, chosen)])
    features = np.column_stack([np.ones(indptr[-1]), *rng.random((2, indptr[-1]))]).astype(np.float32)
    left, right = np.repeat(np.arange(groups), 60), rng.integers(groups, texts, 60 * groups)
    return TermPairs.of(indptr, np.concatenate(chosen), features, left, right), left


@pytest.mark.parametrize("loss", list(losses))
def test_planted_weights_are_recovered(loss):
    pairs, groups = make_pairs(groups=40)  # the penalty is relative to the number of groups
    scores = pairs.cosines(PLANTED)
    fit = Tweak(START, loss).learn(pairs, scores, groups)
    angle = fit.weights @ PLANTED / np.linalg.norm(fit.weights) / np.linalg.norm(PLANTED)
    assert angle > (0.999 if loss == "sse" else 0.97)
    assert np.corrcoef(pairs.cosines(fit.weights), scores)[0, 1] > 0.98
    assert fit.alpha in (0.003, 0.01, 0.03, 0.1, 0.3, 1)


@pytest.mark.parametrize("loss", list(losses))
def test_the_gradient_of_the_objective_equals_the_finite_difference(loss):
    pairs, groups = make_pairs(texts=60, groups=3)
    targets = (pairs.cosines(PLANTED) > 0.5).astype(float)
    learner, made_loss = Tweak(START, loss), losses[loss](targets, groups)
    at = np.array([0.8, 1.1, -0.3])
    gradient = learner.objective(at, pairs, made_loss, 0.3)[1]
    for feature in range(3):
        step = np.zeros(3)
        step[feature] = 1e-5
        high, low = (learner.objective(at + sign * step, pairs, made_loss, 0.3)[0] for sign in (1, -1))
        assert gradient[feature] == pytest.approx((high - low) / 2e-5, rel=1e-3, abs=1e-3)


def test_a_strong_penalty_keeps_the_weights_at_the_start():
    pairs, groups = make_pairs()
    loss = losses["sse"](pairs.cosines(PLANTED), groups)
    assert Tweak(START, "sse").minimize_loss(pairs, loss, 1e9, START) == pytest.approx(START, abs=1e-4)


def test_random_preferences_leave_the_weights_near_the_start():
    pairs, groups = make_pairs(groups=40)
    targets = np.random.default_rng(1).integers(0, 2, len(pairs)).astype(float)
    fit = Tweak(START, "preference").learn(pairs, targets, groups)
    assert fit.alpha >= 0.3
    assert fit.weights @ START / np.linalg.norm(fit.weights) / np.linalg.norm(START) > 0.9


def test_pairs_without_terms_are_ignored():
    pairs, groups = make_pairs()
    targets = pairs.cosines(PLANTED)
    empty = TermPairs(
        np.append(pairs.indptr, pairs.indptr[-1]),
        pairs.features,
        np.append(pairs.left, len(pairs.indptr) - 1),
        np.append(pairs.right, 0),
        np.append(pairs.shared_indptr, pairs.shared_indptr[-1]),
        pairs.left_rows,
        pairs.right_rows,
    )
    with_empty = Tweak(START, "sse").learn(empty, np.append(targets, 1.0), np.append(groups, 0))
    assert with_empty.weights == pytest.approx(
        Tweak(START, "sse").learn(pairs, targets, groups).weights, rel=1e-3
    )


@given(st.lists(st.integers(1, 9), min_size=2, max_size=60), st.integers(0, 5))
@settings(deadline=None, max_examples=100)
def test_whole_groups_are_held_out_for_development(sizes, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    targets = np.random.default_rng(seed).integers(0, 2, len(groups)).astype(float)
    held_out = development(targets, groups, seed)
    chosen = [np.unique(held_out[groups == group]).tolist() for group in range(len(sizes))]
    assert all(len(each) == 1 for each in chosen)
    assert sum(each[0] for each in chosen) == max(
        1, round(0.05 * len(sizes)), min(MIN_DEVELOPMENT, len(sizes) // 4)
    )


def test_data_without_information_are_an_error():
    pairs, groups = make_pairs(texts=60, groups=3)
    learner = Tweak(START, "sse")
    with pytest.raises(InputError, match="all pairs have the same grade"):
        learner.learn(pairs, np.ones(len(pairs)), groups)
    with pytest.raises(InputError, match="all pairs belong to one group"):
        learner.learn(pairs, np.arange(len(pairs)) / len(pairs), np.zeros(len(pairs), np.int64))
    nothing = TermPairs.of(
        np.zeros(3, np.int64),
        np.zeros(0, np.int64),
        np.zeros((0, 3), np.float32),
        np.array([0]),
        np.array([1]),
    )
    with pytest.raises(InputError, match="covers none"):
        learner.learn(nothing, np.ones(1), np.zeros(1, np.int64))
