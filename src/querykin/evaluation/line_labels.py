"""Where the names of lines are written: beside each line, where it is farthest from the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array

_POSITIONS = np.linspace(0.1, 0.9, 17)  # tried along each line, as shares of its width
_LETTER = 6.0  # pixels, the mean width of a letter
_HEIGHT = 12.0  # pixels
_GAP = 5.0  # pixels between a line and its name


@dataclass(frozen=True)
class Label:
    """A text on a plot; `x` and `y` are its left end and its base line in pixels."""

    text: str
    x: float
    y: float

    def overlaps(self, other: "Label") -> bool:
        """Whether two labels share pixels."""
        apart = self.x + self.width < other.x or other.x + other.width < self.x
        return not apart and abs(self.y - other.y) < _HEIGHT

    @property
    def width(self) -> float:
        """The width in pixels, roughly."""
        return _LETTER * len(self.text)


def place_labels(
    lines: Sequence[tuple[str, Float64Array, Float64Array]], right: float, top: float
) -> list[Label]:
    """A label for each line (name, x, y in pixels) that does not cover another; none where there is no room.

    `right` and `top` are the edges of the plot.
    """
    sorted_lines = [(name, *_sorted(x, y)) for name, x, y in lines]
    placed: list[Label] = []
    for number, (name, x, y) in enumerate(sorted_lines):
        others = [(ox, oy) for at, (_, ox, oy) in enumerate(sorted_lines) if at != number]
        at = x[0] + _POSITIONS * (x[-1] - x[0])
        heights = np.interp(at, x, y)
        order = np.argsort(-_distances(at, heights, others), kind="stable")
        candidates = (_label(name, at[n], heights[n], right, top) for n in order)
        free = (each for each in candidates if not any(map(each.overlaps, placed)))
        if (label := next(free, None)) is not None:
            placed.append(label)
    return placed


def _sorted(x: Float64Array, y: Float64Array) -> tuple[Float64Array, Float64Array]:
    order = np.argsort(x, kind="stable")
    return x[order], y[order]


def _distances(
    x: Float64Array, y: Float64Array, others: Sequence[tuple[Float64Array, Float64Array]]
) -> Float64Array:
    """The vertical distance of points from the nearest of the other lines."""
    heights = [np.interp(x, ox, oy) for ox, oy in others]
    nearest: Float64Array = np.min([np.abs(y - height) for height in heights], axis=0) if heights else x
    return nearest


def _label(name: str, x: float, y: float, right: float, top: float) -> Label:
    width = _LETTER * len(name)
    return Label(name, min(x, right - width), max(y - _GAP, top + _HEIGHT))
