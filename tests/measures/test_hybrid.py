"""The hybrid measures: parts, weights, missing scores, explanations and probabilities."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Settings, Workspace
from querykin.measures.hybrid import Hybrid
from querykin.measures.part_weights import DENSE, STATIC, TERMS
from querykin.testing import check_measure
from small_models import use_small_models
from topics import QUERIES, WORDS

NAMES = ["hybrid", "hybrid-static"]
ODD = ["", "zzyzx", "zz zzz", "qwrtp vvwx", "😀"]
texts = st.lists(st.sampled_from([*WORDS, "zzyzx", "qwrtp"]), max_size=5).map(" ".join)
names = st.sampled_from(NAMES)


@pytest.fixture(scope="module")
def small(workspace) -> Workspace:
    """The workspace of 61 documents with small models."""
    with pytest.MonkeyPatch.context() as patch:
        use_small_models(patch)
        yield workspace.reopen()


def expected_score(measure, a: str, b: str) -> float:
    """The formula, part by part."""
    first, second = (measure.weights.weights([text])[0] for text in (a, b))
    total, scores = 0.0, 0
    for column, part in measure.parts.items():
        score = part.score_pairs([a], [b])[0]
        if not np.isnan(score):
            scores += 1
            value = max(score, 0.0) ** 0.5 if column == TERMS else score
            total += (first[column] + second[column]) / 2 * value
    return total if scores else np.nan


@given(texts | st.sampled_from(QUERIES), texts | st.sampled_from(QUERIES), names)
@settings(max_examples=80)
def test_a_score_is_the_weighted_sum_of_its_parts(small, a, b, name):
    measure = small.measure(name)
    score = measure.score_pairs([a], [b])[0]
    assert score == pytest.approx(expected_score(measure, a, b), abs=1e-12, nan_ok=True)
    assert score == pytest.approx(measure.score_pairs([b], [a])[0], abs=1e-12, nan_ok=True)
    assert np.isnan(score) or -1 <= score <= 1 + 1e-6  # rows of models are in single precision


@pytest.mark.parametrize("name", NAMES)
def test_the_measures_conform(small, name):
    check_measure(small.measure(name))


def test_the_parts_are_those_of_the_workspace(small):
    hybrid, static = (small.measure(name) for name in NAMES)
    assert {column: part.name for column, part in hybrid.parts.items()} == {
        DENSE: "dense",
        STATIC: "web-kernel-static",
        TERMS: "web-kernel",
    }
    assert set(static.parts) == {STATIC, TERMS}
    for measure in (hybrid, static):
        assert measure.parts[TERMS] is small.measure("web-kernel")
        assert [part.name for part in measure.components()][-1] == measure.name
        assert not measure.kernel


@pytest.mark.parametrize("name", NAMES)
def test_a_pair_without_a_score_of_any_part_has_none(small, name):
    measure = small.measure(name)
    assert np.isnan(measure.score_pairs(["zz zzz", "", "zzyzx"], ["NASA", "NASA", "zzyzx"])).all()
    assert measure.explain("zz zzz", "NASA").contributions == ()


def test_a_part_without_a_score_adds_nothing(small):
    """The web kernel cannot tell what "qwrtp" is, the models can."""
    measure = small.measure("hybrid")
    pair = ["qwrtp"], ["NASA"]
    assert np.isnan(measure.parts[TERMS].score_pairs(*pair)).all()
    weights = measure.weights.weights(["qwrtp", "NASA"])
    assert weights[0, TERMS] == 0 < weights[1, TERMS]
    means = weights.mean(axis=0)
    expected = sum(means[column] * measure.parts[column].score_pairs(*pair)[0] for column in (DENSE, STATIC))
    assert measure.score_pairs(*pair)[0] == pytest.approx(expected)


@given(texts | st.sampled_from([*QUERIES, *ODD]), texts | st.sampled_from([*QUERIES, *ODD]), names)
@settings(max_examples=60)
def test_the_shares_of_an_explanation_sum_to_the_score(small, a, b, name):
    measure = small.measure(name)
    explanation = measure.explain(a, b)
    assert (explanation.a, explanation.b, explanation.measure) == (a, b, name)
    assert explanation.score == pytest.approx(measure.score_pairs([a], [b])[0], abs=1e-12, nan_ok=True)
    shares = [each.share for each in explanation.contributions]
    assert sum(shares) == pytest.approx(np.nan_to_num(explanation.score), abs=1e-9)
    assert shares == sorted(shares, key=abs, reverse=True)


def test_shares_name_the_part_they_come_from(small):
    explanation = small.measure("hybrid").explain("space exploration", "NASA")
    assert {each.part for each in explanation.contributions} == {"dense", "web-kernel-static", "web-kernel"}
    kernel = small.explain("space exploration", "NASA", "web-kernel")
    named = {each.term: each.label for each in explanation.contributions if each.part == "web-kernel"}
    assert named == {each.term: f"web-kernel: {each.term}" for each in kernel.contributions}
    assert all(each.label == each.term for each in kernel.contributions)


def test_negative_cosines_are_explained_by_negative_shares(small):
    measure = small.measure("hybrid")
    scores = measure.score("apple pie", list(WORDS))
    lowest = WORDS[int(np.nanargmin(scores))]
    explanation = measure.explain("apple pie", lowest)
    assert explanation.score < 0
    shares = [each.share for each in explanation.contributions]
    assert min(shares) < 0
    assert sum(shares) == pytest.approx(explanation.score, abs=1e-9)


def test_an_explanation_has_passages_of_the_documents(small):
    explanation = small.measure("hybrid").explain("space exploration", "NASA")
    assert {passage.side for passage in explanation.passages} == {"a", "b"}
    assert "NASA" in {passage.title for passage in explanation.passages}


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), names)
def test_no_lower_score_has_the_probability(small, score, weight, probability, name):
    measure = small.measure(name)
    (found,) = measure.probabilities(np.array([score]), np.array([[0, 1 - weight, weight]]))
    assert 0 < found < 1
    if found >= probability:
        assert score >= measure.lowest_score(probability) - 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_a_higher_score_and_more_of_the_web_kernel_are_more_probable(small, name):
    measure, rows = small.measure(name), np.array([[0, 1, 0], [0, 0.5, 0.5], [0, 0, 1]])
    assert (np.diff(measure.probabilities(np.array([0.1, 0.4, 0.9]), rows[[0, 0, 0]])) > 0).all()
    assert (np.diff(measure.probabilities(np.full(3, 0.5), rows)) > 0).all()
    assert measure.lowest_score(0) == -np.inf
    assert measure.lowest_score(1) == np.inf


def test_parameters_of_the_settings_are_used(small):
    parameters = {"hybrid": {"dense": 0.0, "terms": 3.0, "terms_alone": 0.0}}
    changed = Workspace.open(small.path, Settings(measures=parameters)).measure("hybrid")
    assert isinstance(changed, Hybrid)
    weights = changed.weights.weights(["space exploration", "qwrtp"])
    assert weights == pytest.approx(np.array([[0, 0.25, 0.75], [0, 1, 0]]), abs=5e-3)


def test_other_instances_of_the_parts_take_their_place(small):
    measure = small.measure("hybrid")
    shallow, weights = replace(measure.static, results=2), replace(measure.weights, terms=9.0)
    changed = measure.with_parts({**measure.parts, STATIC: shallow}, weights)
    assert changed.parts[STATIC] is shallow
    assert changed.weights is weights
    assert changed.parts[TERMS] is measure.parts[TERMS]
