"""Constants of the hybrid measures, fitted by coordinate search on judged sets."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from querykin.compute.arrays import Float64Array
from reproduce.hybrid_parts import Constants, Pairs
from reproduce.hybrid_sets import StudiedSet

GRID: dict[str, tuple[float, ...]] = {
    "dense": (1, 2, 3, 5, 8),
    "terms": (0, 0.12, 0.25, 0.5, 1),
    "terms_alone": (0, 1, 2, 4),
    "context_weight": (0.1, 0.2, 0.35, 0.5),
    "enough_whole_words": (0.34, 0.5, 0.75, 1),
    "title_distrust": (0, 0.25, 0.5, 0.75),
    "root": (0.4, 0.5, 0.65, 1),
}
ENOUGH_GAIN = 0.015  # over the best part; a set that gains more must not pay for one that loses
TOLERATED_LOSS, PENALTY = 0.003, 4  # a larger loss weighs this many times as much again
_ROUNDS = 6
_MIN_IMPROVEMENT = 1e-5

Scores = Callable[[Pairs, Constants], Float64Array]


@dataclass(frozen=True)
class Measured:
    """A hybrid measure on the studied sets: the values of its metric for any constants, each computed once."""

    scores: Scores
    best_parts: Mapping[str, float]  # by set: the metric of its best single part
    sets: Mapping[str, tuple[StudiedSet, Pairs]]
    _known: dict[tuple[str, Constants], float] = field(default_factory=dict)

    def value(self, name: str, constants: Constants) -> float:
        """The metric of a set."""
        if (name, constants) not in self._known:
            studied, pairs = self.sets[name]
            self._known[name, constants] = studied.value(self.scores(pairs, constants))
        return self._known[name, constants]

    def objective(self, constants: Constants, names: Collection[str]) -> float:
        """The mean gain over the best part, over families of sets; gains are capped and losses weigh more."""
        families: dict[str, list[float]] = {}
        for name in names:
            gain = self.value(name, constants) - self.best_parts[name]
            families.setdefault(self.sets[name][0].family, []).append(utility(gain))
        return float(np.mean([np.mean(each) for each in families.values()]))

    def fit(self, names: Collection[str], varied: Collection[str]) -> Constants:
        """Coordinate search from a plain sum: one constant after another until none can be improved."""
        found, best = Constants(), self.objective(Constants(), names)
        for _ in range(_ROUNDS):
            before = best
            for constant in varied:
                for value in GRID[constant]:
                    tried = replace(found, **{constant: float(value)})
                    objective = self.objective(tried, names)
                    if objective > best + _MIN_IMPROVEMENT:
                        found, best = tried, objective
            if best == before:
                break
        return found


def utility(gain: float) -> float:
    """What a gain over the best part is worth.

    >>> [round(utility(gain), 3) for gain in (0.1, 0.01, -0.002, -0.013)]
    [0.015, 0.01, -0.002, -0.053]
    """
    return min(gain, ENOUGH_GAIN) + PENALTY * min(gain + TOLERATED_LOSS, 0.0)
