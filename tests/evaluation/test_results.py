"""Measures compared: differences, marks, earlier evaluations, tables and JSON."""

import json
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.errors import InputError, UnknownName
from querykin.evaluation import evaluate
from querykin.evaluation.metrics import all_metrics
from querykin.evaluation.previous_run import compare_with_previous_run, read_previous_run
from querykin.evaluation.results import Difference
from querykin.evaluation.significance import Interval, compare, compare_auc, holm
from querykin.evaluation.tables import (
    TextTable,
    against_baseline,
    against_previous_run,
    as_json,
    as_tsv,
    markdown,
    overview,
    remark,
    text,
)
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn


def judged(grades, groups=None):
    queries = TextColumn(map(str, groups if groups is not None else [0] * len(grades)))
    candidates = TextColumn(f"c{row}" for row in range(len(grades)))
    return JudgedPairs(queries, candidates, np.array(grades, np.float64), queries)


@pytest.fixture(scope="module")
def two_of_three_better():
    """60 groups of ten pairs: `good` and `fair` see the grade through noise, `poor` sees nothing."""
    rng = np.random.default_rng(3)
    grades, groups = rng.integers(0, 3, 600), np.repeat(np.arange(60), 10)
    noise = rng.normal(size=(3, 600))
    scores = {"poor": noise[0], "good": grades + noise[1], "fair": grades / 2 + noise[2], "same": noise[0]}
    return judged(grades, groups), scores


def test_a_measure_has_the_metrics_and_differences_of_the_parts(two_of_three_better):
    pairs, scores = two_of_three_better
    found = evaluate(pairs, scores, relevant=2, baseline="fair", seed=5)
    groups = pairs.groups.ids
    alone = {name: all_metrics(values, pairs.grades, groups, 2, seed=5) for name, values in scores.items()}
    assert [result.measure for result in found.results] == list(scores)
    assert (found.pairs, found.groups, found.relevant, found.baseline) == (600, 60, 2, "fair")
    p_values = []
    for result in found.results:
        assert result.metrics.values == alone[result.measure].values
        if result.measure == "fair":
            assert result.differences == {}
            continue
        expected = compare(result.metrics.by_group["map"], alone["fair"].by_group["map"], 5)
        difference = result.differences["map"]
        assert (difference.interval, difference.t_test) == (expected.interval, expected.t_test)
        p_values.append(expected.permutation)
        auc = compare_auc(scores[result.measure], scores["fair"], pairs.grades, groups, 2, 5)
        assert result.differences["auc"] == Difference(auc)
    corrected = [each.differences["map"].permutation_holm for each in found.results if each.differences]
    assert corrected == holm(np.array(p_values)).tolist()


def test_marks_stand_where_both_test_and_interval_are_sure(two_of_three_better):
    pairs, scores = two_of_three_better
    found = evaluate(pairs, scores, relevant=2)
    better = {name: found.result(name).differences["mean_auc"].direction for name in ("good", "fair", "same")}
    assert better == {"good": 1, "fair": 1, "same": 0}
    reverse = evaluate(pairs, scores, relevant=2, baseline="good")
    assert reverse.result("poor").differences["mean_auc"].direction == -1
    sure = Interval(0.1, 0.01, 0.2)
    assert Difference(sure, permutation_holm=0.01).direction == 1
    assert Difference(sure, permutation_holm=0.05).direction == 0
    assert Difference(Interval(0.1, -0.01, 0.2), permutation_holm=0.01).direction == 0
    assert Difference(sure).direction == 0  # no test, no mark


def test_a_table_has_marks_and_a_line_on_what_they_mean(two_of_three_better):
    found = evaluate(*two_of_three_better, relevant=2)
    first, good, _, same = overview(found).rows
    place = overview(found).headings.index("mean AUC")
    assert (first[0], good[place][-1], same[place][-1].isdigit()) == ("poor", "▲", True)
    shown = text(overview(found))
    assert shown.startswith("600 pairs in 60 groups")
    assert "than poor: permutation test" in shown
    compared = against_baseline(found)
    assert compared.headings == ["measure", "AUC", "mean AUC", "MAP"]
    assert [row[0] for row in compared.rows] == ["good", "fair", "same"]
    assert compared.rows[2][2] == "+0.000 [+0.000, +0.000] 1.000"
    assert compared.rows[0][2].endswith("<.001▲")


def test_text_and_markdown_hold_the_same_cells():
    grid = TextTable("title", ["measure", "AUC"], [["a|b", "0.5▲"], ["c", "-"]], "note")
    assert markdown(grid).splitlines() == [
        "title",
        "",
        "| measure | AUC |",
        "| --- | ---: |",
        "| a\\|b | 0.5▲ |",
        "| c | - |",
        "",
        "note",
    ]
    assert text(grid).splitlines() == ["title", "", "measure  AUC", "a|b      0.5▲", "c        -", "", "note"]


def test_json_has_the_contract_keys_and_null_for_what_is_not_defined():
    found = evaluate(judged([1, 1]), {"a": np.array([0.5, nan])}, relevant=1)
    content = json.loads(json.dumps(as_json(found), allow_nan=False))
    (result,) = content["results"]
    assert {"pairs", "groups", "relevant", "results"} <= set(content)
    keys = ["coverage", "auc", "mean_auc", "map", "ndcg", "p@1", "p@3", "p@5", "spearman", "auc_pr"]
    assert list(result)[:11] == ["measure", *keys]
    assert (result["coverage"], result["auc"], result["significance"]) == (0.5, None, {})
    assert as_tsv(found).splitlines()[1].startswith("a\t0.5\tnan\tnan")
    assert "no group holds both relevant pairs (grade 1 or more) and others" in remark(found)
    assert remark(evaluate(judged([1, 0]), {"a": np.array([0.5, nan])})) is None


def test_one_group_has_a_difference_and_no_interval():
    scores = {"a": np.array([0.1, 0.2]), "b": np.array([0.2, 0.1])}
    found = evaluate(judged([1, 0]), scores)
    difference = found.result("b").differences["mean_auc"]
    assert (difference.interval.difference, isnan(difference.interval.low), difference.direction) == (
        1,
        True,
        0,
    )
    assert as_json(found)["results"][1]["significance"]["mean_auc"] == {"difference": 1.0}
    assert against_baseline(found).rows == [["b", "+1.000", "+1.000", "+0.500"]]


def test_a_baseline_must_be_among_the_measures():
    with pytest.raises(UnknownName, match="unknown baseline 'bb'; did you mean 'b'"):
        evaluate(judged([1, 0]), {"b": np.zeros(2)}, baseline="bb")
    with pytest.raises(InputError, match="name at least one measure"):
        evaluate(judged([1, 0]), {})


def kept(found, path):
    path.write_text(json.dumps(as_json(found)))
    return read_previous_run(path)


def test_an_evaluation_is_no_better_than_itself(two_of_three_better, tmp_path):
    found = evaluate(*two_of_three_better, relevant=2)
    compared = compare_with_previous_run(kept(found, tmp_path / "old.json"), found)
    assert set(compared) == {"poor", "good", "fair", "same"}
    for differences in compared.values():
        assert all(each.interval.difference == 0 and each.direction == 0 for each in differences.values())


def test_the_same_measure_is_compared_with_what_it_was(two_of_three_better, tmp_path):
    pairs, scores = two_of_three_better
    old = kept(
        evaluate(pairs, {"m": scores["poor"], "gone": scores["same"]}, relevant=2), tmp_path / "old.json"
    )
    found = evaluate(pairs, {"m": scores["good"], "new": scores["poor"]}, relevant=2)
    compared = compare_with_previous_run(old, found)
    assert list(compared) == ["m"]
    direct = (
        evaluate(pairs, {"old": scores["poor"], "new": scores["good"]}, relevant=2).result("new").differences
    )
    assert compared["m"]["mean_auc"] == direct["mean_auc"]
    assert compared["m"]["map"] == direct["map"]
    assert isnan(compared["m"]["auc"].interval.low)  # the scores are not kept: no interval, no claim
    assert against_previous_run("old.json", compared).rows[0][2].endswith("▲")
    assert as_json(found, compared)["results"][0]["against"]["map"]["difference"] > 0


def test_other_judgements_give_differences_without_intervals(two_of_three_better, tmp_path):
    pairs, scores = two_of_three_better
    old = kept(evaluate(pairs, {"m": scores["poor"]}, relevant=1), tmp_path / "old.json")
    found = evaluate(pairs, {"m": scores["good"]}, relevant=2)
    assert not old.comparable(found)
    difference = compare_with_previous_run(old, found)["m"]["mean_auc"]
    assert difference.interval.difference != 0
    assert isnan(difference.interval.low)
    with pytest.raises(InputError, match=r"old\.json has none of these measures: x; it has m"):
        compare_with_previous_run(old, evaluate(pairs, {"x": scores["good"]}))


@pytest.mark.parametrize(
    "content",
    ["", "[]", "3", '{"results": 3}', '{"results": [{}], "relevant": 1}', "[" * 99_999, '{"results": []}'],
)
def test_what_is_no_evaluation_is_refused(content, tmp_path):
    (tmp_path / "old.json").write_text(content)
    with pytest.raises(InputError, match="is no evaluation; --against takes"):
        read_previous_run(tmp_path / "old.json")


def test_an_earlier_evaluation_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_previous_run(tmp_path / "absent.json")


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([nan, 0.0, 0.5, 1.0]), st.integers(0, 2)), min_size=1
    )
)
def test_any_judgements_have_tables_and_json(rows):
    grades, scores, groups = zip(*rows, strict=True)
    found = evaluate(judged(grades, groups), {"a": np.array(scores), "b": np.zeros(len(scores))})
    json.dumps(as_json(found), allow_nan=False)
    assert len(text(overview(found)).splitlines()) == 7
    assert len(text(against_baseline(found)).splitlines()) == 4
