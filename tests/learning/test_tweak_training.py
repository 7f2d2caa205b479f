"""Training of term weights: evaluated on held-out groups only, and used as trained."""

from contextlib import contextmanager

import numpy as np
import pytest

from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn
from querykin.learning.cross_validation import cross_validate
from querykin.learning.tweak.measure import Tweak
from querykin.learning.tweak.training import TweakTask, train_tweak
from querykin.learning.tweak.training_data import text_training_data
from querykin.model_files import Model
from querykin.progress import Silent
from topics import DOCUMENTS

TITLES = [document.title for document in DOCUMENTS if document.title]


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(0)
    queries = [query for query in TITLES[::6] for _ in range(6)]
    candidates = [TITLES[number] for number in rng.integers(0, len(TITLES), len(queries))]
    grades = rng.integers(0, 3, len(queries)).astype(float)
    return JudgedPairs(TextColumn(queries), TextColumn(candidates), grades, TextColumn(queries))


@pytest.mark.parametrize("features", ["plain", "more"])
def test_scores_of_the_measure_equal_those_in_training(workspace, judged, features):
    training_data = text_training_data(workspace, judged, features, "sse")
    rows = np.arange(len(judged))
    content = training_data.learn(rows)
    measure = Tweak.from_model(workspace, Model("tweak", "m", content), {"keep": 1.0})
    found = measure.score_pairs(judged.queries.at(rows.tolist()), judged.candidates.at(rows.tolist()))
    assert found.tolist() == pytest.approx(
        training_data.scores(content, rows).tolist(), rel=1e-4, abs=1e-6, nan_ok=True
    )


def test_a_fold_is_scored_by_a_model_trained_without_its_groups(workspace, judged, monkeypatch):
    training_data = text_training_data(workspace, judged, "tf-df", "sse")
    groups, seen = judged.groups.ids, []

    def learn(self, rows):
        seen.append(set(groups[rows].tolist()))
        return {"weights": [5.0, 1.0, -0.5]}

    def scores(self, content, rows):
        assert not seen[-1] & set(groups[rows].tolist())
        return np.zeros(len(rows))

    monkeypatch.setattr(type(training_data), "learn", learn)
    monkeypatch.setattr(type(training_data), "scores", scores)
    assert not np.isnan(cross_validate(training_data, 4)).any()
    assert len(seen) == 4


def test_grades_are_scaled_or_binarized(workspace, judged):
    training_data = text_training_data(workspace, judged, "tf-df")
    assert set(training_data.targets.tolist()) == {0.0, 0.5, 1.0}
    assert set(text_training_data(workspace, judged, "tf-df", relevant=1).targets.tolist()) == {0.0, 1.0}


def test_every_task_reports_all_its_steps(build, judged, tmp_path):
    workspace = build(DOCUMENTS)
    lines = [f"{q}\t{c}\t{g:g}" for (q, c), g in zip(judged.pairs(), judged.grades, strict=True)]
    (tmp_path / "judged.tsv").write_text("\n".join(["query\tcandidate\tgrade", *lines]), "utf-8")
    steps = {}

    class Counting(Silent):
        @contextmanager
        def task(self, title, total):
            steps[title] = [total, 0]
            yield lambda done: steps[title].__setitem__(1, steps[title][1] + done)

    task = TweakTask(str(tmp_path / "judged.tsv"), name="mine", loss="sse", progress=Counting())
    train_tweak(workspace, task)
    assert steps
    assert all(total == done for total, done in steps.values())
    assert workspace.models.names() == ["mine"]
