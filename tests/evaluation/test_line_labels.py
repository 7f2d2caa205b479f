"""Names of lines are written on the plot, apart from each other; lines differ by more than their color."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.evaluation.line_labels import place_labels
from querykin.evaluation.svg import MAX_LABELS, Line, Plot, style, svg

X = np.linspace(0, 1, 20)


def plot(count):
    lines = [Line(f"line {n}", X, X * (n + 1) / count, *style(n)) for n in range(count)]
    return svg(Plot("t", "x", "y", "", lines))


def test_a_label_is_where_its_line_is_farthest_from_the_others():
    lines = [("up", X * 300, 200 - X * 150), ("flat", X * 300, np.full(20, 200.0))]
    up, flat = place_labels(lines, 400, 0)
    assert up.x == flat.x == 270
    assert up.y < flat.y


@settings(max_examples=20)
@given(st.lists(st.lists(st.floats(0, 200), min_size=2, max_size=6), min_size=1, max_size=6))
def test_labels_are_on_the_plot_and_do_not_overlap(heights):
    lines = [(f"line {n}", np.linspace(50, 350, len(y)), np.array(y)) for n, y in enumerate(heights)]
    labels = place_labels(lines, 370, 10)
    for number, label in enumerate(labels):
        assert label.x + label.width <= 370
        assert label.y >= 10
        assert not any(map(label.overlaps, labels[:number]))


def test_few_lines_are_named_on_the_plot_and_many_in_the_legend_only():
    assert plot(MAX_LABELS).count('class="label"') > 1
    assert 'class="label"' not in plot(MAX_LABELS + 1)


def test_lines_differ_in_dashes_or_markers():
    assert len({style(number)[1:] for number in range(35)}) == 35
    dashes = re.findall(r'class="line"[^>]*?(?:stroke-dasharray="([^"]*)")? d=', plot(5))
    assert len(set(dashes)) == 5
