"""Combinations: votes as in the paper, constraints, invariances and the choice of the variance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.learning.combination.examples import Examples
from querykin.learning.combination.features import PairFeatures, ranks
from querykin.learning.combination.fitting import (
    OTHER_VARIANCES,
    VARIANCE,
    TrainingConfig,
    choose_variance,
    combined,
    fit_combination,
    ranks_matter,
    votes,
)
from querykin.learning.preferences import comparable, pairwise_accuracy
from querykin.learning.trees import tree_scores
from reference import combination as reference

NAMES = ("good", "rank by good", "noise", "rank by noise", "against", "words of the query")
MEASURES = ("good", "noise", "against")
EVERY = [(learner, loss) for learner in ("logistic", "trees") for loss in ("preference", "metric")]


def judged(groups=20, size=6, seed=0):
    """Pairs with grades 0 to 2; `good` rises with them, `against` falls, `noise` is independent."""
    rng = np.random.default_rng(seed)
    lists = np.repeat(np.arange(groups), size)
    grades = np.tile(np.arange(size) % 3, groups).astype(float)
    good = grades / 2 + rng.normal(size=len(grades)) / 4
    noise, against = rng.random(len(grades)), rng.random(len(grades)) - grades / 4
    columns = [good, ranks(good, lists), noise, ranks(noise, lists), against, lists % 3]
    return PairFeatures(NAMES, np.array(columns, float).T.copy(), lists), grades, lists


def fitted(config, variance=VARIANCE, **options):
    features, grades, groups = judged(**options)
    return fit_combination(features, grades, groups, config, variance), features


def make_config(learner="logistic", loss="preference", unconstrained=False):
    return TrainingConfig(MEASURES, learner, loss, unconstrained)


lines = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.integers(-8, 8).map(lambda n: n / 8), min_size=6, max_size=6)),
    min_size=1,
    max_size=25,
)


@given(lines, st.booleans())
@settings(deadline=None, max_examples=60)
def test_the_votes_of_a_linear_model_are_in_the_order_of_its_sum(rows, unconstrained):
    content, _ = fitted(make_config(unconstrained=unconstrained))
    lists, values = np.array([n for n, _ in rows]), np.array([line for _, line in rows])
    sums = combined(content, PairFeatures(NAMES, values, lists))
    used = PairFeatures(NAMES, values, lists).only(content["features"]).values
    weights = np.array(content["weights"])
    voted = np.array(reference.votes(used.tolist(), lists.tolist(), lambda line: float(weights @ line)))
    for number in np.unique(lists):
        of_list = np.flatnonzero(lists == number)
        for i in of_list:
            for j in of_list:
                if abs(sums[i] - sums[j]) > 1e-9:
                    assert (sums[i] > sums[j]) == (voted[i] > voted[j])
                else:
                    assert voted[i] == pytest.approx(voted[j], abs=1e-6)


def test_the_votes_of_trees_equal_the_reference():
    content, features = fitted(make_config("trees"))
    part = features.part(np.arange(0, 90, 2))
    used = part.only(content["features"]).values

    def odds(line):
        return float(tree_scores(content["trees"], np.array([line]))[0])

    expected = np.array(reference.votes(used.tolist(), part.lists.tolist(), odds))
    itself = reference.sigmoid(odds([0.0] * used.shape[1]))
    sizes = np.bincount(part.lists)[part.lists]
    # Ours is a mean that includes the pair itself: the same order within a list.
    assert combined(content, part).tolist() == pytest.approx(((expected + itself) / sizes).tolist())


def test_votes_of_long_lists_are_computed_in_batches(monkeypatch):
    rng = np.random.default_rng(0)
    values, lists = rng.normal(size=(50, 2)), rng.integers(0, 3, 50)
    whole = votes(values, lists, lambda lines: lines.sum(axis=1), np.zeros(2))
    sizes = []
    monkeypatch.setattr("querykin.learning.combination.fitting._MAX_COMPARISONS", 40)
    batched = votes(values, lists, lambda rows: sizes.append(len(rows)) or rows.sum(axis=1), np.zeros(2))
    assert batched.tolist() == whole.tolist()
    assert max(sizes) <= 40


def test_a_pair_alone_is_compared_with_the_mean():
    values = np.array([[1.0, 0.0], [3.0, 0.0], [-1.0, 0.0]])
    found = votes(values, np.arange(3), lambda lines: lines[:, 0], np.array([1.0, 0.0]))
    assert found == pytest.approx([0.5, 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))])


@pytest.mark.parametrize("loss", ["preference", "metric"])
def test_weights_of_measures_are_not_negative_unless_unconstrained(loss):
    constrained, _ = fitted(make_config(loss=loss))
    weights = dict(zip(constrained["features"], constrained["weights"], strict=True))
    assert weights["good"] > 0
    assert weights["against"] == 0
    assert min(weights[name] for name in MEASURES) >= 0
    unconstrained, _ = fitted(make_config(loss=loss, unconstrained=True))
    assert dict(zip(unconstrained["features"], unconstrained["weights"], strict=True))["against"] < -0.1


@pytest.mark.parametrize("loss", ["preference", "metric"])
def test_trees_never_fall_as_a_measure_rises(loss):
    content, features = fitted(make_config("trees", loss))
    for name in MEASURES:
        row = features.values[:1].repeat(30, axis=0)
        row[:, features.names.index(name)] = np.linspace(-1, 2, 30)
        assert (np.diff(combined(content, PairFeatures(NAMES, row, np.zeros(30, np.int64)))) >= -1e-12).all()


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_new_pairs_are_ordered_well(learner, loss):
    content, _ = fitted(make_config(learner, loss))
    features, grades, groups = judged(seed=1)
    assert pairwise_accuracy(combined(content, features), grades, groups).mean() > 0.85


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_the_order_of_rows_does_not_matter(learner, loss):
    features, grades, groups = judged()
    order = np.random.default_rng(0).permutation(len(grades))
    config = make_config(learner, loss)
    expected = fit_combination(features, grades, groups, config, VARIANCE)
    shuffled = fit_combination(features.part(order), grades[order], groups[order], config, VARIANCE)
    new, _, _ = judged(seed=2)
    assert combined(shuffled, new).tolist() == pytest.approx(combined(expected, new).tolist(), abs=2e-3)
    scores = combined(expected, new)
    assert combined(expected, new.part(order)).tolist() == pytest.approx(scores[order].tolist(), abs=1e-12)


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_a_missing_score_counts_as_a_low_one(learner, loss):
    features, grades, groups = judged()
    values = features.values.copy()
    values[::7, 0] = np.nan
    content = fit_combination(
        PairFeatures(NAMES, values, groups), grades, groups, make_config(learner, loss), VARIANCE
    )
    line = np.array([[np.nan] * 6, [np.nanmax(values[:, 0]), *[np.nan] * 5]])
    missing, high = combined(content, PairFeatures(NAMES, line, np.zeros(2, np.int64)))
    assert missing < high
    column = content["features"].index("good")
    assert content["missing_values"][column] == pytest.approx(np.nanquantile(values[:, 0], 0.05))


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_features_that_never_vary_are_left_out(learner, loss):
    features, grades, groups = judged(groups=4)
    values = features.values.copy()
    values[:, 2:] = 0.5
    config = make_config(learner, loss)
    content = fit_combination(PairFeatures(NAMES, values, groups), grades, groups, config, VARIANCE)
    assert content["features"] == ["good", "rank by good"]
    values[:, 0] = np.where(np.arange(len(values)) % 2, 0.5, np.nan)  # only the rank varies
    content = fit_combination(PairFeatures(NAMES, values, groups), grades, groups, config, VARIANCE)
    assert content["features"] == list(MEASURES)
    assert len(set(combined(content, PairFeatures(NAMES, values, groups)).tolist())) == 1


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_a_single_group_and_groups_without_preferences_give_finite_scores(learner, loss):
    features, grades, groups = judged(groups=1)
    for labels in (grades, np.ones(len(grades))):
        content = fit_combination(features, labels, groups, make_config(learner, loss), VARIANCE)
        assert np.isfinite(combined(content, features)).all()
    assert choose_variance(features, grades, groups, make_config(learner, loss)) in OTHER_VARIANCES


def test_grades_are_compared_within_their_group_only():
    """A preference learner ignores that one group has higher grades than another."""
    features, grades, groups = judged()
    shifted = grades + 10 * (groups % 2)
    config = make_config()
    first, again = (
        fit_combination(features, g, groups, config, VARIANCE)["weights"] for g in (grades, shifted)
    )
    assert again == pytest.approx(first)


@pytest.mark.parametrize("loss", ["preference", "metric"])
def test_other_features_get_a_wide_prior_only_if_held_out_groups_improve(loss):
    rng = np.random.default_rng(0)
    groups, grades = np.repeat(np.arange(40), 6), np.tile(np.arange(6) % 2, 40).astype(float)
    noisy = grades + rng.normal(size=240) / 3
    config = TrainingConfig(("score",), loss=loss)

    def chosen(score, other):
        features = PairFeatures(("score", "log of times asked"), np.array([score, other]).T.copy(), groups)
        return choose_variance(features, grades, groups, config)

    assert chosen(noisy, rng.random(240)) == OTHER_VARIANCES[0]
    assert chosen(noisy + rng.normal(size=240), -noisy) > OTHER_VARIANCES[0]
    few = groups < 5
    features = PairFeatures(("score", "other"), np.array([noisy, noisy]).T[few].copy(), groups[few])
    assert choose_variance(features, grades[few], groups[few], config) == OTHER_VARIANCES[0]


@pytest.mark.parametrize("loss", ["preference", "metric"])
def test_every_query_has_the_same_weight(loss):
    grades, groups = np.array([0.0, 1.0, *[0.0, 1.0] * 9]), np.array([4] * 2 + [7] * 18)
    examples = Examples.of(groups[:, None] * 1.0, grades, groups, loss)
    lines = groups if loss == "metric" else np.array([4] * 1 + [7] * 81)
    assert [examples.sample_weight[lines == group].sum() for group in (4, 7)] == pytest.approx([10, 10])


def test_single_pairs_have_equal_weights():
    examples = Examples.of(np.zeros((3, 1)), np.array([0.0, 1.0, 2.0]), np.array([4, 5, 6]), "metric")
    assert examples.sample_weight.tolist() == [1, 1, 1]
    assert examples.targets.tolist() == [0, 0.5, 1]


def test_single_pairs_are_compared_across_groups():
    grades = np.array([0.0, 1.0, 2.0])
    assert comparable(grades, np.array([4, 5, 6])).tolist() == [0, 0, 0]
    assert comparable(grades, np.array([4, 4, 6])).tolist() == [4, 4, 6]
    features, grades, _ = judged()
    single = np.arange(len(grades))
    found = choose_variance(features, grades, single, make_config(loss="metric"))
    assert found in OTHER_VARIANCES


def test_pairwise_accuracy_is_the_share_of_correctly_ordered_preferences():
    scores, grades = np.array([3.0, 1.0, 2.0, 5.0, 5.0, 1.0]), np.array([2.0, 1.0, 0.0, 1.0, 0.0, 9.0])
    found = pairwise_accuracy(scores, grades, np.array([3, 3, 3, 8, 8, 9]))
    assert found.tolist() == pytest.approx([2 / 3, 0.5, np.nan], nan_ok=True)


def test_ranks_make_scores_depend_on_the_list():
    assert ranks_matter(["kernel", "rank by kernel"])
    assert not ranks_matter(["kernel", "covered by kernel", "words of the query"])
