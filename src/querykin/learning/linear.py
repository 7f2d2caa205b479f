"""Weights of features by logistic regression with a Gaussian prior, for labels and for preferences."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from querykin.compiled import Bools, Reals, one_thread

VARIANCE = 3.0  # of the prior (Yih & Meek 2007)
_ROUNDS = 500


@dataclass(frozen=True)
class Prior:
    """What is believed of weights before any label: near what and how near, and which are not negative."""

    variance: Reals
    rising: Bools
    mean: Reals | float = 0.0


def fit_weights(features: Reals, counts: Reals, targets: Reals, prior: Prior, intercept: bool,
                offsets: Reals | float = 0.0) -> Reals:  # fmt: skip
    """Weights that make targets, from 0 to 1, most likely; the intercept, if any, comes last and is free.

    Each line counts `counts` times. The loss is -t log p - (1 - t) log(1 - p) with p = 1 / (1 + exp(-x)), x
    the weighted sum of a line's features and its offset, which is given.
    """
    width = features.shape[1]
    begin = np.zeros(width + intercept)
    begin[:width] = np.where(prior.rising, np.maximum(prior.mean, 0.0), prior.mean)

    def loss(weights: Reals) -> tuple[float, Reals]:
        apart = weights[:width] - prior.mean
        raw = features @ weights[:width] + (weights[width] if intercept else 0.0) + offsets
        value = counts @ (np.logaddexp(0, raw) - targets * raw)
        slope = counts * (1 / (1 + np.exp(-np.clip(raw, -500, 500))) - targets)
        gradient = np.concatenate([features.T @ slope, [slope.sum()] if intercept else []])
        gradient[:width] += apart / prior.variance
        return float(value + (apart**2 / prior.variance).sum() / 2), gradient

    bounds: list[tuple[float | None, float | None]] = [(0.0 if one else None, None) for one in prior.rising]
    bounds += [(None, None)] * intercept
    with one_thread():
        found = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds,
                         options={"maxiter": _ROUNDS})  # fmt: skip
    weights: Reals = found.x
    return weights
