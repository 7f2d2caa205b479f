"""Training of combinations: held-out groups have no influence, and models round-trip through JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest

from combined import ABSENT, judged_rows, keep, table, train
from querykin.errors import InputError
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import read_judged_pairs
from querykin.io.text_column import TextColumn
from querykin.learning import trees
from querykin.learning.calibration import Calibration
from querykin.learning.combination import training_data as training
from querykin.learning.combination.features import pair_features
from querykin.learning.combination.fitting import OTHER_VARIANCES, TrainingConfig
from querykin.learning.combination.report import at_thresholds, report
from querykin.learning.combination.training_data import CombinationTrainingData, config_of, with_first_stage
from querykin.learning.cross_validation import cross_validate, group_folds
from querykin.learning.retraining import cross_validated_scores
from querykin.model_files import Model
from topics import DOCUMENTS

LEARNERS = [(learner, loss) for learner in ("logistic", "trees") for loss in ("preference", "metric")]
MEASURES = ("kernel", "noise")
FOLDS = 3


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Few trees, and few folds for reports."""
    monkeypatch.setitem(trees._SETTINGS, "max_iter", 12)
    monkeypatch.setattr("querykin.learning.combination.report.FOLDS", 3)


def training_data(learner="logistic", loss="preference", groups=18, size=6, kind=CombinationTrainingData):
    rng = np.random.default_rng(0)
    queries = [f"query {n}" for n in range(groups) for _ in range(size)]
    candidates = [f"candidate {n}" for n in range(len(queries))]
    grades = rng.integers(0, 3, len(queries)).astype(float)
    scores = {"kernel": grades + rng.normal(size=len(grades)), "noise": rng.random(len(grades))}
    scores["kernel"][::9] = np.nan
    features = pair_features(scores, ["noise"], queries, candidates, rng.integers(0, 50, len(queries)) * 1.0)
    judged = JudgedPairs(TextColumn(queries), TextColumn(candidates), grades, TextColumn(queries))
    return kind(judged, features, TrainingConfig(MEASURES, learner, loss), 2, list(MEASURES))


def with_other_grades(made, rows):
    """The same training data with inverted grades of these rows."""
    grades = made.judged.grades.copy()
    grades[rows] = 2 - grades[rows]
    return replace(made, judged=replace(made.judged, grades=grades))


def score_changes(made, fold):
    """The largest changes of the scores of a fold and of the others when the grades of the fold change."""
    held_out = group_folds(made.judged.groups.ids, FOLDS) == fold
    before = cross_validate(made, FOLDS)
    after = cross_validate(with_other_grades(made, held_out), FOLDS)
    moved = np.abs(after - before)
    return moved[held_out].max(), moved[~held_out].max()


@pytest.mark.parametrize("fold", range(FOLDS))
@pytest.mark.parametrize(("learner", "loss"), LEARNERS)
def test_the_grades_of_a_group_do_not_affect_its_own_scores(learner, loss, fold):
    own, others = score_changes(training_data(learner, loss), fold)
    assert own == 0
    assert others > 0.001


class FitsOnAllRows(CombinationTrainingData):
    def learn(self, rows):
        return super().learn(self.rows)


def test_a_fit_on_held_out_groups_is_detected():
    assert score_changes(training_data(kind=FitsOnAllRows), 0)[0] > 0.001


class CalibratesOnAllRows(CombinationTrainingData):
    def learn(self, rows):
        content = super().learn(rows)
        scores = training.combined(content, self.features)
        return {**content, "calibration": vars(Calibration.fit(scores, self.labels))}


def test_a_calibration_on_held_out_groups_is_detected():
    assert score_changes(training_data(kind=CalibratesOnAllRows), 0)[0] > 0.001


def test_a_variance_chosen_on_held_out_groups_is_detected(monkeypatch):
    made = training_data()
    held_out = group_folds(made.judged.groups.ids, FOLDS) == 0
    scores = []
    for given in (made, with_other_grades(made, held_out)):
        number = int(given.judged.grades.sum()) % len(OTHER_VARIANCES)
        monkeypatch.setattr(training, "choose_variance", lambda *a, number=number: OTHER_VARIANCES[number])
        scores.append(cross_validate(given, FOLDS)[held_out])
    assert np.abs(scores[0] - scores[1]).max() > 0.001


def test_out_of_fold_scores_are_calibrated_probabilities():
    made = training_data(groups=40)
    unseen = cross_validate(made, 5)
    assert ((unseen > 0) & (unseen < 1)).all()
    assert abs(unseen.mean() - made.labels.mean()) < 0.05
    found = report(made, made.learn(made.rows))
    assert found["calibration_error"] < 0.15
    assert 0.6 < found["mean_auc"] < 1
    assert found["single_measures"]["kernel"] > found["single_measures"]["noise"]
    assert next(iter(found["permutation_importance"])) == "kernel"
    assert [point["labels"] for point in found["learning_curve"]] == [50]


def test_precision_and_recall_at_thresholds_are_counted():
    made = training_data(groups=2, size=2)
    made = replace(made, judged=replace(made.judged, grades=np.array([2.0, 0.0, 2.0, 0.0])))
    found = {round(p["threshold"], 1): p for p in at_thresholds(made, np.array([0.9, 0.5, 0.2, 0.1]))}
    assert (found[0.2]["precision"], found[0.2]["recall"], found[0.2]["taken"]) == (2 / 3, 1, 0.75)
    assert (found[0.9]["precision"], found[0.9]["recall"]) == (1, 0.5)


@pytest.mark.parametrize(("learner", "loss"), LEARNERS)
def test_a_model_is_plain_json_and_deterministic(learner, loss):
    made = training_data(learner, loss)
    first, again = made.learn(made.rows), made.learn(made.rows)
    assert json.dumps(first, allow_nan=False) == json.dumps(again, allow_nan=False)
    read = json.loads(json.dumps(first))
    assert made.scores(read, made.rows).tolist() == made.scores(first, made.rows).tolist()
    assert config_of(Model("combination", "x", read)) == made.training_config


def test_the_first_stage_is_the_most_important_measures_with_an_index():
    importance, indexed = {"edit": 0.3, "web-kernel": 0.2, "jaccard": 0.1}, ["jaccard", "dice", "web-kernel"]
    content = with_first_stage({"a": 1}, importance, indexed)
    assert content == {"a": 1, "first_stage": ["web-kernel", "jaccard"]}


def test_the_metric_loss_learns_from_single_pairs():
    """With one candidate per query there are no preferences, only relevant and irrelevant pairs."""
    made = training_data(loss="metric", groups=150, size=1)
    content = made.learn(made.rows)
    found = report(made, content)
    json.dumps(found, allow_nan=False)
    assert found["mean_auc"] is None
    assert found["auc"] > 0.6
    assert found["permutation_importance"]["kernel"] > 0.1


@pytest.mark.parametrize(("learner", "loss"), LEARNERS)
def test_too_few_groups_for_cross_validation_give_a_model_without_held_out_metrics(learner, loss):
    made = training_data(learner, loss, groups=2)
    grades = np.where(made.judged.groups.ids == 0, made.judged.grades, 0.0)
    made = replace(made, judged=replace(made.judged, grades=grades))
    content = made.learn(made.rows)
    assert set(report(made, content)) == {"permutation_importance"}
    assert np.isfinite(made.scores(content, made.rows)).all()


def test_uninformative_judgements_are_refused():
    made = training_data()
    with pytest.raises(InputError, match="0 of 108 have a grade of at least 9"):
        replace(made, relevant=9).learn(made.rows)
    level = replace(made.judged, grades=made.judged.groups.ids % 2 * 2.0)
    with pytest.raises(InputError, match="no preference to learn; next: --loss metric"):
        replace(made, judged=level).learn(made.rows)


@pytest.mark.parametrize("learner", ["logistic", "trees"])
def test_a_stored_model_gives_the_scores_of_training(learner, build, tmp_path):
    workspace = build(DOCUMENTS)
    model = train(workspace, tmp_path, "mine", ["jaccard-stems", "edit", "web-kernel"], learner=learner)
    assert workspace.models.read("mine") == model
    judged = read_judged_pairs(str(tmp_path / "judged.tsv"))
    made = CombinationTrainingData.prepare(workspace, judged, config_of(model), model.training["relevant"])
    assert {**made.learn(made.rows), "first_stage": model.content["first_stage"]} == model.content
    expected = made.scores(model.content, made.rows)
    assert workspace.score(judged.pairs(), ["mine"])["mine"].tolist() == pytest.approx(expected.tolist())
    folded = cross_validated_scores(workspace, "mine", judged, 2, 5)
    assert folded.tolist() == pytest.approx(cross_validate(made, 5).tolist())
    assert np.abs(folded - expected).max() > 0.001
    assert model.training["pairs"] == len(judged_rows())
    assert model.training["fingerprint"] == judged.fingerprint
    assert (tmp_path / "judged.tsv").read_text() == table(judged_rows())


def test_pairs_without_a_score_of_any_measure_have_no_score_in_cross_validation(build, tmp_path):
    workspace = build(DOCUMENTS)
    keep(workspace, tmp_path, "mine", TrainingConfig(("web-kernel", "web-kernel-paper"), loss="metric"))
    judged = read_judged_pairs(str(tmp_path / "judged.tsv"))
    folded = cross_validated_scores(workspace, "mine", judged, 2, 3)
    absent = np.array([candidate == ABSENT for _, candidate in judged.pairs()])
    assert np.isnan(folded).tolist() == absent.tolist()
    assert np.isnan(workspace.score(judged.pairs(), ["mine"])["mine"]).tolist() == absent.tolist()
