"""Every evaluation leaves its figures and plots in the workspace; the newest are kept."""

import numpy as np
import pytest

from querykin.errors import InputError, UnknownName
from querykin.evaluation import EvaluationOutcome, evaluate
from querykin.evaluation.history import NEWEST, find_stored_run, keep, stored_runs
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


def test_an_evaluation_is_found_again_with_its_plots(tmp_path):
    kept = keep(tmp_path, outcome(), "judged.tsv")
    (found,) = stored_runs(tmp_path)
    assert found.id == kept.id
    assert found.facts["file"] == "judged.tsv"
    assert found.facts["results"][0]["mean_auc"] == 1.0
    assert "<svg" in found.report
    assert "style=" not in found.report
    assert "<script" not in found.report


def test_two_of_them_are_compared_with_intervals(tmp_path):
    worse = keep(tmp_path, outcome(shift=9.0), "judged.tsv")
    better = keep(tmp_path, outcome(), "judged.tsv")
    found = compare_with_previous_run(worse.results(), better.results())
    assert found["mine"]["mean_auc"].interval.low > 0
    assert found["mine"]["auc"].interval.difference > 0


def test_of_very_many_groups_only_the_means_are_kept(tmp_path, monkeypatch):
    whole = keep(tmp_path, outcome(), "judged.tsv")
    monkeypatch.setattr("querykin.evaluation.history.LARGEST", 9)
    short = keep(tmp_path, outcome(), "judged.tsv")
    assert "by_group" not in short.facts
    for now, then in ((whole, short), (short, whole)):
        difference = compare_with_previous_run(then.results(), now.results())["mine"]["mean_auc"]
        assert (difference.interval.difference, str(difference.interval.low)) == (0, "nan")


def test_the_oldest_go_when_there_are_many(tmp_path):
    runs = [keep(tmp_path, outcome(), f"{number}.tsv") for number in range(NEWEST + 2)]
    assert [kept.id for kept in stored_runs(tmp_path)] == [kept.id for kept in reversed(runs[2:])]
    assert len(list(tmp_path.iterdir())) == 2 * NEWEST


def test_what_is_not_there_or_no_evaluation_is_told(tmp_path):
    (tmp_path / "odd.json").write_text("[1, 2")
    with pytest.raises(InputError, match=r"odd\.json is no evaluation"):
        _ = find_stored_run(tmp_path, "odd").facts
    with pytest.raises(UnknownName, match="unknown evaluation 'old'; did you mean 'odd'"):
        find_stored_run(tmp_path, "old")
    assert stored_runs(tmp_path / "absent") == []
