"""Dense rows as a matrix on disk; the row of a text that is not covered is all 0."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from querykin.storage.array_files import load, save
from querykin.vectors import Vectors

_STEP = 65_536  # rows copied at once


class DenseMatrix:
    """A matrix on disk with one row per text, searched by brute force."""

    def __init__(self, folder: Path) -> None:
        self.matrix: NDArray[np.float32] = load(folder, "matrix")

    @property
    def entries(self) -> int:
        """The number of weights."""
        return self.matrix.size

    def filled(self, size: int) -> BoolArray:
        """Which rows are not all 0."""
        filled: BoolArray = (self.matrix != 0).any(axis=1)
        return filled

    def dot_all(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, size: int
    ) -> Float64Array:
        """The inner product of a query with every row; dense rows have no tf scaling."""
        return (self.matrix @ self._dense(features, weights)).astype(np.float64)

    def dot_rows(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, rows: Int64Array
    ) -> Float64Array:
        """The inner product of a query with the rows given."""
        return (self.matrix[rows] @ self._dense(features, weights)).astype(np.float64)

    def _dense(self, features: Int64Array, weights: Float64Array) -> NDArray[np.float32]:
        query = np.zeros(self.matrix.shape[1], np.float32)
        known = features < len(query)
        query[features[known]] = weights[known]
        return query


def write_dense_matrix(folder: Path, vectors: Vectors) -> None:
    """Write rows as a matrix."""
    matrix = np.zeros((len(vectors), int(vectors.features.max(initial=-1)) + 1), np.float32)
    row_of = np.repeat(np.arange(len(vectors)), np.diff(vectors.indptr))
    matrix[row_of, vectors.features] = vectors.weights
    save(folder, matrix=matrix)


def merge_dense_matrices(folder: Path, parts: Sequence[DenseMatrix], renamed: Sequence[Int32Array]) -> None:
    """Write several matrices as one; `renamed` has the new number of each row of a part, -1 drops it."""
    width = max(part.matrix.shape[1] for part in parts)
    shape = sum(int((numbers >= 0).sum()) for numbers in renamed), width
    if not all(shape):
        save(folder, matrix=np.zeros(shape, np.float32))
        return
    merged = open_memmap(folder / "matrix.npy", "w+", np.float32, shape)
    for part, numbers in zip(parts, renamed, strict=True):
        for begin in range(0, len(numbers), _STEP):
            batch = numbers[begin : begin + _STEP]
            kept = np.flatnonzero(batch >= 0)
            merged[batch[kept], : part.matrix.shape[1]] = part.matrix[begin + kept]
    merged.flush()
