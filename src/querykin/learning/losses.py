"""Losses over scores of judged pairs, each with its gradient.

A loss is constructed for judged pairs (a target from 0 to 1 and a group for each) and then called with
scores. It is the sum over groups of the mean within each: a query counts once, however many of its pairs were
judged.
"""

from abc import ABC, abstractmethod
from copy import copy

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.learning.preferences import sample_preferences
from querykin.registry import Registry

SHARPNESS = 10.0  # see Preference
_MIN_SHARPNESS, _MAX_SHARPNESS = 1.0, 100.0
_EPSILON = 1e-6  # keeps the log loss of a score of 0 or 1 finite

losses: Registry[type["Loss"]] = Registry("loss")


class Loss(ABC):
    """A differentiable loss of scores against targets."""

    def __init__(self, targets: Float64Array, groups: Int64Array, seed: int = 0) -> None:
        self.targets = targets
        self.shares, self.size = _group_shares(groups)

    @abstractmethod
    def __call__(self, scores: Float64Array) -> tuple[float, Float64Array]:
        """The loss, and its derivative with respect to each score."""

    def tuned(self, scores: Float64Array) -> "Loss":
        """The same loss with its parameters fitted to the scores that learning starts from."""
        return self


@losses.register("sse")
class SumOfSquares(Loss):
    """Squared error between score and grade: 1/2 (y - f)^2.

    >>> SumOfSquares(np.array([1.0, 0.0]), np.array([0, 0]))(np.array([0.5, 0.5]))
    (0.125, array([-0.25,  0.25]))
    """

    def __call__(self, scores: Float64Array) -> tuple[float, Float64Array]:
        """Half the squared error and its gradient."""
        errors = scores - self.targets
        return float(self.shares @ errors**2) / 2, self.shares * errors


@losses.register("log")
class LogLoss(Loss):
    """Cross-entropy with the score as a probability of relevance: -y log f - (1 - y) log(1 - f).

    >>> value, gradient = LogLoss(np.array([1.0]), np.array([0]))(np.array([0.5]))
    >>> round(value, 3), gradient.tolist()
    (0.693, [-2.0])
    """

    def __call__(self, scores: Float64Array) -> tuple[float, Float64Array]:
        """The negative log-likelihood of the grades and its gradient."""
        f = np.clip(scores, _EPSILON, 1 - _EPSILON)
        value = -self.shares @ (self.targets * np.log(f) + (1 - self.targets) * np.log1p(-f))
        gradient: Float64Array = np.where(f == scores, (f - self.targets) / (f * (1 - f)), 0.0)
        return float(value), self.shares * gradient


@losses.register("preference")
class Preference(Loss):
    """Logistic loss over preferences within a group: log(1 + exp(-D)).

    D is the difference of the two scores times a factor, the sharpness, which Yih (2009) does not have.
    Cosines differ by less than 1, where log(1 + exp(-D)) is almost linear: large correct differences would
    count as much as small errors. The factor is 10 or, once tuned, the one under which the preferences are
    most likely given the initial scores, from 1 to 100. A larger one would reward weights that make all
    scores equal.

    >>> value, gradient = Preference(np.array([1.0, 0.0]), np.array([0, 0]))(np.array([0.3, 0.3]))
    >>> round(value, 3), gradient.tolist()
    (0.693, [-5.0, 5.0])
    """

    def __init__(self, targets: Float64Array, groups: Int64Array, seed: int = 0) -> None:
        super().__init__(targets, groups, seed)
        self.better, self.worse = sample_preferences(targets, groups, seed)
        self.shares, self.size = _group_shares(groups[self.better])
        self.sharpness = SHARPNESS

    def __call__(self, scores: Float64Array) -> tuple[float, Float64Array]:
        """The loss over the sampled preferences and its gradient."""
        margins = self.sharpness * (scores[self.better] - scores[self.worse])
        slopes = self.shares * self.sharpness / (1 + np.exp(margins))
        of_worse = np.bincount(self.worse, slopes, len(scores)).astype(np.float64)
        gradient = of_worse - np.bincount(self.better, slopes, len(scores))
        return float(self.shares @ np.logaddexp(0, -margins)), gradient

    def tuned(self, scores: Float64Array) -> "Preference":
        """With the sharpness that makes the preferences most likely under these scores."""
        differences = scores[self.better] - scores[self.worse]

        def negative_log_likelihood(log_sharpness: float) -> float:
            return float(self.shares @ np.logaddexp(0, -np.exp(log_sharpness) * differences))

        tuned = copy(self)
        if len(differences):
            from scipy.optimize import minimize_scalar  # slow to import, and a service starts without

            bounds = float(np.log(_MIN_SHARPNESS)), float(np.log(_MAX_SHARPNESS))
            best = minimize_scalar(negative_log_likelihood, bounds=bounds, method="bounded").x
            tuned.sharpness = float(np.exp(best))
        return tuned


def _group_shares(groups: Int64Array) -> tuple[Float64Array, int]:
    """One over the size of each row's group, and the number of groups."""
    _, owners, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    return 1 / sizes[owners], len(sizes)
