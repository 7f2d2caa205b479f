"""Learned term weights (TWEAK) as a measure: rows and indexes depend on the weights."""

from dataclasses import replace

import numpy as np
import pytest

from querykin.errors import InputError, WorkspaceError
from querykin.learning.tweak.measure import Tweak
from querykin.learning.tweak.term_weights import FEATURE_SETS, MEANINGS, PLAIN, TermWeights, result_terms
from querykin.model_files import Model
from querykin.weighting.term_features import FEATURES, FIELDS, TermFeatureReader
from reference import tweak as reference
from stocked import REPOSITORY, stock
from topics import DOCUMENTS

TEXTS = ["space exploration", "seattle mariners", "java island"]


def model(features="tf-df", weights=(5.0, 1.0, -0.5), name="mine", **content):
    basic = {"features": list(FEATURE_SETS[features]), "weights": list(weights), "results": 30}
    return Model("tweak", name, basic | content)


def made(workspace, **parts):
    return Tweak.from_model(workspace, model(**parts), {"keep": 1.0})


def features_of(workspace, text, names):
    """Features of each term of the results and of the text itself."""
    reader = TermFeatureReader(workspace.expander.corpus, workspace.query_frequencies)
    terms = result_terms(reader, workspace.expander.expand([text], 30), names)
    return dict(zip(terms.terms.tolist(), terms.features(names).tolist(), strict=True))


@pytest.mark.parametrize("features", ["tf-df", "plain", "html", "more"])
def test_scores_are_cosines_of_weighted_features(workspace, features):
    names = FEATURE_SETS[features]
    rng = np.random.default_rng(3)
    weights = [5.0, 1.0, -0.5, *rng.normal(0, 0.2, len(names) - 3)]
    measure = made(workspace, features=features, weights=weights)
    described = [features_of(workspace, text, names) for text in TEXTS]
    for a, one in zip(TEXTS, described, strict=True):
        for b, other in zip(TEXTS, described, strict=True):
            expected = reference.cosine(one, other, weights)
            assert measure.score_pairs([a], [b])[0] == pytest.approx(expected, rel=1e-6)


def test_with_term_frequency_alone_the_score_is_the_cosine_of_log_counts(workspace):
    measure = made(workspace, weights=(0.0, 1.0, 0.0))
    described = [features_of(workspace, text, ("log tf",)) for text in TEXTS[:2]]
    assert measure.score_pairs(TEXTS[:1], TEXTS[1:2])[0] == pytest.approx(
        reference.cosine(*described, (1.0,))
    )


def test_own_words_outside_the_results_are_terms_if_a_feature_describes_them(workspace):
    weights = [1.0] + [0.0] * 7 + [1.0, 1.0]
    with_own = made(workspace, features="more", weights=weights)
    pair = ["island of java zzyzx"], ["mariners baseball game zzyzx"]
    plain = made(workspace, features="plain", weights=weights[:8])
    assert with_own.score_pairs(*pair)[0] > 0
    shared = with_own.explain(pair[0][0], pair[1][0])
    assert "zzyzx" in [part.term for part in shared.contributions]
    assert "zzyzx" not in [part.term for part in plain.explain(pair[0][0], pair[1][0]).contributions]


def test_a_text_without_positive_weights_has_no_score(workspace):
    measure = made(workspace, weights=(-1.0, 0.0, 0.0))
    assert np.isnan(measure.score_pairs(TEXTS[:1], TEXTS[:1])[0])


def test_an_index_of_other_weights_is_rebuilt(build):
    workspace = stock(build(DOCUMENTS), REPOSITORY)
    workspace.models.write(model(name="mine"))
    workspace = workspace.reopen()
    workspace.build("mine")
    assert not workspace.reopen().plan("mine").needed
    before = workspace.match(["space exploration"], 5, "mine")[0]
    workspace.models.write(model(name="mine", weights=(0.0, 1.0, 0.0)))
    changed = workspace.reopen()
    assert changed.plan("mine").rebuild
    changed.build("mine")
    after = changed.reopen().match(["space exploration"], 5, "mine")[0]
    assert [s.score for s in after.suggestions] != [s.score for s in before.suggestions]


def test_rows_of_other_weights_are_never_compared(workspace):
    one, other = made(workspace), made(workspace, weights=(4.0, 1.0, -0.5))
    zero = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="different spaces"):
        one.encode_candidates(TEXTS[:1]).dot(other.encode_candidates(TEXTS[:1]), zero, zero)


def test_the_settings_override_the_number_of_results_of_the_model(workspace):
    assert Tweak.from_model(workspace, model(results=12), {}).results == 12
    assert Tweak.from_model(workspace, model(results=12), {"results": 40}).results == 40


def test_the_shipped_weights_are_used_without_training(workspace):
    measure = workspace.measure("tweak")
    assert measure.name == "tweak"
    assert set(TermWeights.of(measure.model.content).features) >= set(PLAIN)
    assert workspace.similarity("seattle mariners", "baseball", "tweak") > workspace.similarity(
        "seattle mariners", "java island", "tweak"
    )


def test_invalid_models_are_refused(workspace):
    with pytest.raises(InputError, match="kind 'keywords'"):
        Tweak.from_model(workspace, replace(model(), kind="keywords"), {})
    for wrong in (
        {"features": ["bias", "log tf", "colour"]},
        {"weights": [1.0]},
        {"weights": [1, 2, float("nan")]},
        {"results": "x"},
        {"features": None},
    ):
        with pytest.raises(WorkspaceError, match="train it again"):
            Tweak.from_model(workspace, Model("tweak", "m", model().content | wrong), {})


def test_every_feature_of_every_set_is_implemented_and_described():
    for names in FEATURE_SETS.values():
        for name in names:
            assert name in FEATURES or name in FIELDS
            assert MEANINGS[name]
