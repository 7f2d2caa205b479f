"""Reference loops for metrics that no library has: the formulas, pair by pair."""

from collections.abc import Sequence
from itertools import pairwise
from math import isnan

Numbers = Sequence[float]


def above(a: float, b: float) -> bool:
    """Whether score a is ranked above score b; any score is above NaN."""
    return not isnan(a) and (isnan(b) or a > b)


def beats(a: float, b: float) -> float:
    """1 when score a is above b, 0.5 when neither is above the other."""
    return 1.0 if above(a, b) else 0.0 if above(b, a) else 0.5


def auc(scores: Numbers, relevant: Sequence[bool]) -> float:
    """Wilcoxon-Mann-Whitney: the share of (relevant, irrelevant) pairs in the correct order."""
    wins = [
        beats(a, b)
        for a, a_relevant in zip(scores, relevant, strict=True)
        if a_relevant
        for b, b_relevant in zip(scores, relevant, strict=True)
        if not b_relevant
    ]
    return sum(wins) / len(wins) if wins else float("nan")


def counts_by_threshold(scores: Numbers, relevant: Sequence[bool]) -> list[tuple[int, int]]:
    """Pairs and relevant pairs at or above each score that occurs, the highest first."""
    counts = set()
    for threshold in scores:
        included = [hit for score, hit in zip(scores, relevant, strict=True) if not above(threshold, score)]
        counts.add((len(included), sum(included)))
    return sorted(counts)


def tpr_at(scores: Numbers, relevant: Sequence[bool], fpr: float) -> float:
    """The height of the ROC curve at a false positive rate, the upper end where it is vertical."""
    positive, negative = sum(relevant), len(relevant) - sum(relevant)
    if not positive or not negative:
        return float("nan")
    points = [(0.0, 0.0)]
    points += [
        ((pairs - hits) / negative, hits / positive) for pairs, hits in counts_by_threshold(scores, relevant)
    ]
    height = max(y for x, y in points if x <= fpr)
    for (x1, y1), (x2, y2) in pairwise(points):
        if x1 <= fpr < x2:
            height = max(height, y1 + (y2 - y1) * (fpr - x1) / (x2 - x1))
    return height


def eleven_points(relevant: Sequence[bool]) -> list[float]:
    """The best precision at a recall of at least 0, 0.1, ... 1 of one group in order; NaN for one class."""
    if all(relevant) or not any(relevant):
        return [float("nan")] * 11
    points = [(sum(relevant[:rank]), rank) for rank in range(1, len(relevant) + 1)]
    return [
        max(hits / rank for hits, rank in points if 10 * hits >= tenths * sum(relevant))
        for tenths in range(11)
    ]


def wins(scores: Numbers, groups: Sequence[int], relevant: Sequence[bool], count: int) -> list[list[float]]:
    """[h][g]: how often a relevant pair of group g is above an irrelevant one of group h."""
    table = [[0.0] * count for _ in range(count)]
    for i, a in enumerate(scores):
        for j, b in enumerate(scores):
            if relevant[i] and not relevant[j]:
                table[groups[j]][groups[i]] += beats(a, b)
    return table


def preferences(first: Numbers, second: Numbers, groups: Sequence[int]) -> list[list[int]]:
    """[a][b]: pairs of items of one group that the raters find worse (0), equal (1) or better (2)."""
    table = [[0] * 3 for _ in range(3)]
    for j in range(len(first)):
        for i in range(j):
            if groups[i] == groups[j]:
                a = 1 + (first[i] > first[j]) - (first[i] < first[j])
                b = 1 + (second[i] > second[j]) - (second[i] < second[j])
                table[a][b] += 1
    return table


def pooled_kappa(first: Numbers, second: Numbers) -> tuple[float, float, float]:
    """Pa, Pe and kappa of Yih & Meek (2007)."""
    n = len(first)
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    uses = [list(first).count(c) + list(second).count(c) for c in {*first, *second}]
    chance = sum((c / (2 * n)) ** 2 for c in uses)
    return agreed, chance, (agreed - chance) / (1 - chance) if chance < 1 else float("nan")


def holm(p_values: Numbers) -> list[float]:
    """The k-th smallest of m times m - k + 1, at least the result of any smaller one, at most 1."""
    ascending, m = sorted(p_values), len(p_values)
    steps = [(p, min(1.0, (m - k) * p)) for k, p in enumerate(ascending)]
    return [max(step for q, step in steps if q <= p) for p in p_values]


def mean_grade_from(scores: Numbers, grades: Numbers, threshold: float) -> tuple[float, int]:
    """Mean grade and number of the pairs that score at least the threshold."""
    included = [grade for score, grade in zip(scores, grades, strict=True) if score >= threshold]
    return sum(included) / len(included), len(included)


def reliability(scores: Numbers, relevant: Sequence[bool], bins: int) -> list[tuple[float, float, int]]:
    """Mean score, share of relevant pairs and size of each bin; ties are binned by their mean rank."""
    rows_of_bin: dict[int, list[int]] = {}
    for i, score in enumerate(scores):
        below, equal = sum(s < score for s in scores), sum(s == score for s in scores)
        rows_of_bin.setdefault((2 * below + equal) * bins // (2 * len(scores)), []).append(i)
    return [
        (sum(scores[i] for i in rows) / len(rows), sum(relevant[i] for i in rows) / len(rows), len(rows))
        for _, rows in sorted(rows_of_bin.items())
    ]
