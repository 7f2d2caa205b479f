"""How wrong are scores? The losses that learners make small, each with its gradient.

A loss is made for judged pairs (how alike each is, from 0 to 1, and its group) and then asked about scores.
"""

from abc import ABC, abstractmethod

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.registry import Registry

PAIRS_OF_A_GROUP = 300  # preferences drawn from one group
SHARPNESS = 10.0  # see Preference
_LEAST = 1e-6  # a score of 0 or 1 would make the log loss infinite

losses: Registry[type["Loss"]] = Registry("loss")


class Loss(ABC):
    """How far scores are from what was judged."""

    def __init__(self, targets: Reals, groups: Longs, seed: int = 0) -> None:
        self.targets = targets

    @abstractmethod
    def __call__(self, scores: Reals) -> tuple[float, Reals]:
        """The loss, and how it changes with each score."""

    @property
    def size(self) -> int:
        """The number of judgements that the loss is a sum over."""
        return len(self.targets)


@losses.register("sse")
class SumOfSquares(Loss):
    """The score shall be the grade: 1/2 (y - f)^2.

    >>> SumOfSquares(np.array([1.0, 0.0]), np.array([0, 0]))(np.array([0.5, 0.5]))
    (0.25, array([-0.5,  0.5]))
    """

    def __call__(self, scores: Reals) -> tuple[float, Reals]:
        """Half the squared distance."""
        apart = scores - self.targets
        return float(apart @ apart) / 2, apart


@losses.register("log")
class LogLoss(Loss):
    """The score shall be the chance that the pair is alike: -y log f - (1 - y) log(1 - f).

    >>> value, gradient = LogLoss(np.array([1.0]), np.array([0]))(np.array([0.5]))
    >>> round(value, 3), gradient.tolist()
    (0.693, [-2.0])
    """

    def __call__(self, scores: Reals) -> tuple[float, Reals]:
        """The negative log-likelihood of the grades."""
        kept = np.clip(scores, _LEAST, 1 - _LEAST)
        value = -(self.targets * np.log(kept) + (1 - self.targets) * np.log1p(-kept)).sum()
        gradient: Reals = np.where(kept == scores, (kept - self.targets) / (kept * (1 - kept)), 0.0)
        return float(value), gradient


@losses.register("preference")
class Preference(Loss):
    """The better pair of a group shall have the higher score: log(1 + exp(-D)), D ten times the difference.

    Cosines differ by less than 1, and there log(1 + exp(-D)) is nearly a straight line: what is right by far
    would count as much as what is wrong by little. Hence the factor, which the paper does not have.

    >>> value, gradient = Preference(np.array([1.0, 0.0]), np.array([0, 0]))(np.array([0.3, 0.3]))
    >>> round(value, 3), gradient.tolist()
    (0.693, [-5.0, 5.0])
    """

    def __init__(self, targets: Reals, groups: Longs, seed: int = 0) -> None:
        super().__init__(targets, groups, seed)
        self.better, self.worse = preferences(targets, groups, seed)

    def __call__(self, scores: Reals) -> tuple[float, Reals]:
        """The sum over the preferences that were drawn."""
        ahead = SHARPNESS * (scores[self.better] - scores[self.worse])
        share = SHARPNESS / (1 + np.exp(ahead))
        lowered = np.bincount(self.worse, share, len(scores)).astype(np.float64)
        gradient = lowered - np.bincount(self.better, share, len(scores))
        return float(np.logaddexp(0, -ahead).sum()), gradient

    @property
    def size(self) -> int:
        """The number of preferences."""
        return len(self.better)


def preferences(
    targets: Reals, groups: Longs, seed: int = 0, most: int = PAIRS_OF_A_GROUP
) -> tuple[Longs, Longs]:
    """Places of the better and the worse of two pairs of a group; of many such preferences a random part.

    >>> better, worse = preferences(np.array([0.0, 1.0, 1.0, 1.0]), np.array([7, 7, 7, 8]))
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
