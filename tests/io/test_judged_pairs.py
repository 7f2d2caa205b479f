"""Judged pairs: reading from tables, merging of raters, what is refused."""

import json
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.errors import InputError
from querykin.io.judgement_files import open_judged_pairs, read_judged_pairs
from querykin.io.text_column import TextColumn, dense_ids, dense_pair_ids
from strategies import texts


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        (tmp_path / name).write_text(content, "utf-8")
        return str(tmp_path / name)

    return write


def table(*rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


@given(st.lists(texts(20), max_size=30))
def test_a_column_returns_its_texts_and_gives_equal_ones_one_id(given_texts):
    column = TextColumn(given_texts)
    assert [column[place] for place in range(len(column))] == given_texts
    assert column.distinct == list(dict.fromkeys(given_texts))
    assert [column.distinct[number] for number in column.ids] == given_texts


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_pairs_have_the_same_id_exactly_when_both_parts_are_equal(pairs):
    first, second = np.array(pairs, np.int64).T
    found = dense_pair_ids(first, second)
    seen = list(dict.fromkeys(pairs))
    assert found.tolist() == [seen.index(pair) for pair in pairs]
    assert dense_ids(found).tolist() == found.tolist()


def test_each_query_is_a_group_unless_a_column_defines_groups(write):
    rows = ("query", "candidate", "grade", "need"), ("a", "x", 1, "n"), ("b", "y", 0, "n"), ("a", "z", 0, "")
    path = write("judged.tsv", table(*rows))
    assert read_judged_pairs(path).groups.distinct == ["a", "b"]
    by_need = read_judged_pairs(path, "group=need")
    assert by_need.groups.distinct == ["n", "a"]  # an empty cell means the query
    assert by_need.query_groups.tolist() == [0, 0]


def test_columns_can_be_named_and_rows_selected(write):
    rows = (
        ("anchor", "target", "score", "kind"),
        ("a", "b", 1, "QR"),
        ("a", "c", 0, "QAC"),
        ("d", "e", 2, "QR"),
    )
    path = write("judged.tsv", table(*rows))
    judged = read_judged_pairs(path, "query=anchor,candidate=target,grade=score", ["kind=QR"])
    assert (list(judged.pairs()), judged.grades.tolist()) == ([("a", "b"), ("d", "e")], [1, 2])


def test_grades_of_several_raters_are_averaged_and_rows_without_raters_are_not_merged(write):
    rows = (
        ("a", "b", 0.7, "r"),
        ("a", "b", 0.7, "s"),
        ("a", "b", 0.7, "t"),
        ("a", "c", 1, "r"),
        ("a", "c", 0, "s"),
    )
    rated = read_judged_pairs(write("rated.tsv", table(("query", "candidate", "grade", "rater"), *rows)))
    assert (list(rated.pairs()), rated.grades.tolist()) == ([("a", "b"), ("a", "c")], [0.7, 0.5])
    plain = table(("query", "candidate", "grade"), *(row[:3] for row in rows))
    assert read_judged_pairs(write("plain.tsv", plain)).grades.tolist() == [0.7, 0.7, 0.7, 1, 0]


def test_a_pair_has_one_score_for_all_raters(write):
    head = ("query", "candidate", "grade", "rater", "other")
    same = table(head, ("a", "b", 1, "r", "nan"), ("a", "b", 0, "s", ""), ("a", "c", 1, "r", 0.5))
    scores = read_judged_pairs(write("same.tsv", same), scores=["other"]).scores["other"]
    assert isnan(scores[0])
    assert scores[1] == 0.5
    other = write("other.tsv", table(head, ("a", "b", 1, "r", 0.5), ("a", "b", 0, "s", 0.25)))
    with pytest.raises(InputError, match=r"column 'other' has 0\.25 and 0\.5 for one pair"):
        read_judged_pairs(other, scores=["other"])


@pytest.mark.parametrize(
    ("grades", "relevant"),
    [
        ([0, 1], 1),
        ([0, 1, 2, 3], 2),
        ([1, 2, 3, 4, 5], 4),
        ([0, 0.25, 0.5, 1], 1),
        ([-1, 0, 1], 1),
        ([2, 2], 2),
    ],
)
def test_the_default_threshold_is_the_first_grade_above_the_middle_of_the_scale(grades, relevant, write):
    rows = [("query", "candidate", "grade"), *(("a", f"c{i}", grade) for i, grade in enumerate(grades))]
    assert read_judged_pairs(write("judged.tsv", table(*rows))).threshold() == relevant


@pytest.mark.parametrize("grade", ["", "good", "nan", "inf", "1 2", "1-2", "0x1"])
def test_a_grade_that_is_not_a_number_is_refused_with_its_row(grade, write):
    path = write("judged.tsv", table(("query", "candidate", "grade"), ("a", "b", 1), ("a", "c", grade)))
    with pytest.raises(InputError, match=r"row 3: the grade must be a number, got "):
        read_judged_pairs(path)


def test_a_grade_may_have_a_decimal_comma(write):
    judged = read_judged_pairs(write("judged.csv", "query;candidate;grade\na;b;1,5\na;c;0,25\n"))
    assert judged.grades.tolist() == [1.5, 0.25]


def test_json_values_may_be_numbers_and_nulls(write):
    rows = [
        {"query": "a", "candidate": 7, "grade": 2, "other": None},
        {"query": "a", "candidate": "b", "grade": "1"},
    ]
    path = write("judged.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    judged = read_judged_pairs(path, scores=["other"])
    assert (list(judged.pairs()), judged.grades.tolist()) == ([("a", "7"), ("a", "b")], [2, 1])
    assert np.isnan(judged.scores["other"]).all()
    for wrong in (True, None, [1], "x"):
        with pytest.raises(InputError, match="row 1: the grade must be a number"):
            read_judged_pairs(write("w.jsonl", json.dumps({"query": "a", "candidate": "b", "grade": wrong})))


def test_a_table_without_needed_columns_rows_or_raters_is_refused(write):
    path = write("judged.tsv", table(("query", "candidate", "grade", "other"), ("a", "b", 1, "x")))
    with pytest.raises(InputError, match="no column 'rater'"):
        open_judged_pairs(path, raters=True)
    with pytest.raises(InputError, match="no column 'need'"):
        open_judged_pairs(path, "group=need")
    with pytest.raises(InputError, match="holds no judged pairs with query=z"):
        read_judged_pairs(path, where=["query=z"])
    with pytest.raises(InputError, match=r"--where takes COLUMN=VALUE.*got 'query'"):
        read_judged_pairs(path, where=["query"])
    with pytest.raises(InputError, match="row 2: 'other' must be a number, or empty, nan or null"):
        read_judged_pairs(path, scores=["other"])


def test_the_fingerprint_distinguishes_judgements(write):
    first = write("a.tsv", table(("query", "candidate", "grade"), ("ab", "c", 1)))
    moved = write("b.tsv", table(("query", "candidate", "grade"), ("a", "bc", 1)))
    graded = write("c.tsv", table(("query", "candidate", "grade"), ("ab", "c", 2)))
    prints = [read_judged_pairs(path).fingerprint for path in (first, first, moved, graded)]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3
