"""The studies of the hybrid measures on small examples: the fast formula, the fit, precision, calibration."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from querykin import Document, Workspace
from querykin.embeddings.encoder_support import encoder_problem
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn
from querykin.text.analyzer import DEFAULT

needs_encoder = pytest.mark.skipif(
    encoder_problem(DEFAULT.languages) is not None, reason="the sentence encoder is not installed"
)


@pytest.fixture
def workspace(tmp_path):
    opened = Workspace.open(tmp_path / "workspace")
    opened.corpus.add(
        [
            Document("1", "Kofi Annan", "Kofi Annan was secretary general of the United Nations, the UN."),
            Document("2", "Secretary general", "The UN secretary general leads the United Nations."),
            Document("3", "Java", "Java is an island of Indonesia with many volcanoes."),
            Document("4", "xwax", "xwax plays records of disc jockeys with timecode vinyl."),
            Document("5", "jackd", "jackd connects sound programs of disc jockeys like xwax."),
        ]
    )
    return opened.reopen()


def judged_set(module, rows, relevant=1, name="small"):
    queries, candidates = (TextColumn(row[side] for row in rows) for side in (0, 1))
    grades = np.array([float(row[2]) for row in rows])
    return module("judged_sets").JudgedSet(name, JudgedPairs(queries, candidates, grades, queries), relevant)


@pytest.fixture
def studied(module, workspace, tmp_path, monkeypatch):
    monkeypatch.setattr(module("data"), "cache_folder", lambda: tmp_path)
    rows = [
        ("xwax", "jackd", 1),
        ("xwax", "volcanoes of java", 0),
        ("un secretary", "kofi annan", 1),
        ("un secretary", "secretary general", 1),
        ("un secretary", "unheard-of zzyzx", 0),
        ("un secretary", "the UN of java", 0),
        ("un secretary", "", 0),
    ]
    return module("hybrid_sets").StudiedSet(judged_set(module, rows), workspace, "mean_auc", "names")


@needs_encoder
def test_the_fast_formula_gives_the_scores_of_the_measures(module, studied):
    parts, judged = module("hybrid_parts"), studied.judged
    pairs = parts.pairs_of(studied)
    measure = studied.workspace.measure("hybrid")
    constants = parts.Constants.shipped(measure)
    for name, ours in (
        ("static", pairs.static),
        ("web-kernel-static", pairs.web_kernel_static(constants)),
        ("hybrid", pairs.hybrid(constants)),
        ("hybrid-static", pairs.hybrid_static(constants)),
    ):
        expected = studied.workspace.measure(name).score_pairs(judged.left, judged.right)
        assert ours == pytest.approx(expected, abs=parts.ROUNDING, nan_ok=True)
    assert parts.difference(studied, pairs) < 1e-6
    expected = sum(measure.weights.weights(side) for side in (judged.left, judged.right)) / 2
    weights = pairs.hybrid_weights(constants)
    assert weights == pytest.approx(expected, abs=1e-6)


@needs_encoder
def test_other_constants_of_the_measure_are_other_constants_of_the_formula(module, studied):
    parts, judged = module("hybrid_parts"), studied.judged
    pairs, measure = parts.pairs_of(studied), studied.workspace.measure("hybrid")
    static = replace(measure.static, context_weight=0.2)
    other = replace(measure, static=static, dense=1.0, terms=2.0, terms_alone=0.5)
    expected = other.score_pairs(judged.left, judged.right)
    ours = pairs.hybrid(parts.Constants.shipped(other))
    assert ours == pytest.approx(expected, abs=parts.ROUNDING, nan_ok=True)
    assert np.nanmax(np.abs(expected - measure.score_pairs(judged.left, judged.right))) > 4 * parts.ROUNDING


@needs_encoder
def test_wrong_cached_parts_are_computed_again_and_a_wrong_formula_is_an_error(module, studied, monkeypatch):
    parts = module("hybrid_parts")
    right = parts.pairs_of(studied).own_own
    (path,) = (module("data").cache_folder() / "parts").iterdir()
    facts = dict(np.load(path))
    np.savez(path, **facts | {"pair_own_own": facts["pair_own_own"] + 0.1})
    assert parts.pairs_of(studied).own_own == pytest.approx(right)
    path.unlink()
    monkeypatch.setattr(parts, "TITLE_DISTRUST", 0.9)
    with pytest.raises(ArithmeticError, match="small: scores differ by"):
        parts.pairs_of(studied)


def fake_sets(module):
    """Two families of one set each."""
    rows = [(f"q{i % 5}", f"c{i}", i // 5 % 2) for i in range(20)]
    judged = [judged_set(module, rows, name=name) for name in ("a", "b")]
    studied = module("hybrid_sets").StudiedSet
    return {each.name: (studied(each, None, "mean_auc", each.name), each.judged.grades) for each in judged}


def test_a_fit_finds_the_constants_that_are_best_for_the_sets_it_sees(module):
    fit, sets = module("hybrid_fit"), fake_sets(module)
    tried = []

    noise = np.random.default_rng(0).random(20)

    def scores(grades, constants):
        tried.append(constants)
        return grades + 40 * abs(constants.terms - 0.25) * noise

    measured = fit.Measured(scores, {"a": 0.99, "b": 0.9}, sets)
    found = measured.fit(["a"], ["terms", "root"])
    assert found.terms == 0.25
    assert found.root == 1  # without an effect: unchanged
    assert len(tried) == len(set(tried))  # each value is computed once
    assert measured.value("a", found) == 1
    assert measured.objective(found, ["a", "b"]) == pytest.approx((0.01 + fit.ENOUGH_GAIN) / 2)


def test_a_loss_beyond_the_tolerated_one_weighs_more_than_a_gain(module):
    utility = module("hybrid_fit").utility
    assert utility(0.5) == utility(0.02) == 0.015
    assert utility(0.01) + utility(-0.01) < 0


def test_the_difference_of_two_measures_is_that_of_the_metric(module):
    sets, hybrid = module("hybrid_sets"), module("hybrid")
    rng = np.random.default_rng(1)
    rows = [(f"q{i % 10}", f"c{i}", i // 10 % 3) for i in range(120)]
    judged = judged_set(module, rows)
    good, bad = judged.judged.grades + rng.random(120), rng.random(120)
    for metric in ("auc", "mean_auc", "spearman"):
        studied = sets.StudiedSet(judged, None, metric, "small")
        found = hybrid.difference(studied, good, bad)
        assert found.difference == pytest.approx(studied.value(good) - studied.value(bad))
        assert 0 < found.low < found.difference < found.high


def test_unjudged_and_missing_suggestions_are_counted_apart(module):
    suggestions = module("open_suggestions")
    rows = [("a", "good", 2), ("a", "bad", 1), ("b", "good", 0)]
    lists = {"a": ["good", "bad", "new"], "b": ["good"]}
    found = suggestions.Precision.of(lists, judged_set(module, rows, suggestions.GOOD))
    assert found.judged.tolist() == [0.4, 0.2]
    assert found.low.tolist() == [0.2, 0.0]
    assert found.high.tolist() == [0.4, 0.0]
    assert found.cells == ["30.0%", ".100", ".200"]


def test_a_calibration_with_terms_finds_the_numbers_it_was_made_with(module):
    calibration = module("suggestion_calibration")
    rng = np.random.default_rng(2)
    scores, terms = rng.random(50_000), rng.random(50_000)
    true = calibration.TermsCalibration(6.0, -5.0, 2.0)
    relevant = rng.random(50_000) < true.probabilities(scores, terms)
    fitted = calibration.TermsCalibration.fit(scores, terms, relevant, np.ones(50_000))
    assert (fitted.slope, fitted.shift, fitted.terms_slope) == pytest.approx((6, -5, 2), abs=0.2)
    weights = calibration.balanced(relevant, 0.5)
    assert weights[relevant].sum() == pytest.approx(0.5)
    found = fitted.probabilities(scores, terms)
    assert calibration.weighted_calibration_error(found, relevant, np.ones(50_000)) < 0.01
    assert calibration.weighted_calibration_error(found, relevant, weights) > 0.05


def test_features_are_judged_by_regressions_without_the_query(module):
    features = module("suggestion_features")
    groups = np.repeat(np.arange(18), 10)
    relevant = np.tile([True, False], 90)
    helpful = relevant[:, None] + np.random.default_rng(3).random((180, 1))
    predicted = features.out_of_fold(helpful, relevant, groups)
    assert predicted[relevant].min() > predicted[~relevant].max()
    judged = judged_set(module, [("one two", "two", 1), ("one", "one", 1), ("one two", "two three", 0)])
    found = {
        name: feature(SimpleNamespace(query_counts=lambda texts: np.zeros(len(texts))), judged).tolist()
        for name, feature in features.FEATURES.items()
    }
    assert found == {
        "log count": [0, 0, 0],
        "one word of several of the query": [1, 0, 0],
        "share of the query's words": [0.5, 1, 0.5],
        "share of the candidate's words": [1, 1, 0.5],
    }


@needs_encoder
def test_suggestions_are_thinned_by_score_from_a_limit_on(module, workspace):
    thinning, seen = module("suggestion_thinning"), []
    workspace.repository.add([("un secretary", 1), ("secretary general of the un", 1), ("java island", 1)])
    opened = workspace.reopen()

    def judge(suggester):
        seen.append([each.query for each in suggester.suggest(["kofi annan"], 5)[0].suggestions])
        return ["", "", ""]

    assert "| nothing dropped |" in thinning.report(opened, judge)
    _, everything, *thinned = seen
    assert len(everything) == 3
    assert all(set(found) <= set(everything) for found in thinned)
    assert [len(found) for found in thinned] == sorted((len(found) for found in thinned), reverse=True)
