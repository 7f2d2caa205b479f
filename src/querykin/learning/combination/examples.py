"""Training examples of a combination: one row per judged pair, or one per preference between two pairs."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.learning.preferences import comparable, weighted_preferences

Objective = Literal["preference", "metric"]


@dataclass(frozen=True)
class Examples:
    """Rows of features with a target from 0 to 1 and a sample weight each."""

    rows: Float64Array
    targets: Float64Array
    sample_weight: Float64Array
    intercept: bool  # whether the model has one: differences of features have none

    @classmethod
    def of(
        cls, features: Float64Array, grades: Float64Array, groups: Int64Array, objective: Objective
    ) -> "Examples":
        """The examples of judged pairs; the weights of every group sum to the mean group size.

        The row of a preference is the better pair's features minus the worse pair's.
        """
        if objective == "preference":
            better, worse, weights = weighted_preferences(grades, groups)
            return cls(features[better] - features[worse], np.ones(len(better)), weights, False)
        _, owners = np.unique(comparable(grades, groups), return_inverse=True)
        sizes = np.bincount(owners)
        targets = (grades - grades.min()) / max(np.ptp(grades), 1e-12)
        return cls(features, targets, sizes.mean() / sizes[owners], True)

    @property
    def scales(self) -> Float64Array:
        """Standard deviation of each feature, 1 for a constant one; around 0 for preferences."""
        center = self.rows.mean(axis=0) if self.intercept and len(self.rows) else 0.0
        deviations = np.sqrt(((self.rows - center) ** 2).mean(axis=0)) if len(self.rows) else 0.0
        return np.where(np.broadcast_to(deviations, self.rows.shape[1]) > 0, deviations, 1.0)

    def mirrored(self) -> "Examples":
        """Preferences in both directions, for learners that are not antisymmetric by construction."""
        rows = np.concatenate([self.rows, -self.rows])
        targets = np.concatenate([self.targets, 1 - self.targets])
        return Examples(rows, targets, np.tile(self.sample_weight, 2), False)
