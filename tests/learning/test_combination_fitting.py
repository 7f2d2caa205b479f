"""Combined scores: the votes of the paper, what may be learnt, and what does not matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.learning.combination.examples import Examples
from querykin.learning.combination.features import PairFeatures, ranks
from querykin.learning.combination.fitting import (
    OTHERS,
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
from reference import combination as twin

NAMES = ("good", "rank by good", "noise", "rank by noise", "against", "words of the query")
MEASURES = ("good", "noise", "against")
EVERY = [(learner, loss) for learner in ("logistic", "trees") for loss in ("preference", "metric")]


def judged(groups=20, size=6, seed=0):
    """Pairs with grades 0 to 2; `good` rises with them, `against` falls, `noise` knows nothing."""
    rng = np.random.default_rng(seed)
    lists = np.repeat(np.arange(groups), size)
    grades = np.tile(np.arange(size) % 3, groups).astype(float)
    good = grades / 2 + rng.normal(size=len(grades)) / 4
    noise, against = rng.random(len(grades)), rng.random(len(grades)) - grades / 4
    columns = [good, ranks(good, lists), noise, ranks(noise, lists), against, lists % 3]
    return PairFeatures(NAMES, np.array(columns, float).T.copy(), lists), grades, lists


def learnt(training_config, variance=VARIANCE, **options):
    features, grades, groups = judged(**options)
    return fit_combination(features, grades, groups, training_config, variance), features


def as_recipe(learner="logistic", loss="preference", free=False):
    return TrainingConfig(MEASURES, learner, loss, free)


lines = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.integers(-8, 8).map(lambda n: n / 8), min_size=6, max_size=6)),
    min_size=1,
    max_size=25,
)


@given(lines, st.booleans())
@settings(deadline=None, max_examples=60)
def test_the_votes_of_a_linear_model_stand_in_the_order_of_its_sum(rows, free):
    content, _ = learnt(as_recipe(free=free))
    lists, values = np.array([n for n, _ in rows]), np.array([line for _, line in rows])
    sums = combined(content, PairFeatures(NAMES, values, lists))
    used = PairFeatures(NAMES, values, lists).only(content["features"]).values
    weights = np.array(content["weights"])
    voted = np.array(twin.votes(used.tolist(), lists.tolist(), lambda line: float(weights @ line)))
    for number in np.unique(lists):
        mine = np.flatnonzero(lists == number)
        for i in mine:
            for j in mine:
                if abs(sums[i] - sums[j]) > 1e-9:
                    assert (sums[i] > sums[j]) == (voted[i] > voted[j])
                else:
                    assert voted[i] == pytest.approx(voted[j], abs=1e-6)


def test_the_votes_of_trees_equal_the_twin():
    content, features = learnt(as_recipe("trees"))
    some = features.part(np.arange(0, 90, 2))
    used = some.only(content["features"]).values

    def odds(line):
        return float(tree_scores(content["trees"], np.array([line]))[0])

    expected = np.array(twin.votes(used.tolist(), some.lists.tolist(), odds))
    itself = twin.sigmoid(odds([0.0] * used.shape[1]))
    sizes = np.bincount(some.lists)[some.lists]
    # Ours is a mean, not a sum, and counts the pair itself: the same order within a list.
    assert combined(content, some).tolist() == pytest.approx(((expected + itself) / sizes).tolist())


def test_votes_of_long_lists_are_counted_piece_by_piece(monkeypatch):
    rng = np.random.default_rng(0)
    values, lists = rng.normal(size=(50, 2)), rng.integers(0, 3, 50)
    whole = votes(values, lists, lambda lines: lines.sum(axis=1), np.zeros(2))
    asked = []
    monkeypatch.setattr("querykin.learning.combination._LINES", 40)
    pieces = votes(values, lists, lambda lines: asked.append(len(lines)) or lines.sum(axis=1), np.zeros(2))
    assert pieces.tolist() == whole.tolist()
    assert max(asked) <= 40


def test_a_pair_alone_has_an_average_pair_for_a_rival():
    values = np.array([[1.0, 0.0], [3.0, 0.0], [-1.0, 0.0]])
    found = votes(values, np.arange(3), lambda lines: lines[:, 0], np.array([1.0, 0.0]))
    assert found == pytest.approx([0.5, 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))])


@pytest.mark.parametrize("loss", ["preference", "metric"])
def test_a_measure_may_only_raise_the_score_unless_weights_are_free(loss):
    bound, _ = learnt(as_recipe(loss=loss))
    weights = dict(zip(bound["features"], bound["weights"], strict=True))
    assert weights["good"] > 0
    assert weights["against"] == 0
    assert min(weights[name] for name in MEASURES) >= 0
    free, _ = learnt(as_recipe(loss=loss, free=True))
    assert dict(zip(free["features"], free["weights"], strict=True))["against"] < -0.1


@pytest.mark.parametrize("loss", ["preference", "metric"])
def test_trees_never_fall_with_a_measure(loss):
    content, features = learnt(as_recipe("trees", loss))
    for name in MEASURES:
        place = features.names.index(name)
        row = features.values[:1].repeat(30, axis=0)
        row[:, place] = np.linspace(-1, 2, 30)
        assert (np.diff(combined(content, PairFeatures(NAMES, row, np.zeros(30, np.int64)))) >= -1e-12).all()


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_other_pairs_are_put_in_order(learner, loss):
    content, _ = learnt(as_recipe(learner, loss))
    features, grades, groups = judged(seed=1)
    assert pairwise_accuracy(combined(content, features), grades, groups).mean() > 0.85


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_the_order_of_rows_does_not_matter(learner, loss):
    features, grades, groups = judged()
    order = np.random.default_rng(0).permutation(len(grades))
    training_config = as_recipe(learner, loss)
    here = fit_combination(features, grades, groups, training_config, VARIANCE)
    there = fit_combination(features.part(order), grades[order], groups[order], training_config, VARIANCE)
    asked, _, _ = judged(seed=2)
    assert combined(there, asked).tolist() == pytest.approx(combined(here, asked).tolist(), abs=2e-3)
    scores = combined(here, asked)
    assert combined(here, asked.part(order)).tolist() == pytest.approx(scores[order].tolist(), abs=1e-12)


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_a_pair_without_a_score_stands_low_and_never_is_an_error(learner, loss):
    features, grades, groups = judged()
    values = features.values.copy()
    values[::7, 0] = np.nan
    content = fit_combination(
        PairFeatures(NAMES, values, groups), grades, groups, as_recipe(learner, loss), VARIANCE
    )
    line = np.array([[np.nan] * 6, [np.nanmax(values[:, 0]), *[np.nan] * 5]])
    absent, high = combined(content, PairFeatures(NAMES, line, np.zeros(2, np.int64)))
    assert absent < high
    place = content["features"].index("good")
    assert content["low"][place] == pytest.approx(np.nanquantile(values[:, 0], 0.05))


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_features_that_never_vary_are_left_out(learner, loss):
    features, grades, groups = judged(groups=4)
    values = features.values.copy()
    values[:, 2:] = 0.5
    training_config = as_recipe(learner, loss)
    content = fit_combination(PairFeatures(NAMES, values, groups), grades, groups, training_config, VARIANCE)
    assert content["features"] == ["good", "rank by good"]
    values[:, 0] = np.where(np.arange(len(values)) % 2, 0.5, np.nan)  # no score varies, only the rank does
    content = fit_combination(PairFeatures(NAMES, values, groups), grades, groups, training_config, VARIANCE)
    assert content["features"] == list(MEASURES)
    assert len(set(combined(content, PairFeatures(NAMES, values, groups)).tolist())) == 1


@pytest.mark.parametrize(("learner", "loss"), EVERY)
def test_groups_without_preferences_and_one_group_alone_do_no_harm(learner, loss):
    features, grades, groups = judged(groups=1)
    for some in (grades, np.ones(len(grades))):
        content = fit_combination(features, some, groups, as_recipe(learner, loss), VARIANCE)
        assert np.isfinite(combined(content, features)).all()
    assert choose_variance(features, grades, groups, as_recipe(learner, loss)) in OTHERS


def test_grades_are_compared_within_their_group_only():
    """A preference learner takes nothing from one group being graded more kindly than another."""
    features, grades, groups = judged()
    kind = grades + 10 * (groups % 2)
    training_config = as_recipe()
    first, again = (
        fit_combination(features, g, groups, training_config, VARIANCE)["weights"] for g in (grades, kind)
    )
    assert again == pytest.approx(first)


@pytest.mark.parametrize("loss", ["preference", "metric"])
def test_other_features_speak_only_where_held_out_groups_want_them(loss):
    rng = np.random.default_rng(0)
    groups, grades = np.repeat(np.arange(40), 6), np.tile(np.arange(6) % 2, 40).astype(float)
    told = grades + rng.normal(size=240) / 3
    training_config = TrainingConfig(("score",), loss=loss)

    def chosen(score, other):
        features = PairFeatures(("score", "log of times asked"), np.array([score, other]).T.copy(), groups)
        return choose_variance(features, grades, groups, training_config)

    assert chosen(told, rng.random(240)) == OTHERS[0]
    assert chosen(told + rng.normal(size=240), -told) > OTHERS[0]
    few = groups < 5
    features = PairFeatures(("score", "other"), np.array([told, told]).T[few].copy(), groups[few])
    assert choose_variance(features, grades[few], groups[few], training_config) == OTHERS[0]


@pytest.mark.parametrize("loss", ["preference", "metric"])
def test_a_query_counts_once_however_many_of_its_candidates_are_judged(loss):
    grades, groups = np.array([0.0, 1.0, *[0.0, 1.0] * 9]), np.array([4] * 2 + [7] * 18)
    examples = Examples.of(groups[:, None] * 1.0, grades, groups, loss)
    lines = groups if loss == "metric" else np.array([4] * 1 + [7] * 81)
    assert [examples.counts[lines == group].sum() for group in (4, 7)] == pytest.approx([10, 10])


def test_single_pairs_count_alike():
    examples = Examples.of(np.zeros((3, 1)), np.array([0.0, 1.0, 2.0]), np.array([4, 5, 6]), "metric")
    assert examples.counts.tolist() == [1, 1, 1]
    assert examples.targets.tolist() == [0, 0.5, 1]


def test_single_pairs_are_compared_across_groups():
    grades = np.array([0.0, 1.0, 2.0])
    assert comparable(grades, np.array([4, 5, 6])).tolist() == [0, 0, 0]
    assert comparable(grades, np.array([4, 4, 6])).tolist() == [4, 4, 6]
    features, grades, _ = judged()
    single = np.arange(len(grades))
    found = choose_variance(features, grades, single, as_recipe(loss="metric"))
    assert found in OTHERS


def test_shares_of_preferences_in_the_right_order():
    scores, grades = np.array([3.0, 1.0, 2.0, 5.0, 5.0, 1.0]), np.array([2.0, 1.0, 0.0, 1.0, 0.0, 9.0])
    found = pairwise_accuracy(scores, grades, np.array([3, 3, 3, 8, 8, 9]))
    assert found.tolist() == pytest.approx([2 / 3, 0.5, np.nan], nan_ok=True)


def test_ranks_make_a_score_depend_on_the_list():
    assert ranks_matter(["kernel", "rank by kernel"])
    assert not ranks_matter(["kernel", "covered by kernel", "words of the query"])
