"""Histogram of scores behind the threshold slider: how many keywords have their best score where."""

import math
from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array

BARS = 50
HEIGHT = 50.0  # of the picture, whose width is that of the bars


@dataclass(frozen=True)
class Bar:
    """A bar: place, height in the picture, and the lower end of its scores."""

    x: int
    height: float
    score: float


@dataclass(frozen=True)
class ThresholdRange:
    """The thresholds that can be chosen, and the histogram of best scores above the lowest."""

    lowest: float
    highest: float
    step: float
    bars: list[Bar]
    below: int  # keywords whose best score is below the lowest threshold

    def check(self, threshold: float) -> float:
        """The threshold, within the range."""
        return min(max(threshold, self.lowest), self.highest)


def threshold_range(best_scores: Float64Array, lowest: float) -> ThresholdRange:
    """The range from the lowest threshold to 1, or to the highest score of measures with another scale.

    >>> found = threshold_range(np.array([0.5, 0.99, np.nan]), 0.36)
    >>> found.lowest, found.highest, found.step, found.below, sum(bar.height > 0 for bar in found.bars)
    (0.36, 1.0, 0.01, 1, 2)
    """
    scores = best_scores[best_scores >= lowest]
    best = float(scores.max(initial=lowest))
    highest = 1.0 if lowest >= 0 and best <= 1 + 1e-9 else math.ceil(best * 100) / 100
    edges = np.linspace(lowest, max(highest, lowest + 0.01), BARS + 1)
    sizes = np.histogram(np.minimum(scores, edges[-1]), edges)[0]
    heights = HEIGHT * sizes / max(1, sizes.max())
    bars = [
        Bar(x, max(0.5, round(float(height), 1)) if height else 0.0, round(float(edge), 4))
        for x, (height, edge) in enumerate(zip(heights, edges[:-1], strict=True))
    ]
    step = 0.01 if highest - lowest <= 2 else 0.05
    return ThresholdRange(lowest, float(edges[-1]), step, bars, len(best_scores) - len(scores))
