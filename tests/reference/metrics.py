"""Metrics as their formulas read, pair by pair: proves `querykin.evaluation` where no library has them."""

from collections.abc import Sequence
from itertools import pairwise
from math import isnan

Numbers = Sequence[float]


def above(a: float, b: float) -> bool:
    """Whether score a is ranked above score b: any score is above none."""
    return not isnan(a) and (isnan(b) or a > b)


def beats(a: float, b: float) -> float:
    """1 when score a is above b, 0.5 when neither is above the other."""
    return 1.0 if above(a, b) else 0.0 if above(b, a) else 0.5


def auc(scores: Numbers, good: Sequence[bool]) -> float:
    """Wilcoxon-Mann-Whitney: the share of (relevant, irrelevant) couples in the right order."""
    couples = [
        beats(a, b)
        for a, is_good in zip(scores, good, strict=True)
        if is_good
        for b, other in zip(scores, good, strict=True)
        if not other
    ]
    return sum(couples) / len(couples) if couples else float("nan")


def kept_above(scores: Numbers, good: Sequence[bool]) -> list[tuple[int, int]]:
    """Pairs and relevant pairs kept at each score that occurs, the highest first."""
    found = set()
    for limit in scores:
        kept = [is_good for score, is_good in zip(scores, good, strict=True) if not above(limit, score)]
        found.add((len(kept), sum(kept)))
    return sorted(found)


def tpr_at(scores: Numbers, good: Sequence[bool], fpr: float) -> float:
    """The ROC curve's height at a point of its x axis, the upper end where it rises upright."""
    positive, negative = sum(good), len(good) - sum(good)
    if not positive or not negative:
        return float("nan")
    points = [(0.0, 0.0)]
    points += [((kept - hits) / negative, hits / positive) for kept, hits in kept_above(scores, good)]
    height = max(y for x, y in points if x <= fpr)
    for (x1, y1), (x2, y2) in pairwise(points):
        if x1 <= fpr < x2:
            height = max(height, y1 + (y2 - y1) * (fpr - x1) / (x2 - x1))
    return height


def eleven_points(good: Sequence[bool]) -> list[float]:
    """The best precision at a recall of at least 0, 0.1, ... 1 of one group in order; NaN for one class."""
    if all(good) or not any(good):
        return [float("nan")] * 11
    points = [(sum(good[:rank]), rank) for rank in range(1, len(good) + 1)]
    return [
        max(hits / rank for hits, rank in points if 10 * hits >= tenths * sum(good)) for tenths in range(11)
    ]


def wins(scores: Numbers, groups: Sequence[int], good: Sequence[bool], count: int) -> list[list[float]]:
    """[h][g]: how often a relevant pair of group g beats an irrelevant one of group h."""
    table = [[0.0] * count for _ in range(count)]
    for i, a in enumerate(scores):
        for j, b in enumerate(scores):
            if good[i] and not good[j]:
                table[groups[j]][groups[i]] += beats(a, b)
    return table


def preferences(ours: Numbers, theirs: Numbers, groups: Sequence[int]) -> list[list[int]]:
    """[a][b]: couples of candidates of one group that the raters find worse (0), equal (1), better (2)."""
    table = [[0] * 3 for _ in range(3)]
    for j in range(len(ours)):
        for i in range(j):
            if groups[i] == groups[j]:
                a = 1 + (ours[i] > ours[j]) - (ours[i] < ours[j])
                b = 1 + (theirs[i] > theirs[j]) - (theirs[i] < theirs[j])
                table[a][b] += 1
    return table


def pooled_kappa(ours: Numbers, theirs: Numbers) -> tuple[float, float, float]:
    """Pa, Pe and kappa of Yih & Meek (2007)."""
    n = len(ours)
    agreed = sum(a == b for a, b in zip(ours, theirs, strict=True)) / n
    uses = [list(ours).count(c) + list(theirs).count(c) for c in {*ours, *theirs}]
    chance = sum((c / (2 * n)) ** 2 for c in uses)
    return agreed, chance, (agreed - chance) / (1 - chance) if chance < 1 else float("nan")


def holm(p_values: Numbers) -> list[float]:
    """The k-th smallest of m times m - k + 1, but no less than any smaller one's, and at most 1."""
    rising, m = sorted(p_values), len(p_values)
    steps = [(p, min(1.0, (m - k) * p)) for k, p in enumerate(rising)]
    return [max(step for q, step in steps if q <= p) for p in p_values]


def mean_grade_from(scores: Numbers, grades: Numbers, threshold: float) -> tuple[float, int]:
    """Mean grade and number of the pairs that score at least the threshold."""
    kept = [grade for score, grade in zip(scores, grades, strict=True) if score >= threshold]
    return sum(kept) / len(kept), len(kept)


def reliability(scores: Numbers, good: Sequence[bool], bins: int) -> list[tuple[float, float, int]]:
    """Mean score, share of relevant and size of each bin; a score's bin goes by the middle of its equals."""
    held: dict[int, list[int]] = {}
    for i, score in enumerate(scores):
        below, equal = sum(s < score for s in scores), sum(s == score for s in scores)
        held.setdefault((2 * below + equal) * bins // (2 * len(scores)), []).append(i)
    return [
        (sum(scores[i] for i in rows) / len(rows), sum(good[i] for i in rows) / len(rows), len(rows))
        for _, rows in sorted(held.items())
    ]
