"""Weights of features by logistic regression with a Gaussian prior, for labels and for preferences."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from querykin.compiled import Bools, Longs, Reals, one_thread

VARIANCE = 3.0  # of the prior (Yih & Meek 2007)
_ROUNDS = 500


@dataclass(frozen=True)
class Prior:
    """What is believed of weights before any label: near what and how near, and which are not negative."""

    variance: Reals
    rising: Bools
    mean: Reals | float = 0.0


def fit_weights(features: Reals, counts: Reals, targets: Reals, prior: Prior, intercept: bool,
                groups: Longs | None = None) -> Reals:  # fmt: skip
    """Weights that make targets, from 0 to 1, most likely; the intercept, if any, comes last and is free.

    Each line counts `counts` times. The loss is -t log p - (1 - t) log(1 - p) with p = 1 / (1 + exp(-w x)).
    With `groups`, numbers from 0 on, each group's lines are shifted by a number of its own around 0, under
    the paper's prior: what makes a whole group high or low is then not put down to features.
    """
    width, several = features.shape[1], 0 if groups is None else int(groups.max(initial=-1)) + 1
    begin = np.zeros(width + intercept + several)
    begin[:width] = np.where(prior.rising, np.maximum(prior.mean, 0.0), prior.mean)

    def loss(point: Reals) -> tuple[float, Reals]:
        apart, shifts = point[:width] - prior.mean, point[width + intercept :]
        raw = features @ point[:width] + (point[width] if intercept else 0.0)
        raw += shifts[groups] if groups is not None else 0.0
        value = counts @ (np.logaddexp(0, raw) - targets * raw)
        slope = counts * (1 / (1 + np.exp(-np.clip(raw, -500, 500))) - targets)
        by_group = np.bincount(groups, slope, several) if groups is not None else shifts
        parts = [features.T @ slope + apart / prior.variance, by_group + shifts / VARIANCE]
        parts[1:1] = [slope.sum(keepdims=True)] if intercept else []
        penalty = (apart**2 / prior.variance).sum() + (shifts**2).sum() / VARIANCE
        return float(value + penalty / 2), np.concatenate(parts)

    bounds: list[tuple[float | None, float | None]] = [(0.0 if one else None, None) for one in prior.rising]
    bounds += [(None, None)] * (intercept + several)
    with one_thread():
        found = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds,
                         options={"maxiter": _ROUNDS})  # fmt: skip
    weights: Reals = found.x[: width + intercept]
    return weights
