"""Quality of extracted keywords: precision, recall and F1 of the first k against gold keywords."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from querykin.compute.arrays import Int64Array


@dataclass(frozen=True)
class Quality:
    """Precision and recall at k as means over documents, and the F1 of these means."""

    k: int
    precision: float
    recall: float
    f1: float


def quality(ranked: Sequence[Sequence[Any]], gold: Sequence[AbstractSet[Any]], k: int) -> Quality:
    """The quality of ranked keywords; every document has gold keywords.

    >>> result = quality([["pie", "oven"], ["moon", "nasa"]], [{"pie"}, {"nasa", "moon", "probe"}], k=2)
    >>> f"{result.precision:.3f} {result.recall:.3f} {result.f1:.3f}"
    '0.750 0.833 0.789'
    """
    correct = hits(ranked, gold, k)
    precision = float(correct.mean() / k)
    recall = float((correct / [len(keywords) for keywords in gold]).mean())
    f1 = 2 * precision * recall / (precision + recall) if precision else 0.0
    return Quality(k, precision, recall, f1)


def hits(ranked: Sequence[Sequence[Any]], gold: Sequence[AbstractSet[Any]], k: int) -> Int64Array:
    """The number of gold keywords among the first k of each document."""
    pairs = zip(ranked, gold, strict=True)
    return np.array([len(set(keywords[:k]) & correct) for keywords, correct in pairs], np.int64)
