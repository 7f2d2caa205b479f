"""The verdict: which measure is best, and what the test cannot tell apart."""

import numpy as np

from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.results import evaluate
from querykin.evaluation.verdict import best_first, verdict
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn

GROUPS = 12
QUERIES = TextColumn([f"query {group}" for group in range(GROUPS) for _ in range(3)])
CANDIDATES = TextColumn(["a", "b", "c"] * GROUPS)
GRADES = np.array([2.0, 1.0, 0.0] * GROUPS)
GOOD = GRADES.copy()
POOR = -GRADES
NEARLY = np.where(np.arange(3 * GROUPS) < 3, POOR, GOOD)  # wrong in one group


def outcome(scores, grades=GRADES):
    judged = JudgedPairs(QUERIES, CANDIDATES, grades, QUERIES)
    return EvaluationOutcome(judged, scores, evaluate(judged, scores, relevant=2.0))


def test_the_best_measure_is_named_with_the_distance_to_the_second():
    found = verdict(outcome({"poor": POOR, "good": GOOD, "none": np.zeros(3 * GROUPS)}).evaluation)
    assert found.startswith("good is best: nDCG 1.000, above none (.")
    assert found.endswith(f"over {GROUPS} groups; poor is below, too.")


def test_measures_that_a_test_does_not_separate_are_not_told_apart():
    found = verdict(outcome({"nearly": NEARLY, "poor": POOR, "good": GOOD}).evaluation)
    assert found.startswith("Not told apart: good has nDCG 1.000, nearly .9")
    assert "(p = 1.000)" in found
    assert found.endswith("; good is above poor.")


def test_one_measure_and_undefined_metrics_have_a_sentence_too():
    assert verdict(outcome({"good": GOOD}).evaluation) == f"good: nDCG 1.000, over {GROUPS} groups."
    same_grades = outcome({"good": GOOD, "poor": POOR}, np.zeros(3 * GROUPS))
    assert verdict(same_grades.evaluation).startswith("Nothing to compare")
    judged = JudgedPairs(QUERIES, CANDIDATES, GRADES - 2, QUERIES)
    negative = evaluate(judged, {"good": GOOD, "poor": POOR}, relevant=0.0)
    assert verdict(negative).startswith("Nothing to compare")


def test_the_best_measure_is_first_in_scores_and_results():
    found = best_first(outcome({"poor": POOR, "good": GOOD, "nearly": NEARLY}))
    assert [result.measure for result in found.evaluation.results] == ["good", "nearly", "poor"]
    assert list(found.scores) == ["good", "nearly", "poor"]
    assert found.evaluation.baseline == "poor"
