"""Dense rows as a matrix of 8-bit levels on disk, with one scale a row; an empty row has the scale 0."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Float64Array, Int8Array, Int32Array, Int64Array
from querykin.compute.jit import njit
from querykin.compute.scalar_quantization import MAX_LEVEL, read_levels
from querykin.errors import DamagedFile
from querykin.storage.array_files import MatrixFile, at_least, load, map_array, save
from querykin.vectors import Vectors, dense_vectors

_STEP = 65_536  # rows copied at once
_MAX_COLUMNS = 1 << 16  # far more than any embedding has


class QuantizedRow(NamedTuple):
    """A dense row: scale * levels."""

    levels: Int8Array
    scale: float


@njit
def _product(levels: Int8Array, scale: float, query: QuantizedRow) -> float:
    """The inner product of two rows: an exact sum of integers, rounded once.

    LLVM widens levels to 16 bits and adds products of pairs by one instruction (vpmaddwd).
    """
    total, query_levels = np.int32(0), query.levels
    for column in range(len(query_levels)):
        total += np.int32(levels[column]) * np.int32(query_levels[column])
    return total * (scale * query.scale)


@njit
def _products(levels: Int8Array, scales: NDArray[np.float32], query: QuantizedRow) -> Float64Array:
    out = np.empty(len(levels))
    for row in range(len(levels)):
        out[row] = _product(levels[row], np.float64(scales[row]), query)
    return out


@njit
def _products_at(
    levels: Int8Array, scales: NDArray[np.float32], query: QuantizedRow, rows: Int64Array
) -> Float64Array:
    out = np.empty(len(rows))
    for i in range(len(rows)):
        out[i] = _product(levels[rows[i]], np.float64(scales[rows[i]]), query)
    return out


@njit
def _add_weighted(
    levels: Int8Array,
    scales: NDArray[np.float32],
    query: QuantizedRow,
    rows: Int32Array,
    positions: Int32Array,
    query_weight: float,
    weights: Float64Array,
    sums: Float64Array,
) -> None:
    for i in range(len(rows)):
        row, position = rows[i], positions[i]
        score = _product(levels[row], np.float64(scales[row]), query)
        sums[position] += (query_weight + weights[position]) / 2 * score


class QuantizedMatrix:
    """A matrix on disk with one row per text, searched by brute force; verified when it is first searched."""

    def __init__(self, folder: Path, size: int) -> None:
        self._levels = map_array(folder, "levels", size=size, types=np.int8, dimensions=2)
        self.scales: NDArray[np.float32] = load(folder, "scales", at_least(0), size, np.float32)
        if self.columns > _MAX_COLUMNS:
            raise DamagedFile(folder / "levels.npy", f"it has {self.columns:,} columns")

    @property
    def levels(self) -> Int8Array:
        """The levels of all rows."""
        return self._levels.whole()

    @property
    def entries(self) -> int:
        """The number of weights."""
        return len(self.scales) * self.columns

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self._levels.shape[1]

    def filled(self, size: int) -> BoolArray:
        """Which rows are not empty."""
        filled: BoolArray = self.scales > 0
        return filled

    def rows(self, rows: Int64Array) -> Float64Array:
        """Some of the rows."""
        weights: Float64Array = self.levels[rows] * self.scales[rows].astype(np.float64)[:, None]
        return weights

    def vectors(self, rows: Int64Array, space: str) -> Vectors:
        """Some of the rows, as they were encoded."""
        levels, scales = self.levels[rows], self.scales[rows]
        largest = np.abs(levels.astype(np.int16)).max(axis=1, initial=0)
        if (largest != np.where(scales > 0, MAX_LEVEL, 0)).any():
            raise DamagedFile(self._levels.path, "a row is not quantized")
        return dense_vectors(levels, scales, space)

    def dot_all(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, size: int
    ) -> Float64Array:
        """The inner product of a query with every row; dense rows have no tf scaling."""
        return _products(self.levels, self.scales, self._query(features, weights))

    def dot_rows(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, rows: Int64Array
    ) -> Float64Array:
        """The inner product of a query with the rows given."""
        return _products_at(self.levels, self.scales, self._query(features, weights), rows)

    def add_weighted(
        self,
        query: tuple[Int64Array, Float64Array],
        rows: Int32Array,
        positions: Int32Array,
        query_weight: float,
        weights: Float64Array,
        sums: Float64Array,
    ) -> None:
        """Add to `sums` the inner products of a query with the rows given, times the mean of both weights.

        `positions` are where the weight and the sum of each row are.
        """
        _add_weighted(
            self.levels, self.scales, self._query(*query), rows, positions, query_weight, weights, sums
        )

    def _query(self, features: Int64Array, weights: Float64Array) -> QuantizedRow:
        row = np.zeros((1, max(self.columns, int(features.max(initial=-1)) + 1)))
        row[0, features] = weights
        levels, scales = read_levels(row)
        return QuantizedRow(levels[0, : self.columns], float(scales[0]))


def write_quantized_matrix(folder: Path, vectors: Vectors) -> None:
    """Write rows whose weights are quantized already."""
    levels, scales = levels_of(vectors)
    save(folder, levels=levels, scales=scales)


def levels_of(vectors: Vectors) -> tuple[Int8Array, NDArray[np.float32]]:
    """The levels and scales of rows whose weights are quantized already."""
    matrix = np.zeros((len(vectors), int(vectors.features.max(initial=-1)) + 1))
    matrix[np.repeat(np.arange(len(vectors)), np.diff(vectors.indptr)), vectors.features] = vectors.weights
    return read_levels(matrix)


def merge_quantized_matrices(
    folder: Path, parts: Sequence[QuantizedMatrix], renamed: Sequence[Int32Array]
) -> None:
    """Write several matrices as one; `renamed` has the new number of each row of a part, -1 drops it."""
    columns = max(part.columns for part in parts)
    shape = sum(int((numbers >= 0).sum()) for numbers in renamed), columns
    scales = np.zeros(shape[0], np.float32)
    if not all(shape):
        save(folder, levels=np.zeros(shape, np.int8), scales=scales)
        return
    levels = MatrixFile(folder / "levels.npy", np.int8, shape)
    for part, numbers in zip(parts, renamed, strict=True):
        for begin in range(0, len(numbers), _STEP):
            batch = numbers[begin : begin + _STEP]
            kept = np.flatnonzero(batch >= 0)
            levels.rows[batch[kept], : part.columns] = part.levels[begin + kept]
            scales[batch[kept]] = part.scales[begin + kept]
    levels.close()
    save(folder, scales=scales)
