"""Learned combinations as their formulas read, pair by pair: proves `querykin.learning`."""

from collections.abc import Callable, Sequence
from math import exp, isnan, log

Numbers = Sequence[float]


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def log_odds(p: float) -> float:
    return log(p / (1 - p))


def ranks(scores: Numbers, lists: Sequence[int]) -> list[float]:
    """The share of a pair's rivals that it is above, half for equals; alone 1/2. No opinion is lowest."""
    known = [float("-inf") if isnan(score) else score for score in scores]
    found = []
    for i, mine in enumerate(known):
        rivals = [known[j] for j in range(len(known)) if j != i and lists[j] == lists[i]]
        above = sum(1.0 if mine > other else 0.5 if mine == other else 0.0 for other in rivals)
        found.append(above / len(rivals) if rivals else 0.5)
    return found


def preferences(groups: Sequence[int], grades: Numbers) -> set[tuple[int, int]]:
    """All (better, worse) rows of one group."""
    rows = range(len(groups))
    return {(i, j) for i in rows for j in rows if groups[i] == groups[j] and grades[i] > grades[j]}


def votes(lines: Sequence[Numbers], lists: Sequence[int], odds: Callable[[Numbers], float]) -> list[float]:
    """The sum over the rivals of a pair of the probability that it is preferred to them."""
    found = []
    for i, mine in enumerate(lines):
        rivals = [lines[j] for j in range(len(lines)) if j != i and lists[j] == lists[i]]
        found.append(sum(sigmoid(odds([a - b for a, b in zip(mine, r, strict=True)])) for r in rivals))
    return found


def calibration_error(probabilities: Numbers, relevant: Sequence[bool], bins: int = 10) -> float:
    """The mean, over pairs, of the distance in their bin between mean probability and share of relevant."""
    total = 0.0
    for number in range(bins):
        held = [
            (p, good)
            for p, good in zip(probabilities, relevant, strict=True)
            if min(int(p * bins), bins - 1) == number
        ]
        if held:
            believed, true = sum(p for p, _ in held) / len(held), sum(good for _, good in held) / len(held)
            total += len(held) * abs(believed - true)
    return total / len(probabilities)


def platt_loss(slope: float, shift: float, scores: Numbers, relevant: Sequence[bool]) -> float:
    """Platt (1999): targets (n+ + 1)/(n+ + 2) and 1/(n- + 2) instead of 1 and 0."""
    yes = sum(relevant)
    no = len(relevant) - yes
    total = 0.0
    for score, good in zip(scores, relevant, strict=True):
        target, p = (yes + 1) / (yes + 2) if good else 1 / (no + 2), sigmoid(slope * score + shift)
        total -= target * log(p) + (1 - target) * log(1 - p)
    return total


def shifted(p: float, prior: float, other: float) -> float:
    """Bayes: the same evidence where a share `other` is relevant instead of a share `prior`."""
    yes, no = p / prior * other, (1 - p) / (1 - prior) * (1 - other)
    return yes / (yes + no)
