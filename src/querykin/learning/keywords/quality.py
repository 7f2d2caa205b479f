"""How right are the keywords of documents? Precision, recall and F1 of the first k against gold."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from querykin.compute.arrays import Int64Array


@dataclass(frozen=True)
class Quality:
    """How right the first k keywords are, on average over documents; f1 is of these averages."""

    k: int
    precision: float  # share of the k that are gold
    recall: float  # share of the gold that is among the k
    f1: float


def quality(ranked: Sequence[Sequence[Any]], gold: Sequence[AbstractSet[Any]], k: int) -> Quality:
    """The quality of ranked keywords of documents that each have some gold.

    >>> found = quality([["pie", "oven"], ["moon", "nasa"]], [{"pie"}, {"nasa", "moon", "probe"}], k=2)
    >>> f"{found.precision:.3f} {found.recall:.3f} {found.f1:.3f}"
    '0.750 0.833 0.789'
    """
    right = hits(ranked, gold, k)
    precision = float(right.mean() / k)
    recall = float((right / [len(all_right) for all_right in gold]).mean())
    f1 = 2 * precision * recall / (precision + recall) if precision else 0.0
    return Quality(k, precision, recall, f1)


def hits(ranked: Sequence[Sequence[Any]], gold: Sequence[AbstractSet[Any]], k: int) -> Int64Array:
    """How many of the first k keywords of each document are gold."""
    pairs = zip(ranked, gold, strict=True)
    return np.array([len(set(found[:k]) & right) for found, right in pairs], np.int64)
