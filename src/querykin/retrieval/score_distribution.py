"""How a score stands among the scores of random pairs of past queries."""

from dataclasses import dataclass
from math import floor, isnan

import numpy as np

from querykin.compute.arrays import Float64Array

# Percentiles are told as far as this many pairs of the sample lie above them: the share of fewer pairs has a
# standard error of more than a third.
MIN_ABOVE = 10
_EQUAL = 1e-9  # scores that differ by less are the same score, computed in another order


@dataclass(frozen=True)
class ScoreDistribution:
    """The scores of random pairs of past queries under one measure.

    `scores` are in ascending order; `pairs` counts all sampled pairs, also those without a score, which is
    lower than any.

    >>> distribution = ScoreDistribution.of(np.arange(1000) / 1000)
    >>> distribution.percentile(0.75)
    75.0
    >>> distribution.percentile(2.0)  # 1,000 pairs cannot tell more
    99.0
    >>> distribution.score_at(75)
    0.75
    """

    scores: Float64Array
    pairs: int

    @classmethod
    def of(cls, scores: Float64Array) -> "ScoreDistribution":
        """The distribution of sampled scores; NaN for a pair that is not covered."""
        return cls(np.sort(scores[~np.isnan(scores)]), len(scores))

    @property
    def highest_percentile(self) -> float:
        """The highest percentile that a sample of this size can tell."""
        return 100 * max(0.0, 1 - MIN_ABOVE / max(1, self.pairs))

    def percentile(self, score: float) -> float | None:
        """The per cent of random pairs with a lower score; None for a score that is NaN."""
        return None if isnan(score) else float(self.percentiles(np.array([score]))[0])

    def percentiles(self, scores: Float64Array) -> Float64Array:
        """The percentile of each of several scores."""
        lower = np.searchsorted(self.scores, scores - _EQUAL) + self._uncovered
        return np.minimum(100 * lower / max(1, self.pairs), self.highest_percentile)

    def score_at(self, percentile: float) -> float:
        """The lowest sampled score that at least this per cent of random pairs stay below.

        Above the highest percentile that the sample can tell, the score at that one. Where too many pairs
        share the highest score of the sample, the next number after it; -inf if no pair has a score.
        """
        if not len(self.scores):
            return -np.inf
        wanted = min(percentile, self.highest_percentile) / 100 * self.pairs
        rank = int(np.ceil(wanted - _EQUAL)) - self._uncovered  # of the scores, so many must be lower
        if rank <= 0:
            return float(self.scores[0])
        above = int(np.searchsorted(self.scores, self.scores[rank - 1] + _EQUAL, side="right"))
        return float(self.scores[above] if above < len(self.scores) else self.scores[-1] + 2 * _EQUAL)

    @property
    def _uncovered(self) -> int:
        return self.pairs - len(self.scores)


def percentile_text(percentile: float) -> str:
    """A percentile for people, rounded down: one digit of what is missing to 100 is enough.

    >>> [percentile_text(each) for each in (0.0, 87.62, 99.27, 99.938, 99.99)]
    ['0 %', '87 %', '99.2 %', '99.93 %', '99.99 %']
    """
    missing = 100 - percentile
    digits = 0 if missing >= 1 else 1 if missing >= 0.1 else 2
    # Rounded first: 99.99 may be stored as 99.98999999999999.
    return f"{floor(round(percentile * 10**digits, 6)) / 10**digits:.{digits}f} %"


def closer_than(percentile: float) -> str:
    """How a score stands among random pairs, in words.

    >>> closer_than(99.27)
    'closer than 99.2 % of random pairs'
    """
    return f"closer than {percentile_text(percentile)} of random pairs"
