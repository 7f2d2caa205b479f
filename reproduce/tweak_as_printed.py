"""The learner of TWEAK as Yih (2009) prints it, beside ours in `querykin.learning.tweak`.

Every pair counts once, not every query; the penalty is alpha/2 |w|^2; a preference has the loss log(1 + exp(-D)) with D
the plain difference of two cosines; the penalty is the one that is best on the development queries.
"""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.learning.losses import LogLoss, Loss, Preference, SumOfSquares
from querykin.learning.tweak.fitting import Tweak
from querykin.learning.tweak.term_pairs import TermPairs


class PrintedSumOfSquares(SumOfSquares):
    """Equation 4: the sum over pairs."""

    def __init__(self, targets: Float64Array, groups: Int64Array, seed: int = 0) -> None:
        super().__init__(targets, groups, seed)
        self.shares, self.size = np.ones(len(targets)), len(targets)


class PrintedLogLoss(LogLoss):
    """Equation 5: the sum over pairs."""

    def __init__(self, targets: Float64Array, groups: Int64Array, seed: int = 0) -> None:
        super().__init__(targets, groups, seed)
        self.shares, self.size = np.ones(len(targets)), len(targets)


class PrintedPreference(Preference):
    """Equation 6: the sum over preferences, of the differences as they are."""

    def __init__(self, targets: Float64Array, groups: Int64Array, seed: int = 0) -> None:
        super().__init__(targets, groups, seed)
        self.shares, self.size = np.ones(len(self.better)), max(1, len(self.better))
        self.sharpness = 1.0

    def tuned(self, scores: Float64Array) -> "PrintedPreference":
        """Nothing is tuned."""
        return self


LOSSES: dict[str, type[Loss]] = {
    "sse": PrintedSumOfSquares,
    "log": PrintedLogLoss,
    "preference": PrintedPreference,
}


@dataclass(frozen=True)
class PrintedTweak(Tweak):
    """The printed losses and penalty; weights start where ours do, close to tf idf."""

    def prepare(
        self, pairs: TermPairs, targets: Float64Array, groups: Int64Array, rows: Int64Array
    ) -> tuple[TermPairs, Loss]:
        """These pairs, and the printed loss over them."""
        return pairs.take(rows), LOSSES[self.loss](targets[rows], groups[rows], self.seed)

    def choose(self, accuracies: Float64Array) -> int:
        """The penalty with the best mean accuracy on the development queries."""
        defined = accuracies[:, ~np.isnan(accuracies[0])]
        return int(np.argmax(defined.mean(axis=1))) if defined.size else 0

    def objective(
        self, w: Float64Array, pairs: TermPairs, loss: Loss, alpha: float
    ) -> tuple[float, Float64Array]:
        """The loss and alpha/2 |w|^2, and the gradient of both."""
        scores, backward = pairs.forward(w)
        value, score_gradient = loss(scores)
        return value + alpha / 2 * float(w @ w), backward.gradient(score_gradient) + alpha * w
