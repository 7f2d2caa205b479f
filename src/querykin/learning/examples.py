"""What a combination learns from: one line a judged pair, or one a preference of two of them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.learning.preferences import comparable, preferences

Loss = Literal["preference", "metric"]


@dataclass(frozen=True)
class Examples:
    """Lines of features with the target of each, from 0 to 1, and how often it counts.

    Lines of a preference are the better pair's features less the other's. Those of pairs belong to groups,
    which differ in how much of them is relevant.
    """

    lines: Reals
    targets: Reals
    counts: Reals
    groups: Longs | None

    @classmethod
    def of(cls, features: Reals, grades: Reals, groups: Longs, loss: Loss) -> "Examples":
        """The examples of judged pairs: every group counts as much as an average one has pairs."""
        if loss == "preference":
            better, worse, counts = preferences(groups, grades)
            return cls(features[better] - features[worse], np.ones(len(better)), counts, None)
        _, owners = np.unique(comparable(grades, groups), return_inverse=True)
        targets = (grades - grades.min()) / max(np.ptp(grades), 1e-12)
        sizes = np.bincount(owners)
        return cls(features, targets, sizes.mean() / sizes[owners], owners)

    @property
    def sizes(self) -> Reals:
        """How far each feature goes up and down, within groups where there are some."""
        inside = self.lines if self.groups is None else self.lines - _means(self.lines, self.groups)
        found = np.sqrt((inside**2).mean(axis=0)) if len(inside) else np.zeros(inside.shape[1])
        return np.where(found > 0, found, 1.0)

    def mirrored(self) -> "Examples":
        """Preferences both ways round, for learners that do not know that one mirrors the other."""
        lines = np.concatenate([self.lines, -self.lines])
        targets = np.concatenate([self.targets, 1 - self.targets])
        return Examples(lines, targets, np.tile(self.counts, 2), None)


def _means(lines: Reals, groups: Longs) -> Reals:
    """For each line the mean of its group."""
    sums = np.array([np.bincount(groups, column) for column in lines.T]).T
    found: Reals = (sums / np.bincount(groups)[:, None])[groups]
    return found
