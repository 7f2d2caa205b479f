"""Fitting of term-feature weights to judged pairs (Yih 2009): L-BFGS on a loss of the cosine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.compute.threads import limit_blas_threads
from querykin.errors import InputError
from querykin.learning.losses import Loss, losses
from querykin.learning.preferences import comparable, one_standard_error_rule, pairwise_accuracy
from querykin.learning.tweak.term_pairs import TermPairs

ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)  # candidate strengths of the penalty
DEVELOPMENT = 0.05  # share of the groups that the strength is chosen on
MIN_DEVELOPMENT = 10  # groups, as long as that is at most a quarter of all
_MAX_ITERATIONS = 200
_TOLERANCE = 1e-6  # relative improvement of the loss below which the optimizer stops


@dataclass(frozen=True)
class Fit:
    """Fitted weights, the strength of their penalty, and the accuracy on the development groups."""

    weights: Float64Array
    alpha: float
    development: float  # mean pairwise accuracy


@dataclass(frozen=True)
class Tweak:
    """Learner of term-feature weights, regularized towards `start`.

    The cosine is invariant to the scale of the weights, so that the printed penalty, alpha/2 |w|^2, could
    only shrink them. Ours is alpha/2 |w - start|^2 with each weight in units of its feature's root mean
    square: otherwise a feature with small values would be penalized more for the same effect.
    """

    start: Float64Array
    loss: str
    seed: int = 0

    @limit_blas_threads()
    def learn(
        self,
        pairs: TermPairs,
        targets: Float64Array,
        groups: Int64Array,
        done: Callable[[int], None] = lambda steps: None,
    ) -> Fit:
        """Choose the penalty on development groups, then fit to all pairs whose two texts have terms.

        The strongest penalty wins whose pairwise accuracy is within one standard error of the best.
        """
        covered = np.flatnonzero(pairs.covered)
        check_learnable(targets[covered], groups[covered])
        in_development = development(targets, groups, self.seed)[covered]
        train = self.prepare(pairs, targets, groups, covered[~in_development])
        rows = covered[in_development]
        test, test_groups = pairs.take(rows), comparable(targets[rows], groups[rows])
        weights, path, accuracies = self.start, [], []
        for alpha in ALPHAS:  # from strong to weak, each with a warm start from the previous solution
            weights = self.minimize_loss(*train, alpha, weights)
            path.append(weights)
            accuracies.append(pairwise_accuracy(test.forward(weights)[0], targets[rows], test_groups))
            done(1)
        best = self.choose(np.array(accuracies))
        all_pairs = self.prepare(pairs, targets, groups, covered)
        done(1)
        weights = self.minimize_loss(*all_pairs, ALPHAS[best], path[best])
        weights = self._rescaled(weights, all_pairs[0].scales)
        defined = accuracies[best][~np.isnan(accuracies[best])]
        return Fit(weights, ALPHAS[best], float(defined.mean()) if len(defined) else 0.5)

    def choose(self, accuracies: Float64Array) -> int:
        """The row of the penalty to take; strong penalties are first, columns are development groups."""
        return one_standard_error_rule(accuracies)

    def _rescaled(self, weights: Float64Array, scales: Float64Array) -> Float64Array:
        """The weights scaled to the length of the start, for readers; the cosines are the same."""
        length = float(np.linalg.norm(weights * scales))
        return weights * (float(np.linalg.norm(self.start * scales)) / length) if length else weights

    def prepare(
        self, pairs: TermPairs, targets: Float64Array, groups: Int64Array, rows: Int64Array
    ) -> tuple[TermPairs, Loss]:
        """These pairs, and the loss over them."""
        selected = pairs.take(rows)
        loss = losses[self.loss](targets[rows], groups[rows], self.seed)
        return selected, loss.tuned(selected.forward(self.start)[0])

    def minimize_loss(self, pairs: TermPairs, loss: Loss, alpha: float, begin: Float64Array) -> Float64Array:
        """Minimize loss and penalty by L-BFGS from the weights `begin`."""
        scales = pairs.scales

        def scaled(x: Any) -> Any:
            value, gradient = self.objective(x / scales, pairs, loss, alpha)
            return value / loss.size, gradient / scales / loss.size

        options: Any = {"maxiter": _MAX_ITERATIONS, "ftol": _TOLERANCE}
        from scipy.optimize import minimize  # slow to import, and a service starts without

        result = minimize(scaled, begin * scales, jac=True, method="L-BFGS-B", options=options)
        return np.asarray(result.x / scales, np.float64)

    def objective(
        self, w: Float64Array, pairs: TermPairs, loss: Loss, alpha: float
    ) -> tuple[float, Float64Array]:
        """The loss with its penalty, and the gradient of both."""
        scores, backward = pairs.forward(w)
        value, score_gradient = loss(scores)
        shift = (w - self.start) * pairs.scales
        gradient = backward.gradient(score_gradient) + alpha * shift * pairs.scales
        return value + alpha / 2 * float(shift @ shift), gradient


def development(
    targets: Float64Array, groups: Int64Array, seed: int, share: float = DEVELOPMENT
) -> BoolArray:
    """Mask of the development rows: whole groups, at least one, with different grades where possible."""
    names = np.unique(groups)
    varied = np.array([np.ptp(targets[groups == name]) > 0 for name in names])
    eligible = names[varied] if varied.sum() > 1 else names
    count = max(1, round(share * len(names)), min(MIN_DEVELOPMENT, len(names) // 4))
    drawn = np.random.default_rng(seed).permutation(eligible)[:count]
    return np.isin(groups, drawn)


def check_learnable(targets: Float64Array, groups: Int64Array) -> None:
    """Raise if nothing can be learned from these pairs."""
    if len(targets) == 0:
        raise InputError("the corpus covers none of the judged pairs; add documents about their subjects")
    if np.ptp(targets) == 0:
        raise InputError("all pairs have the same grade; learning needs similar pairs and dissimilar ones")
    if len(np.unique(groups)) < 2:
        raise InputError("all pairs belong to one group; learning needs two or more queries, one to hold out")
