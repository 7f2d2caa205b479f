"""Dense rows of 8-bit levels as lists: the reference for `index.quantized_matrix`."""

from collections.abc import Sequence
from math import sqrt

import numpy as np


def quantized(row: Sequence[float]) -> list[float]:
    """Weights as multiples -127..127 of one number of single precision that keeps the norm of the row."""
    step = float(np.float32(max(map(abs, row), default=0.0) / 127))
    if step < np.finfo(np.float32).tiny:
        return [0.0] * len(row)
    levels = [round(weight / step) for weight in row]
    norm = sqrt(sum(weight**2 for weight in row))
    scale = float(np.float32(norm / sqrt(sum(level**2 for level in levels))))
    return [scale * level for level in levels]


def inner_product(row: Sequence[float], other: Sequence[float]) -> float:
    """The sum of products of weights."""
    return sum(a * b for a, b in zip(row, other, strict=True))
