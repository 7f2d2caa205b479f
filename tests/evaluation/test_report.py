"""The report: one page that loads nothing, whatever stands in the file."""

import re
from html.parser import HTMLParser
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.evaluation import EvaluationOutcome, evaluate
from querykin.evaluation.failures import best_wrong, worst_losses, worst_right
from querykin.evaluation.report import page
from querykin.evaluation.svg import Axis, Line, Plot, grade_colour, svg
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn
from strategies import texts

VOID = {"meta", "path", "circle", "br"}


class Page(HTMLParser):
    """Checks that tags are closed in order; keeps texts, tables and addresses."""

    def __init__(self, content):
        super().__init__()
        self.open, self.texts, self.addresses, self.tags = [], [], [], []
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "action", "srcset")]
        if tag not in VOID or (tag == "path" and self.get_starttag_text()[-2] != "/"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def outcome(rows, **scores):
    """From rows of query, candidate, grade."""
    queries, candidates, grades = zip(*rows, strict=True)
    judged = JudgedPairs(
        TextColumn(queries), TextColumn(candidates), np.array(grades, np.float64), TextColumn(queries)
    )
    arrays = {name.replace("_", "-"): np.array(values, np.float64) for name, values in scores.items()}
    return EvaluationOutcome(judged, arrays, evaluate(judged, arrays))


@pytest.fixture(scope="module")
def small():
    grades = {"a1": 2, "a2": 0, "a3": 1, "b1": 2, "b2": 0, "c1": 2, "c2": 0}
    rows = [(candidate[0], candidate, grade) for candidate, grade in grades.items()]
    return outcome(rows, base=[0.9, 0.1, 0.2, 0.8, 0.1, 0.7, 0.6], mine=[0.1, 0.9, 0.2, nan, 0.3, 0.7, 0.6])


def test_losses_are_the_groups_where_the_baseline_does_better(small):
    found = worst_losses(small.judged, small.evaluation, "mine")
    assert [(each.group, each.pairs, each.relevant) for each in found] == [("a", 3, 1), ("b", 2, 1)]
    assert [(each.before, round(each.after, 3)) for each in found] == [(1, 0.333), (1, 0.5)]


def test_examples_are_the_pairs_on_the_wrong_side_one_a_group(small):
    wrong = best_wrong(small.judged, small.scores["mine"], 2)
    assert [each.candidate for each in wrong] == ["a2", "c2", "b2"]
    assert [(each.score, each.rank, each.of) for each in wrong] == [(0.9, 1, 3), (0.6, 2, 2), (0.3, 1, 2)]
    missed = worst_right(small.judged, small.scores["mine"], 2)
    assert [each.candidate for each in missed] == ["b1", "a1", "c1"]  # the first has no score
    assert [(each.rank, each.of) for each in missed] == [(2, 2), (3, 3), (1, 2)]


SECTIONS = (
    "judged.tsv",
    "7 pairs in 3 groups",
    "Precision and recall, mean over groups",
    "ROC",
    "Reliability",
    "Scores of each grade",
    "Mean grade by threshold",
    "Mean grade by number of suggestions",
    "0 groups better, 1 equal, 2 worse",
    "The worst losses against base",
    "High scores for irrelevant pairs",
    "Low scores for relevant pairs",
)


def test_the_page_has_tables_plots_losses_and_examples(small):
    content = page(small, "judged.tsv")
    parsed = Page(content)
    words = " ".join(parsed.texts)
    assert [wanted for wanted in SECTIONS if wanted not in words] == []
    assert parsed.tags.count("figure") == 5 + 2 + 3  # of all, of the baseline, of the other
    assert parsed.addresses == []
    assert "script" not in parsed.tags
    assert not re.search(r"https?://|url\(|@import", content)
    assert "prefers-color-scheme: dark" in content
    assert 'name="viewport"' in content


def test_texts_of_the_file_are_only_texts():
    evil = '<script>alert("x")</script>&amp;\'"></td><img src=x onerror=y>'
    shown = page(outcome([(evil, evil, 1), (evil, "b", 0)], **{evil: [0.1, 0.9]}), evil)
    parsed = Page(shown)
    assert not {"script", "img"} & set(parsed.tags)
    assert parsed.texts.count(evil) >= 3


scored = st.tuples(
    st.sampled_from("ab"), texts(10), st.integers(0, 2), st.sampled_from([nan, -3.0, 0.0, 1.0])
)


@given(st.lists(scored, min_size=1, max_size=12))
def test_any_file_has_a_page(rows):
    scores = [row[3] for row in rows]
    made = outcome([row[:3] for row in rows], base=scores, mine=scores[::-1], none=[nan] * len(rows))
    Page(page(made, "title").encode("utf-8", "replace").decode())


def test_a_ranking_has_a_page_without_scores(small):
    shown = Page(page(EvaluationOutcome(small.judged, {}, small.evaluation), "run"))
    words = " ".join(shown.texts)
    assert "The worst losses" in words
    assert "ROC" not in words


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_round_and_on_the_axis(low, span):
    axis = Axis(low, low + span)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 12
    slack = span * 1e-6 + 4 * np.spacing(abs(low) + span)
    assert all(axis.low - slack <= tick <= axis.high + slack for tick in ticks)


def test_a_plot_without_points_is_not_drawn_and_one_point_is():
    empty = Line("a", np.empty(0), np.empty(0), "#000")
    assert svg(Plot("t", "x", "y", "", [empty])) == ""
    assert "<path" in svg(
        Plot("t", "x", "y", "", [empty, Line("b", np.array([2.0]), np.array([3.0]), "#000")])
    )
    assert len({grade_colour(number, 10) for number in range(10)}) == 10
    assert re.fullmatch("#[0-9a-f]{6}", grade_colour(0, 1))
