"""Agreement of the raters of a file, as tables and as JSON."""

import json

import numpy as np
import pytest

from querykin.errors import InputError
from querykin.evaluation import rater_agreement
from querykin.evaluation.rater_agreement import agreement_json, agreement_tables
from querykin.evaluation.tables import text
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn

# Alfonseca et al. (2009), table 2: rows are the grades 0 to 4 of the first rater, columns of the second.
TABLE = [[280, 95, 14, 1, 0], [108, 86, 65, 4, 0], [11, 47, 83, 16, 0], [1, 2, 17, 45, 2], [0, 0, 1, 1, 2]]


def judged(rows):
    """From rows of query, candidate, grade, rater."""
    queries, candidates, grades, raters = zip(*rows, strict=True)
    return JudgedPairs(
        TextColumn(queries),
        TextColumn(candidates),
        np.array(grades, np.float64),
        TextColumn(queries),
        TextColumn(raters),
    )


@pytest.fixture(scope="module")
def alfonseca():
    cells = [
        (first, second) for first in range(5) for second in range(5) for _ in range(TABLE[first][second])
    ]
    rows = [(f"q{i}", "c", pair[side], f"r{side}") for i, pair in enumerate(cells) for side in (0, 1)]
    return rater_agreement(judged(rows), relevant=2)


def test_a_file_gives_the_confusion_and_the_kappas_that_were_printed(alfonseca):
    assert alfonseca.confusion().tolist() == TABLE
    assert round(alfonseca.means()["grades"].quadratic, 4) == 0.7111
    assert round(alfonseca.means()["relevant or not"].simple, 3) == 0.585


def test_tables_show_every_kind_of_agreement(alfonseca):
    kinds, confusion = agreement_tables(alfonseca)
    assert [row[0] for row in kinds.rows] == [
        "grades",
        "relevant or not",
        "better, equal, worse",
        "better or equal, worse",
        "better, equal or worse",
    ]
    assert "pooled kappa" in text(kinds)
    assert confusion.rows[0] == ["0", "280", "95", "14", "1", "0"]
    assert kinds.rows[2][1:3] == ["0", "-"]  # one candidate a query: no preferences


def test_several_raters_have_means_and_a_row_for_every_two():
    grades = {"ann": [0, 1, 2], "bob": [0, 1, 1], "cy": [2, 1, 2]}
    found = rater_agreement(
        judged([("q", f"c{i}", g, who) for who, each in grades.items() for i, g in enumerate(each)])
    )
    means, pairs, _ = agreement_tables(found)
    assert "3 raters, 3 pairs, grades 0 1 2; means over 3 pairs of raters" in means.title
    assert [row[0] for row in pairs.rows] == ["ann and bob", "ann and cy", "bob and cy"]
    assert found.means()["grades"].observed == pytest.approx((2 / 3 + 2 / 3 + 1 / 3) / 3)
    content = json.loads(json.dumps(agreement_json(found), allow_nan=False))
    assert content["agreements"][2]["raters"] == ["bob", "cy"]
    assert content["agreements"][2]["confusion"] == [[0, 0, 1], [0, 1, 1], [0, 0, 0]]
    assert content["means"]["grades"]["observed"] == pytest.approx(5 / 9)


def test_who_cannot_be_compared_is_refused():
    with pytest.raises(InputError, match="rater 'ann' has graded 'q' and 'c' twice"):
        rater_agreement(judged([("q", "c", 1, "ann"), ("q", "c", 1, "bob"), ("q", "c", 2, "ann")]))
    with pytest.raises(InputError, match=r"no pair has rows of two raters \(there are 2\)"):
        rater_agreement(judged([("q", "c", 1, "ann"), ("q", "d", 1, "bob")]))
