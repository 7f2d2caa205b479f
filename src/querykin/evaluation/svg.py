"""Line plots as small SVG elements, without libraries, scripts or external resources."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.evaluation.line_labels import place_labels
from querykin.evaluation.markers import MARKERS, marker

# Medium lightness: readable on light and dark backgrounds.
COLORS = ("#3b82d6", "#d9741a", "#2a9d6f", "#c44e8a", "#8a6fd1", "#a58300", "#1c9bb0", "#92715e")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "12 4")
_GRADE_COLORS = (
    (217, 96, 40),
    (170, 135, 10),
    (42, 157, 90),
    (28, 150, 190),
    (110, 105, 220),
)  # RGB, the lowest grade first
WIDTH, HEIGHT = 380, 280
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 10, 40
TICKS = 5
MARKED = 5  # markers of a line whose points are not all marked
MAX_LABELS = 6  # lines; the names of more would cover the plot


@dataclass(frozen=True)
class Line:
    """The points of a line, its name and its style."""

    name: str
    x: Float64Array
    y: Float64Array
    color: str
    dash: str = ""
    marker: int = 0
    all_marked: bool = False  # a marker at each point, not at some only


@dataclass(frozen=True)
class Plot:
    """Several lines on the same axes."""

    title: str
    x_label: str
    y_label: str
    caption: str
    lines: Sequence[Line]
    unit: bool = False  # both axes are from 0 to 1
    diagonal: bool = False
    legend: bool = False  # the lines are not measures, so that the plot needs its own legend


def style(number: int) -> tuple[str, str, int]:
    """The color, dash pattern and marker of the line with this number."""
    return COLORS[number % len(COLORS)], DASHES[number % len(DASHES)], number % MARKERS


def grade_color(number: int, count: int) -> str:
    """The color of a grade: from orange for the lowest through green to violet for the highest.

    >>> grade_color(0, 3), grade_color(2, 3)
    ('#d96028', '#6e69dc')
    """
    position, anchors = number / max(1, count - 1), np.linspace(0, 1, len(_GRADE_COLORS))
    channels = (round(np.interp(position, anchors, values)) for values in zip(*_GRADE_COLORS, strict=True))
    return "#{:02x}{:02x}{:02x}".format(*channels)


def svg(plot: Plot) -> str:
    """The plot as an SVG element; empty if no line has points."""
    drawn = [line for line in plot.lines if len(line.x)]
    if not drawn:
        return ""
    xs, ys = np.concatenate([line.x for line in drawn]), np.concatenate([line.y for line in drawn])
    x_axis, y_axis = (Axis(0, 1), Axis(0, 1)) if plot.unit else (Axis.around(xs), Axis.around(ys))
    parts = [*_frame(plot, x_axis, y_axis)]
    if plot.diagonal:
        parts.append(f'<path class="guide" d="{_path(np.array([0, 1]), np.array([0, 1]), x_axis, y_axis)}"/>')
    for number, line in enumerate(drawn):
        parts += _line_elements(line, number / len(drawn), x_axis, y_axis)
    if 1 < len(drawn) <= MAX_LABELS:
        parts += _labels(drawn, x_axis, y_axis)
    label = escape(f"{plot.title}: {plot.y_label} against {plot.x_label}")
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


@dataclass(frozen=True)
class Axis:
    """The range of an axis."""

    low: float
    high: float

    @classmethod
    def around(cls, values: Float64Array) -> "Axis":
        """The axis from the smallest value to the largest."""
        low, high = float(values.min()), float(values.max())
        return cls(low, high) if high > low else cls(low - 0.5, high + 0.5)

    def position(self, values: Float64Array) -> Float64Array:
        """The values as shares of the range, from 0 to 1."""
        return (values - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Tick values: multiples of 1, 2 or 5 times a power of ten.

        >>> Axis(0, 1).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        target = (self.high - self.low) / TICKS
        power = 10.0 ** np.floor(np.log10(target))
        step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= target * 0.999)
        first, last = np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9)
        return [round(float(number * step), 12) + 0.0 for number in np.arange(first, last + 1)]  # no -0


def _x(axis: Axis, values: Float64Array) -> Float64Array:
    return LEFT + axis.position(values) * (WIDTH - LEFT - RIGHT)


def _y(axis: Axis, values: Float64Array) -> Float64Array:
    return HEIGHT - BOTTOM - axis.position(values) * (HEIGHT - TOP - BOTTOM)


def _path(x: Float64Array, y: Float64Array, x_axis: Axis, y_axis: Axis) -> str:
    points = zip(_x(x_axis, x).tolist(), _y(y_axis, y).tolist(), strict=True)
    return "M" + "L".join(f"{left:.1f} {top:.1f}" for left, top in points)


def _line_elements(line: Line, shift: float, x_axis: Axis, y_axis: Axis) -> list[str]:
    """The elements of a line; its name is a tooltip.

    Markers of different lines are shifted, as shares of their distance, so that they do not cover each other.
    """
    dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
    points = f'd="{_path(line.x, line.y, x_axis, y_axis)}"'
    path = (
        f'<path class="line" stroke="{line.color}"{dash} {points}><title>{escape(line.name)}</title></path>'
    )
    x, y = _x(x_axis, line.x), _y(y_axis, line.y)
    if not line.all_marked:
        at = np.linspace(x.min(), x.max(), MARKED + 1)[:-1] + shift * (x.max() - x.min()) / MARKED
        order = np.argsort(x, kind="stable")
        x, y = at, np.interp(at, x[order], y[order])
    centers = zip(x.tolist(), y.tolist(), strict=True)
    return [path, *(marker(line.marker, *center, line.color) for center in centers)]


def _labels(lines: Sequence[Line], x_axis: Axis, y_axis: Axis) -> list[str]:
    """The names of the lines, each beside its line."""
    points = [(line.name, _x(x_axis, line.x), _y(y_axis, line.y)) for line in lines]
    placed = place_labels(points, WIDTH - RIGHT, TOP)
    return [
        f'<text class="label" x="{each.x:.1f}" y="{each.y:.1f}">{escape(each.text)}</text>' for each in placed
    ]


def _frame(plot: Plot, x_axis: Axis, y_axis: Axis) -> list[str]:
    """Grid lines, tick labels and axis labels."""
    parts, bottom, right = [], HEIGHT - BOTTOM, WIDTH - RIGHT
    for tick in x_axis.ticks():
        x = float(_x(x_axis, np.array(tick)))
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{tick:g}</text>')
    for tick in y_axis.ticks():
        y = float(_y(y_axis, np.array(tick)))
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">{tick:g}</text>')
    middle, height = (LEFT + right) / 2, (TOP + bottom) / 2
    parts.append(
        f'<text x="{middle:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{escape(plot.x_label)}</text>'
    )
    rotation = f'transform="translate(11 {height:.1f}) rotate(-90)"'
    parts.append(f'<text {rotation} text-anchor="middle">{escape(plot.y_label)}</text>')
    return parts
