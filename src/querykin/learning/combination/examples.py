"""What a combination learns from: one line a judged pair, or one a preference of two of them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.learning.preferences import comparable, weighted_preferences

Objective = Literal["preference", "metric"]


@dataclass(frozen=True)
class Examples:
    """Lines of features with the target of each, from 0 to 1, and how often it counts."""

    lines: Float64Array
    targets: Float64Array
    counts: Float64Array
    intercept: bool  # whether targets have a level of their own, which preferences do not

    @classmethod
    def of(
        cls, features: Float64Array, grades: Float64Array, groups: Int64Array, loss: Objective
    ) -> "Examples":
        """The examples of judged pairs: every group counts as much as an average one has pairs.

        The line of a preference is the better pair's features less the other's.
        """
        if loss == "preference":
            better, worse, counts = weighted_preferences(groups, grades)
            return cls(features[better] - features[worse], np.ones(len(better)), counts, False)
        _, owners = np.unique(comparable(grades, groups), return_inverse=True)
        sizes = np.bincount(owners)
        targets = (grades - grades.min()) / max(np.ptp(grades), 1e-12)
        return cls(features, targets, sizes.mean() / sizes[owners], True)

    @property
    def sizes(self) -> Float64Array:
        """How far each feature goes up and down, 1 where it does not: preferences do so around 0."""
        middle = self.lines.mean(axis=0) if self.intercept and len(self.lines) else 0.0
        found = np.sqrt(((self.lines - middle) ** 2).mean(axis=0)) if len(self.lines) else 0.0
        return np.where(np.broadcast_to(found, self.lines.shape[1]) > 0, found, 1.0)

    def mirrored(self) -> "Examples":
        """Preferences both ways round, for learners that do not know that one mirrors the other."""
        lines = np.concatenate([self.lines, -self.lines])
        targets = np.concatenate([self.targets, 1 - self.targets])
        return Examples(lines, targets, np.tile(self.counts, 2), False)
