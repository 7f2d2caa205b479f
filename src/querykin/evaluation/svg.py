"""Curves as pictures: small SVG that needs no library, no script and no foreign host."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from querykin.compute.arrays import Float64Array

# Of middling lightness: readable on white and on black.
COLOURS = ("#3b82d6", "#d9741a", "#2a9d6f", "#c44e8a", "#8a6fd1", "#a58300", "#1c9bb0", "#92715e")
DASHES = ("", "6 3", "2 3", "8 3 2 3")
_GRADES = ((217, 96, 40), (170, 135, 10), (42, 157, 90), (28, 150, 190), (110, 105, 220))  # the lowest first
WIDTH, HEIGHT = 380, 280
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 10, 40
TICKS = 5


@dataclass(frozen=True)
class Line:
    """Points of one line, its name and how it is drawn."""

    name: str
    x: Float64Array
    y: Float64Array
    colour: str
    dash: str = ""
    dots: bool = False


@dataclass(frozen=True)
class Plot:
    """Several lines over the same axes."""

    title: str
    x_label: str
    y_label: str
    caption: str
    lines: Sequence[Line]
    unit: bool = False  # both axes go from 0 to 1
    diagonal: bool = False
    legend: bool = False  # its lines are no measures and need a legend of their own


def style(number: int) -> tuple[str, str]:
    """The colour and dashes of the measure with this number."""
    return COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]


def grade_colour(number: int, count: int) -> str:
    """The colour of a grade: from orange for the lowest over green to violet for the highest.

    >>> grade_colour(0, 3), grade_colour(2, 3)
    ('#d96028', '#6e69dc')
    """
    place, anchors = number / max(1, count - 1), np.linspace(0, 1, len(_GRADES))
    parts = (round(np.interp(place, anchors, tones)) for tones in zip(*_GRADES, strict=True))
    return "#{:02x}{:02x}{:02x}".format(*parts)


def svg(plot: Plot) -> str:
    """The plot as a piece of a page; empty when no line has points."""
    drawn = [line for line in plot.lines if len(line.x)]
    if not drawn:
        return ""
    xs, ys = np.concatenate([line.x for line in drawn]), np.concatenate([line.y for line in drawn])
    across, up = (Axis(0, 1), Axis(0, 1)) if plot.unit else (Axis.around(xs), Axis.around(ys))
    parts = [*_frame(plot, across, up)]
    if plot.diagonal:
        parts.append(f'<path class="guide" d="{_path(np.array([0, 1]), np.array([0, 1]), across, up)}"/>')
    parts += [part for line in drawn for part in _drawn(line, across, up)]
    label = escape(f"{plot.title}: {plot.y_label} against {plot.x_label}")
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


@dataclass(frozen=True)
class Axis:
    """The numbers from one end of an axis to the other."""

    low: float
    high: float

    @classmethod
    def around(cls, values: Float64Array) -> "Axis":
        """An axis that holds all the values."""
        low, high = float(values.min()), float(values.max())
        return cls(low, high) if high > low else cls(low - 0.5, high + 0.5)

    def place(self, values: Float64Array) -> Float64Array:
        """Where values lie, from 0 to 1."""
        return (values - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round numbers on the axis: steps of 1, 2 or 5 times a power of ten.

        >>> Axis(0, 1).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        rough = (self.high - self.low) / TICKS
        power = 10.0 ** np.floor(np.log10(rough))
        step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
        first, last = np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9)
        return [round(float(number * step), 12) + 0.0 for number in np.arange(first, last + 1)]  # no -0


def _across(axis: Axis, values: Float64Array) -> Float64Array:
    return LEFT + axis.place(values) * (WIDTH - LEFT - RIGHT)


def _up(axis: Axis, values: Float64Array) -> Float64Array:
    return HEIGHT - BOTTOM - axis.place(values) * (HEIGHT - TOP - BOTTOM)


def _path(x: Float64Array, y: Float64Array, across: Axis, up: Axis) -> str:
    points = zip(_across(across, x).tolist(), _up(up, y).tolist(), strict=True)
    return "M" + "L".join(f"{left:.1f} {top:.1f}" for left, top in points)


def _drawn(line: Line, across: Axis, up: Axis) -> list[str]:
    """The line, with its name for whoever points at it."""
    dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
    points = f'd="{_path(line.x, line.y, across, up)}"'
    path = (
        f'<path class="line" stroke="{line.colour}"{dash} {points}><title>{escape(line.name)}</title></path>'
    )
    if not line.dots:
        return [path]
    places = zip(_across(across, line.x).tolist(), _up(up, line.y).tolist(), strict=True)
    return [path, *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{line.colour}"/>' for x, y in places)]


def _frame(plot: Plot, across: Axis, up: Axis) -> list[str]:
    """Grid lines, their numbers and the names of both axes."""
    parts, bottom, right = [], HEIGHT - BOTTOM, WIDTH - RIGHT
    for tick in across.ticks():
        x = float(_across(across, np.array(tick)))
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{tick:g}</text>')
    for tick in up.ticks():
        y = float(_up(up, np.array(tick)))
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">{tick:g}</text>')
    middle, height = (LEFT + right) / 2, (TOP + bottom) / 2
    parts.append(
        f'<text x="{middle:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{escape(plot.x_label)}</text>'
    )
    turned = f'transform="translate(11 {height:.1f}) rotate(-90)"'
    parts.append(f'<text {turned} text-anchor="middle">{escape(plot.y_label)}</text>')
    return parts
