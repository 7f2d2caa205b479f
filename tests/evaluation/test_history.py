"""The history of evaluations: results and plots are stored, the newest are kept."""

import json

import numpy as np
import pytest

from querykin.errors import InputError, UnknownName
from querykin.evaluation import EvaluationOutcome, evaluate
from querykin.evaluation.history import MAX_RUNS, find_stored_run, previous_run, store_run, stored_runs
from querykin.evaluation.previous_run import compare_with_previous_run
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn


def outcome(shift=0.0):
    queries = TextColumn(str(row // 4) for row in range(40))
    candidates = TextColumn(f"c{row}" for row in range(40))
    grades = np.tile([2.0, 1.0, 0.0, 0.0], 10)
    judged = JudgedPairs(queries, candidates, grades, queries)
    scores = {"mine": grades + shift * np.random.default_rng(1).random(40)}
    return EvaluationOutcome(judged, scores, evaluate(judged, scores))


def test_a_stored_evaluation_is_found_with_its_plots(tmp_path):
    stored = store_run(tmp_path, outcome(), "judged.tsv")
    (found,) = stored_runs(tmp_path)
    assert found.id == stored.id
    assert found.facts["file"] == "judged.tsv"
    assert found.facts["results"][0]["mean_auc"] == 1.0
    assert "<svg" in found.report
    assert "style=" not in found.report
    assert "<script" not in found.report


def test_two_stored_evaluations_are_compared_with_intervals(tmp_path):
    worse = store_run(tmp_path, outcome(shift=9.0), "judged.tsv")
    better = store_run(tmp_path, outcome(), "judged.tsv")
    found = compare_with_previous_run(worse.results(), better.results())
    assert found["mine"]["mean_auc"].interval.low > 0
    assert found["mine"]["auc"].interval.difference > 0


def test_values_by_group_are_not_stored_for_very_many_groups(tmp_path, monkeypatch):
    whole = store_run(tmp_path, outcome(), "judged.tsv")
    monkeypatch.setattr("querykin.evaluation.history.MAX_GROUPS", 9)
    short = store_run(tmp_path, outcome(), "judged.tsv")
    assert "by_group" not in short.facts
    for now, then in ((whole, short), (short, whole)):
        difference = compare_with_previous_run(then.results(), now.results())["mine"]["mean_auc"]
        assert (difference.interval.difference, str(difference.interval.low)) == (0, "nan")


def test_the_previous_run_is_one_of_the_same_judgements_else_of_the_same_name(tmp_path):
    def stored(name, judgements):
        run = store_run(tmp_path, outcome(), name)
        run.path.write_text(json.dumps({**run.facts, "judgements": judgements}))
        return run.id

    first, second = stored("a.tsv", "x"), stored("b.tsv", "y")
    other, again, more = stored("b.tsv", "z"), stored("c.tsv", "x"), stored("b.tsv", "w")
    runs = {run.id: run for run in stored_runs(tmp_path)}

    def previous(run_id):
        found = previous_run(runs[run_id], list(runs.values()))
        return found and found.id

    assert previous(again) == first  # the same judgements under another name
    assert previous(more) == other  # more judgements of the same name
    assert previous(other) == second
    assert previous(second) == first  # nothing in common: the one before
    assert previous(first) is None


def test_the_oldest_evaluations_are_deleted(tmp_path):
    runs = [store_run(tmp_path, outcome(), f"{number}.tsv") for number in range(MAX_RUNS + 2)]
    assert [run.id for run in stored_runs(tmp_path)] == [run.id for run in reversed(runs[2:])]
    assert len(list(tmp_path.iterdir())) == 2 * MAX_RUNS


def test_missing_and_invalid_evaluations_are_errors(tmp_path):
    (tmp_path / "odd.json").write_text("[1, 2")
    with pytest.raises(InputError, match=r"odd\.json is not an evaluation"):
        _ = find_stored_run(tmp_path, "odd").facts
    with pytest.raises(UnknownName, match="unknown evaluation 'old'; did you mean 'odd'"):
        find_stored_run(tmp_path, "old")
    assert stored_runs(tmp_path / "absent") == []
