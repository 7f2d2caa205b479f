"""Contributions as bars on an absolute axis, for the terminal and the pages."""

from dataclasses import dataclass
from math import isnan

from querykin.types import Contribution, Explanation


@dataclass(frozen=True)
class ContributionBars:
    """The largest contributions and the sum of the others, on an axis from `begin` to `end` with 0 on it.

    Under a measure of scores up to 1 the axis ends at 1, so that the length of a bar is the share itself and
    not its part of the largest one: weak evidence has short bars. Under others (counts, tiers, log
    probabilities) it reaches as far as the score. Shares beyond either end extend it.
    """

    shown: tuple[Contribution, ...]
    rest: Contribution | None  # the sum of those that are not shown
    begin: float
    end: float

    @classmethod
    def of(cls, explanation: Explanation, limit: int) -> "ContributionBars":
        """The bars of the largest contributions, `limit` at most, and of the rest.

        >>> found = Explanation("a", "b", "dense", 0.5, (Contribution("x", 0.7), Contribution("y", -0.2)))
        >>> bars = ContributionBars.of(found, 1)
        >>> bars.rest, bars.begin, bars.end
        (Contribution(term='1 more', share=-0.2, part=''), -0.2, 1.0)
        """
        shown, others = explanation.contributions[:limit], explanation.contributions[limit:]
        rest = Contribution(f"{len(others):,} more", sum(each.share for each in others)) if others else None
        far = 1.0 if explanation.bounded or isnan(explanation.score) else explanation.score or 1.0
        numbers = [0.0, far, *(each.share for each in shown), rest.share if rest else 0.0]
        return cls(shown, rest, min(numbers), max(numbers))

    def position(self, share: float) -> float:
        """Where a number is on the axis: 0 at its begin, 1 at its end."""
        return (share - self.begin) / (self.end - self.begin)

    @property
    def ends(self) -> tuple[str, str]:
        """The numbers at both ends of the axis, for people."""
        return f"{self.begin:.2g}", f"{self.end:.2g}"
