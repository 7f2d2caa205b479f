"""Scalar quantization of dense vectors: 8-bit levels and one scale a row, as in Faiss and Lucene.

A row w becomes scale * level, level from -127 to 127. The scale is in single precision, so that the product
is exact in double precision: levels and scale can be read off the rounded row again.
"""

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Float64Array, Int8Array

MAX_LEVEL = 127


def scalar_quantize(matrix: Float64Array) -> tuple[Int8Array, NDArray[np.float32]]:
    """The levels of each entry and the scale of each row, 0 for a row of zeros; norms of rows are kept.

    >>> levels, scales = scalar_quantize(np.array([[3.0, -4.0], [0.0, 0.0]]))
    >>> levels.tolist(), [round(scale, 4) for scale in scales.tolist()]
    ([[95, -127], [0, 0]], [0.0315, 0.0])
    """
    steps = _steps(matrix)
    steps[steps < np.finfo(np.float32).tiny] = 0  # too small for the precision of a scale
    levels = _levels(matrix, steps)
    norms = np.sqrt((matrix**2).sum(axis=1))
    level_norms = np.sqrt((levels.astype(np.float64) ** 2).sum(axis=1))
    scales = np.divide(norms, level_norms, out=np.zeros(len(matrix)), where=steps > 0)
    return levels, scales.astype(np.float32)


def read_levels(matrix: Float64Array) -> tuple[Int8Array, NDArray[np.float32]]:
    """The levels and scales of rows that are quantized already; others are an error."""
    scales = _steps(matrix)
    levels = _levels(matrix, scales)
    if not np.array_equal(levels * scales[:, None].astype(np.float64), matrix):
        raise ValueError("weights are not quantized; quantize them by scalar_quantize")
    return levels, scales


def _steps(matrix: Float64Array) -> NDArray[np.float32]:
    largest: Float64Array = np.abs(matrix).max(axis=1, initial=0.0)
    return (largest / MAX_LEVEL).astype(np.float32)


def _levels(matrix: Float64Array, steps: NDArray[np.float32]) -> Int8Array:
    levels = np.divide(matrix, steps[:, None], out=np.zeros(matrix.shape), where=steps[:, None] > 0)
    return np.rint(levels).astype(np.int8)
