"""How wrong are scores? The losses that learners make small, each with its gradient.

A loss is made for judged pairs (how alike each is, from 0 to 1, and its group) and then asked about scores.
It is the sum over groups of the mean within each: a query counts once, however many of its pairs were judged.
"""

from abc import ABC, abstractmethod
from copy import copy

import numpy as np
from scipy.optimize import minimize_scalar

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.registry import Registry

PAIRS_OF_A_GROUP = 300  # preferences drawn from one group
SHARPNESS = 10.0  # see Preference
_BLUNTEST, _SHARPEST = 1.0, 100.0
_LEAST = 1e-6  # a score of 0 or 1 would make the log loss infinite

losses: Registry[type["Loss"]] = Registry("loss")


class Loss(ABC):
    """How far scores are from what was judged."""

    def __init__(self, targets: Float64Array, groups: Int64Array, seed: int = 0) -> None:
        self.targets = targets
        self.shares, self.size = _shares(groups)

    @abstractmethod
    def __call__(self, scores: Float64Array) -> tuple[float, Float64Array]:
        """The loss, and how it changes with each score."""

    def tuned(self, scores: Float64Array) -> "Loss":
        """The same loss, made fit for learning that begins with these scores."""
        return self


@losses.register("sse")
class SumOfSquares(Loss):
    """The score shall be the grade: 1/2 (y - f)^2.

    >>> SumOfSquares(np.array([1.0, 0.0]), np.array([0, 0]))(np.array([0.5, 0.5]))
    (0.125, array([-0.25,  0.25]))
    """

    def __call__(self, scores: Float64Array) -> tuple[float, Float64Array]:
        """Half the squared distance."""
        apart = scores - self.targets
        return float(self.shares @ apart**2) / 2, self.shares * apart


@losses.register("log")
class LogLoss(Loss):
    """The score shall be the chance that the pair is alike: -y log f - (1 - y) log(1 - f).

    >>> value, gradient = LogLoss(np.array([1.0]), np.array([0]))(np.array([0.5]))
    >>> round(value, 3), gradient.tolist()
    (0.693, [-2.0])
    """

    def __call__(self, scores: Float64Array) -> tuple[float, Float64Array]:
        """The negative log-likelihood of the grades."""
        kept = np.clip(scores, _LEAST, 1 - _LEAST)
        value = -self.shares @ (self.targets * np.log(kept) + (1 - self.targets) * np.log1p(-kept))
        gradient: Float64Array = np.where(kept == scores, (kept - self.targets) / (kept * (1 - kept)), 0.0)
        return float(value), self.shares * gradient


@losses.register("preference")
class Preference(Loss):
    """The better pair of a group shall have the higher score: log(1 + exp(-D)).

    D is a multiple of the difference. Cosines differ by less than 1, and there log(1 + exp(-D)) is nearly a
    straight line: what is right by far would count as much as what is wrong by little. Hence the factor that
    the paper lacks: ten, or, once tuned, what makes the preferences most likely under the first
    scores, from 1 to 100. Too large a factor would reward weights that make all scores equal.

    >>> value, gradient = Preference(np.array([1.0, 0.0]), np.array([0, 0]))(np.array([0.3, 0.3]))
    >>> round(value, 3), gradient.tolist()
    (0.693, [-5.0, 5.0])
    """

    def __init__(self, targets: Float64Array, groups: Int64Array, seed: int = 0) -> None:
        super().__init__(targets, groups, seed)
        self.better, self.worse = sample_preferences(targets, groups, seed)
        self.shares, self.size = _shares(groups[self.better])
        self.sharpness = SHARPNESS

    def __call__(self, scores: Float64Array) -> tuple[float, Float64Array]:
        """What the preferences that were drawn say."""
        ahead = self.sharpness * (scores[self.better] - scores[self.worse])
        share = self.shares * self.sharpness / (1 + np.exp(ahead))
        lowered = np.bincount(self.worse, share, len(scores)).astype(np.float64)
        gradient = lowered - np.bincount(self.better, share, len(scores))
        return float(self.shares @ np.logaddexp(0, -ahead)), gradient

    def tuned(self, scores: Float64Array) -> "Preference":
        """With the factor that makes the preferences most likely under these scores."""
        ahead = scores[self.better] - scores[self.worse]

        def surprise(logarithm: float) -> float:
            return float(self.shares @ np.logaddexp(0, -np.exp(logarithm) * ahead))

        found = copy(self)
        if len(ahead):
            limits = float(np.log(_BLUNTEST)), float(np.log(_SHARPEST))
            found.sharpness = float(np.exp(minimize_scalar(surprise, bounds=limits, method="bounded").x))
        return found


def _shares(groups: Int64Array) -> tuple[Float64Array, int]:
    """The share that each row has of its group, and the number of groups."""
    _, owners, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    return 1 / sizes[owners], len(sizes)


def sample_preferences(
    targets: Float64Array, groups: Int64Array, seed: int = 0, most: int = PAIRS_OF_A_GROUP
) -> tuple[Int64Array, Int64Array]:
    """Places of the better and the worse of two pairs of a group; of many such preferences a random part.

    >>> better, worse = sample_preferences(np.array([0.0, 1.0, 1.0, 1.0]), np.array([7, 7, 7, 8]))
    >>> better.tolist(), worse.tolist()
    ([1, 2], [0, 0])
    """
    rng = np.random.default_rng(seed)
    order = np.argsort(groups, kind="stable")
    borders = np.flatnonzero(np.diff(groups[order])) + 1
    better, worse = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for rows in np.split(order, borders):
        high, low = np.nonzero(targets[rows][:, None] > targets[rows][None, :])
        if len(high) > most:
            drawn = np.sort(rng.permutation(len(high))[:most])
            high, low = high[drawn], low[drawn]
        better.append(rows[high])
        worse.append(rows[low])
    return np.concatenate(better), np.concatenate(worse)
