"""Weights of term features learnt from judged pairs (Yih 2009): L-BFGS on a loss of the cosine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.errors import InputError
from querykin.learning.losses import Loss, losses
from querykin.learning.preferences import comparable, one_standard_error_rule, pairwise_accuracy
from querykin.learning.tweak.term_pairs import TermPairs

ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)  # strengths of the penalty to choose from
DEVELOPMENT = 0.05  # share of the groups that choose
LEAST = 10  # groups that choose, if that is not more than a quarter of all
_STEPS = 200  # of the optimiser, at most
_SMALLEST_GAIN = 1e-6  # a step that gains less, as a share of the loss, is the last one


@dataclass(frozen=True)
class Fit:
    """Weights of features, the penalty they were learnt under, and how groups held out to choose it fare."""

    weights: Float64Array
    alpha: float
    development: float  # the share of their preferences in the right order


@dataclass(frozen=True)
class Tweak:
    """Learns weights that start from `start` and stay near it.

    The cosine does not change when all weights are multiplied by a number, so the printed penalty,
    alpha/2 |w|^2, could only shrink them. Ours is alpha/2 |w - start|^2, each weight in units of its
    feature's size: otherwise a feature that is small by nature would pay more for the same effect.
    """

    start: Float64Array
    loss: str
    seed: int = 0

    def learn(
        self,
        pairs: TermPairs,
        targets: Float64Array,
        groups: Int64Array,
        done: Callable[[int], None] = lambda steps: None,
    ) -> Fit:
        """Choose the penalty on some groups, then learn from all; pairs without terms teach nothing.

        The strongest wins whose order of those groups is within a standard error of the best one.
        """
        known = np.flatnonzero(pairs.covered)
        check_learnable(targets[known], groups[known])
        held_out = development(targets, groups, self.seed)[known]
        train, choosing = self._part(pairs, targets, groups, known[~held_out]), known[held_out]
        judge, compared = pairs.take(choosing), comparable(targets[choosing], groups[choosing])
        weights, found, ordered = self.start, [], []
        for alpha in ALPHAS:  # from strong to weak: each starts where the one before ended
            weights = self.minimize_loss(*train, alpha, weights)
            found.append(weights)
            ordered.append(pairwise_accuracy(judge.forward(weights)[0], targets[choosing], compared))
            done(1)
        best = one_standard_error_rule(np.array(ordered))
        whole = self._part(pairs, targets, groups, known)
        done(1)
        weights = self._sized(self.minimize_loss(*whole, ALPHAS[best], found[best]), whole[0].sizes)
        share = ordered[best][~np.isnan(ordered[best])]
        return Fit(weights, ALPHAS[best], float(share.mean()) if len(share) else 0.5)

    def _sized(self, weights: Float64Array, sizes: Float64Array) -> Float64Array:
        """The same scores by weights about as large as those of the start, for people to compare."""
        length = float(np.linalg.norm(weights * sizes))
        return weights * (float(np.linalg.norm(self.start * sizes)) / length) if length else weights

    def _part(
        self, pairs: TermPairs, targets: Float64Array, groups: Int64Array, rows: Int64Array
    ) -> tuple[TermPairs, Loss]:
        taken = pairs.take(rows)
        loss = losses[self.loss](targets[rows], groups[rows], self.seed)
        return taken, loss.tuned(taken.forward(self.start)[0])

    def minimize_loss(self, pairs: TermPairs, loss: Loss, alpha: float, begin: Float64Array) -> Float64Array:
        """The weights that make the loss and the penalty smallest, near where the search begins."""
        sizes = pairs.sizes

        def scaled(x: Any) -> Any:
            value, gradient = self.objective(x / sizes, pairs, loss, alpha)
            return value / loss.size, gradient / sizes / loss.size

        limits: Any = {"maxiter": _STEPS, "ftol": _SMALLEST_GAIN}
        found = minimize(scaled, begin * sizes, jac=True, method="L-BFGS-B", options=limits)
        return np.asarray(found.x / sizes, np.float64)

    def objective(
        self, w: Float64Array, pairs: TermPairs, loss: Loss, alpha: float
    ) -> tuple[float, Float64Array]:
        """The loss with its penalty, and the gradient."""
        scores, back = pairs.forward(w)
        value, by_score = loss(scores)
        apart = (w - self.start) * pairs.sizes
        return value + alpha / 2 * float(apart @ apart), back.gradient(by_score) + alpha * apart * pairs.sizes


def development(
    targets: Float64Array, groups: Int64Array, seed: int, share: float = DEVELOPMENT
) -> BoolArray:
    """Which rows choose the penalty: whole groups, at least one, if possible with different grades."""
    names = np.unique(groups)
    spread = np.array([np.ptp(targets[groups == name]) > 0 for name in names])
    chosen = names[spread] if spread.sum() > 1 else names
    count = max(1, round(share * len(names)), min(LEAST, len(names) // 4))
    drawn = np.random.default_rng(seed).permutation(chosen)[:count]
    return np.isin(groups, drawn)


def check_learnable(targets: Float64Array, groups: Int64Array) -> None:
    """Complain about pairs that teach nothing."""
    if len(targets) == 0:
        raise InputError("the corpus covers none of the judged pairs; add documents on what they are about")
    if np.ptp(targets) == 0:
        raise InputError(
            "all pairs have the same grade; learning needs pairs that are alike and pairs that are not"
        )
    if len(np.unique(groups)) < 2:
        raise InputError(
            "all pairs belong to one group; learning needs two or more queries, one to choose on"
        )
