"""Reference formulas for `learning.combination` and `learning.calibration`, pair by pair."""

from collections.abc import Callable, Sequence
from math import exp, isnan, log

Numbers = Sequence[float]


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def log_odds(p: float) -> float:
    return log(p / (1 - p))


def ranks(scores: Numbers, lists: Sequence[int]) -> list[float]:
    """The share of the other scores of its list that a score is above, ties half; alone 1/2; NaN lowest."""
    known = [float("-inf") if isnan(score) else score for score in scores]
    shares = []
    for i, score in enumerate(known):
        rivals = [known[j] for j in range(len(known)) if j != i and lists[j] == lists[i]]
        above = sum(1.0 if score > other else 0.5 if score == other else 0.0 for other in rivals)
        shares.append(above / len(rivals) if rivals else 0.5)
    return shares


def preferences(grades: Numbers, groups: Sequence[int]) -> set[tuple[int, int]]:
    """All (better, worse) rows of one group."""
    rows = range(len(groups))
    return {(i, j) for i in rows for j in rows if groups[i] == groups[j] and grades[i] > grades[j]}


def votes(lines: Sequence[Numbers], lists: Sequence[int], odds: Callable[[Numbers], float]) -> list[float]:
    """The sum of the probabilities that a pair is preferred to the others of its list."""
    sums = []
    for i, line in enumerate(lines):
        rivals = [lines[j] for j in range(len(lines)) if j != i and lists[j] == lists[i]]
        sums.append(sum(sigmoid(odds([a - b for a, b in zip(line, r, strict=True)])) for r in rivals))
    return sums


def calibration_error(probabilities: Numbers, relevant: Sequence[bool], bins: int = 10) -> float:
    """The mean over pairs of |mean probability - share of relevant pairs| in their bin."""
    total = 0.0
    for number in range(bins):
        pairs = [
            (p, good)
            for p, good in zip(probabilities, relevant, strict=True)
            if min(int(p * bins), bins - 1) == number
        ]
        if pairs:
            predicted = sum(p for p, _ in pairs) / len(pairs)
            observed = sum(good for _, good in pairs) / len(pairs)
            total += len(pairs) * abs(predicted - observed)
    return total / len(probabilities)


def platt_loss(slope: float, shift: float, scores: Numbers, relevant: Sequence[bool]) -> float:
    """Platt (1999): targets (n+ + 1)/(n+ + 2) and 1/(n- + 2) instead of 1 and 0."""
    positives = sum(relevant)
    negatives = len(relevant) - positives
    total = 0.0
    for score, good in zip(scores, relevant, strict=True):
        target = (positives + 1) / (positives + 2) if good else 1 / (negatives + 2)
        p = sigmoid(slope * score + shift)
        total -= target * log(p) + (1 - target) * log(1 - p)
    return total


def shifted(p: float, prior: float, other: float) -> float:
    """Bayes' rule: the same evidence where a share `other` is relevant instead of a share `prior`."""
    yes, no = p / prior * other, (1 - p) / (1 - prior) * (1 - other)
    return yes / (yes + no)
