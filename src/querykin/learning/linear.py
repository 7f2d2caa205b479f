"""Weights of features by logistic regression with a Gaussian prior, for labels and for preferences."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.compute.threads import limit_blas_threads

VARIANCE = 3.0  # of the prior (Yih & Meek 2007)
_ROUNDS = 500


@dataclass(frozen=True)
class Prior:
    """What is believed of weights before any label: their variance around 0, and which are not negative."""

    variance: Float64Array
    rising: BoolArray


def fit_weights(
    features: Float64Array, counts: Float64Array, targets: Float64Array, prior: Prior, intercept: bool
) -> Float64Array:
    """Weights that make targets, from 0 to 1, most likely; the intercept, if any, comes last and is free.

    Each line counts `counts` times. The loss is -t log p - (1 - t) log(1 - p) with p = 1 / (1 + exp(-w x)).
    """
    width = features.shape[1]
    size = width + intercept

    def loss(weights: Float64Array) -> tuple[float, Float64Array]:
        raw = features @ weights[:width] + (weights[width] if intercept else 0.0)
        value = counts @ (np.logaddexp(0, raw) - targets * raw)
        slope = counts * (1 / (1 + np.exp(-np.clip(raw, -500, 500))) - targets)
        gradient = np.concatenate([features.T @ slope, [slope.sum()] if intercept else []])
        gradient[:width] += weights[:width] / prior.variance
        return float(value + (weights[:width] ** 2 / prior.variance).sum() / 2), gradient

    bounds: list[tuple[float | None, float | None]] = [(0.0 if one else None, None) for one in prior.rising]
    bounds += [(None, None)] * intercept
    with limit_blas_threads():
        found = minimize(
            loss, np.zeros(size), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _ROUNDS}
        )
    weights: Float64Array = found.x
    return weights
