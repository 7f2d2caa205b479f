"""Logistic regression with a Gaussian prior and sign constraints, for labels and for preferences."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.compute.threads import limit_blas_threads

VARIANCE = 3.0  # of the prior (Yih & Meek 2007)
_MAX_ITERATIONS = 500


@dataclass(frozen=True)
class Prior:
    """The Gaussian prior of each weight: mean 0, a variance, and whether negative values are excluded."""

    variance: Float64Array
    nonnegative: BoolArray


def fit_weights(
    features: Float64Array, sample_weight: Float64Array, targets: Float64Array, prior: Prior, intercept: bool
) -> Float64Array:
    """Maximum a posteriori weights by L-BFGS-B; the intercept, if any, comes last and has no prior.

    Targets t are from 0 to 1. The loss of a row is -t log p - (1 - t) log(1 - p), p = 1 / (1 + exp(-w x)).
    """
    width = features.shape[1]
    from scipy.optimize import minimize  # slow to import, and a service starts without

    def objective(weights: Float64Array) -> tuple[float, Float64Array]:
        logits = features @ weights[:width] + (weights[width] if intercept else 0.0)
        value = sample_weight @ (np.logaddexp(0, logits) - targets * logits)
        residuals = sample_weight * (1 / (1 + np.exp(-np.clip(logits, -500, 500))) - targets)
        gradient = np.concatenate([features.T @ residuals, [residuals.sum()] if intercept else []])
        gradient[:width] += weights[:width] / prior.variance
        return float(value + (weights[:width] ** 2 / prior.variance).sum() / 2), gradient

    bounds: list[tuple[float | None, float | None]] = [
        (0.0 if bound else None, None) for bound in prior.nonnegative
    ]
    bounds += [(None, None)] * intercept
    start = np.zeros(width + intercept)
    with limit_blas_threads():
        result = minimize(
            objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _MAX_ITERATIONS}
        )
    weights: Float64Array = result.x
    return weights
