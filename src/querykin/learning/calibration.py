"""Calibration: scores turned into probabilities of relevance (Platt scaling), for any prior."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.learning.linear import Prior, fit_weights

_BINS = 10
_EM_ITERATIONS = 200
_MIN_SLOPE = 0.1  # per standard deviation of the scores
_EPSILON = 1e-12
_WIDE = 1e6  # variance of a prior that hardly constrains


@dataclass(frozen=True)
class Calibration:
    """p = 1 / (1 + exp(-(slope score + shift))), fitted where a share `prior` of the pairs was relevant."""

    slope: float
    shift: float
    prior: float

    @classmethod
    def fit(cls, scores: Float64Array, relevant: BoolArray) -> "Calibration":
        """Platt scaling (Platt 1999); the scores must come from models not fitted to these pairs.

        Targets are Platt's, (n+ + 1) / (n+ + 2) and 1 / (n- + 2), instead of 1 and 0, so that separable
        scores do not become certainties. The slope has a positive minimum: probabilities keep the order of
        the scores, and visibly so, even if the scores are uninformative.
        """
        spread = float(scores.std()) or 1.0
        standardized = (scores[:, None] - scores.mean()) / spread
        positives, negatives = int(relevant.sum()), int((~relevant).sum())
        targets = np.where(relevant, (positives + 1) / (positives + 2), 1 / (negatives + 2))
        prior = Prior(np.array([_WIDE]), np.array([True]))
        slope, shift = fit_weights(standardized, np.ones(len(scores)), targets, prior, intercept=True)
        slope = max(float(slope), _MIN_SLOPE) / spread
        share = (positives + 1) / (positives + negatives + 2)
        return cls(slope, float(shift) - slope * float(scores.mean()), share)

    def probabilities(self, scores: Float64Array, prior: float | None = None) -> Float64Array:
        """Probabilities of relevance where a share `prior` of pairs is relevant (default: as in training)."""
        logits = self.slope * scores + self.shift
        if prior is not None:
            logits = logits + _log_odds(prior) - _log_odds(self.prior)
        probabilities: Float64Array = 1 / (1 + np.exp(-np.clip(logits, -500, 500)))
        return probabilities


def _log_odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


def estimated_prior(probabilities: Float64Array, prior: float) -> float:
    """The share of relevant pairs among unjudged ones, from probabilities calibrated for another share.

    Expectation-maximization of Saerens, Latinne & Decaestecker (2002).

    >>> fitted = np.array([0.9] * 26 + [0.1] * 74)  # of 20 relevant pairs 18 are found, of 80 others 8
    >>> round(estimated_prior(fitted, 0.5), 3)
    0.2
    """
    probabilities = np.clip(probabilities, _EPSILON, 1 - _EPSILON)
    likelihood_ratios = probabilities / (1 - probabilities) / (prior / (1 - prior))
    share = prior
    for _ in range(_EM_ITERATIONS):
        posteriors = share * likelihood_ratios / (share * likelihood_ratios + 1 - share)
        share = float(np.clip(posteriors.mean(), 1e-6, 1 - 1e-6))
    return share


def calibration_error(probabilities: Float64Array, relevant: BoolArray) -> float:
    """Expected calibration error over ten bins of equal width (Naeini, Cooper & Hauskrecht 2015).

    The mean over pairs of the distance, in their bin, between mean probability and share of relevant pairs.
    """
    bins = np.minimum((probabilities * _BINS).astype(np.int64), _BINS - 1)
    gaps = np.abs(np.bincount(bins, probabilities - relevant, _BINS))
    return float(gaps.sum() / max(1, len(probabilities)))
