"""How sure is it? Scores turned into the probability that a pair is relevant."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.learning.linear import Prior, fit_weights

_BINS = 10
_ROUNDS = 200
_LEAST_SLOPE = 0.1  # for a standard deviation of the scores
_SURE = 1e-12


@dataclass(frozen=True)
class Calibration:
    """p = 1 / (1 + exp(-(slope score + shift))), fitted where a share `prior` of the pairs was relevant."""

    slope: float
    shift: float
    prior: float

    @classmethod
    def fit(cls, scores: Float64Array, relevant: BoolArray) -> "Calibration":
        """Platt's scaling (1999); scores must come from models that have not seen these pairs."""
        spread = float(scores.std()) or 1.0
        column = (scores[:, None] - scores.mean()) / spread
        # Platt's targets: as if one more pair of each kind had been seen, so that no certainty is claimed.
        yes, no = int(relevant.sum()), int((~relevant).sum())
        targets = np.where(relevant, (yes + 1) / (yes + 2), 1 / (no + 2))
        prior = Prior(np.array([1e6]), np.array([True]))
        slope, shift = fit_weights(column, np.ones(len(scores)), targets, prior, intercept=True)
        # The order of scores is kept and can be seen, even where they are worth nothing.
        slope = max(float(slope), _LEAST_SLOPE) / spread
        return cls(slope, float(shift) - slope * float(scores.mean()), (yes + 1) / (yes + no + 2))

    def probabilities(self, scores: Float64Array, prior: float | None = None) -> Float64Array:
        """The probability of each score, where a share `prior` is relevant (default: as in training)."""
        raw = self.slope * scores + self.shift
        if prior is not None:
            raw = raw + _log_odds(prior) - _log_odds(self.prior)
        found: Float64Array = 1 / (1 + np.exp(-np.clip(raw, -500, 500)))
        return found


def _log_odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


def estimated_prior(probabilities: Float64Array, prior: float) -> float:
    """The share of relevant pairs among new, unjudged ones, from probabilities fitted under another share.

    Expectation-maximisation after Saerens, Latinne & Decaestecker (2002).

    >>> fitted = np.array([0.9] * 26 + [0.1] * 74)  # of 20 relevant ones 18 are found, of 80 others 8
    >>> round(estimated_prior(fitted, 0.5), 3)
    0.2
    """
    probabilities = np.clip(probabilities, _SURE, 1 - _SURE)
    odds = probabilities / (1 - probabilities) / (prior / (1 - prior))
    share = prior
    for _ in range(_ROUNDS):
        share = float(np.clip((share * odds / (share * odds + 1 - share)).mean(), 1e-6, 1 - 1e-6))
    return share


def calibration_error(probabilities: Float64Array, relevant: BoolArray) -> float:
    """The expected calibration error: how far probabilities are from observed shares, in ten equal bins."""
    bins = np.minimum((probabilities * _BINS).astype(np.int64), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    gaps = np.abs(np.bincount(bins, probabilities - relevant, _BINS))
    return float(gaps.sum() / max(1, counts.sum()))
