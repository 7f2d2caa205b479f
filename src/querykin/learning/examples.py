"""What a combination learns from: one line a judged pair, or one a preference of two of them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.learning.preferences import comparable, preferences

Loss = Literal["preference", "metric"]


@dataclass(frozen=True)
class Examples:
    """Lines of features with the target of each, from 0 to 1, how often it counts, and what it starts from.

    `offsets` are log odds that are known before any feature is looked at.
    """

    lines: Reals
    targets: Reals
    counts: Reals
    offsets: Reals | float = 0.0

    @classmethod
    def of(cls, features: Reals, grades: Reals, groups: Longs, loss: Loss) -> "Examples":
        """The examples of judged pairs: every group counts as much as an average one has pairs.

        The line of a preference is the better pair's features less the other's.
        """
        if loss == "preference":
            better, worse, counts = preferences(groups, grades)
            return cls(features[better] - features[worse], np.ones(len(better)), counts)
        _, owners = np.unique(comparable(grades, groups), return_inverse=True)
        sizes = np.bincount(owners)
        targets = (grades - grades.min()) / max(np.ptp(grades), 1e-12)
        return cls(features, targets, sizes.mean() / sizes[owners])

    def within(self, grades: Reals, groups: Longs) -> "Examples":
        """The same pairs, each compared with the mean of its group: its odds start from the group's share.

        Queries differ in how much of what they are offered is relevant: no feature shall get the credit.
        """
        _, owners = np.unique(comparable(grades, groups), return_inverse=True)
        sizes = np.bincount(owners)
        means = np.array([np.bincount(owners, column) / sizes for column in self.lines.T]).T
        # As if one more pair had been seen in each group, an average one: no group is all good or all bad.
        shares = (np.bincount(owners, self.targets) + self.targets.mean()) / (sizes + 1)
        shares = np.clip(shares, _SURE, 1 - _SURE)
        offsets = np.log(shares / (1 - shares))
        return Examples(self.lines - means[owners], self.targets, self.counts, offsets[owners])

    @property
    def sizes(self) -> Reals:
        """How large each feature is, 1 where it is nothing."""
        found = np.sqrt((self.lines**2).mean(axis=0)) if len(self.lines) else np.zeros(self.lines.shape[1])
        return np.where(found > 0, found, 1.0)

    def mirrored(self) -> "Examples":
        """Preferences both ways round, for learners that do not know that one mirrors the other."""
        lines = np.concatenate([self.lines, -self.lines])
        targets = np.concatenate([self.targets, 1 - self.targets])
        return Examples(lines, targets, np.tile(self.counts, 2))


_SURE = 1e-6
