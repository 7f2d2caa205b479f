"""Sparse row vectors in CSR layout, and the operations that similarity measures are made of.

There is one row per text; a text that is not covered has an empty row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import (
    BoolArray,
    Float64Array,
    Int8Array,
    Int64Array,
    gather_indices,
    make_indptr,
)
from querykin.compute.jit import njit, njit_inlined
from querykin.compute.sorting import kth_largest, sort_in_place

QUANTIZATION_LEVELS = 65_535  # steps from 0 to 1 that fit 16 bits
_NO_LIMIT = np.iinfo(np.int64).max


@njit
def _dot(
    indptr: Int64Array,
    features: Int64Array,
    weights: Float64Array,
    other_indptr: Int64Array,
    other_features: Int64Array,
    other_weights: Float64Array,
    rows: Int64Array,
    other_rows: Int64Array,
) -> Float64Array:
    """Inner products of pairs of rows; NaN where either row is empty."""
    out = np.empty(len(rows))
    for p in range(len(rows)):
        i, end = indptr[rows[p]], indptr[rows[p] + 1]
        j, other_end = other_indptr[other_rows[p]], other_indptr[other_rows[p] + 1]
        if i == end or j == other_end:
            out[p] = np.nan
            continue
        total = 0.0
        while i < end and j < other_end:
            if features[i] == other_features[j]:
                total += weights[i] * other_weights[j]
                i += 1
                j += 1
            elif features[i] < other_features[j]:
                i += 1
            else:
                j += 1
        out[p] = total
    return out


@njit
def _add(
    indptr: Int64Array,
    features: Int64Array,
    weights: Float64Array,
    other_indptr: Int64Array,
    other_features: Int64Array,
    other_weights: Float64Array,
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """Row-wise sum of two matrices: a merge of sorted lists."""
    sum_indptr = np.zeros(len(indptr), np.int64)
    sum_features = np.empty(len(features) + len(other_features), np.int64)
    sum_weights = np.zeros(len(sum_features))
    size = 0
    for row in range(len(indptr) - 1):
        i, end, j, other_end = indptr[row], indptr[row + 1], other_indptr[row], other_indptr[row + 1]
        while i < end or j < other_end:
            take = i < end and (j == other_end or features[i] <= other_features[j])
            take_other = j < other_end and (i == end or other_features[j] <= features[i])
            if take:
                sum_features[size] = features[i]
                sum_weights[size] += weights[i]
                i += 1
            if take_other:
                sum_features[size] = other_features[j]
                sum_weights[size] += other_weights[j]
                j += 1
            size += 1
        sum_indptr[row + 1] = size
    return sum_indptr, sum_features[:size], sum_weights[:size]


@njit
def _sums(indptr: Int64Array, values: Float64Array) -> Float64Array:
    out = np.empty(len(indptr) - 1)
    for row in range(len(out)):
        out[row] = 0.0
        for i in range(indptr[row], indptr[row + 1]):
            out[row] += values[i]
    return out


@njit
def _unit(
    indptr: Int64Array, features: Int64Array, weights: Float64Array
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """Rows scaled to Euclidean norm 1; a row of norm 0 becomes empty."""
    out_indptr = np.zeros(len(indptr), np.int64)
    out_features, out_weights = np.empty(len(features), np.int64), np.empty(len(features))
    size = 0
    for row in range(len(indptr) - 1):
        begin, end = indptr[row], indptr[row + 1]
        norm = 0.0
        for i in range(begin, end):
            norm += weights[i] * weights[i]
        norm = np.sqrt(norm)
        if norm > 0:
            for i in range(begin, end):
                out_features[size], out_weights[size] = features[i], weights[i] / norm
                size += 1
        out_indptr[row + 1] = size
    return out_indptr, out_features[:size], out_weights[:size]


@njit_inlined
def _mark_largest(
    weights: Float64Array, begin: int, end: int, lowest: float, count: int, mask: BoolArray
) -> None:
    """Set the mask for the `count` largest entries of a row; `lowest` is the smallest of them."""
    for i in range(begin, end):
        mask[i] = weights[i] > lowest
        count -= mask[i]
    for i in range(begin, end):
        if weights[i] == lowest and count > 0:
            mask[i] = True
            count -= 1


@njit
def top_mask(indptr: Int64Array, weights: Float64Array, count: int) -> BoolArray:
    """Mask of the `count` largest entries of each row; ties go to the earlier entry."""
    mask = np.zeros(len(weights), np.bool_)
    for row in range(len(indptr) - 1):
        begin, end = indptr[row], indptr[row + 1]
        if end - begin <= count:
            for i in range(begin, end):
                mask[i] = True
            continue
        _mark_largest(weights, begin, end, kth_largest(weights[begin:end], count), count, mask)
    return mask


@njit
def _norm_share_mask(indptr: Int64Array, weights: Float64Array, share: float, most: int) -> BoolArray:
    """Mask of the largest entries of each row, as few as sum to `share` of its squared norm, at most `most`.

    Weights are at least 0. Ties go to the earlier entry.
    """
    mask = np.zeros(len(weights), np.bool_)
    for row in range(len(indptr) - 1):
        begin, end = indptr[row], indptr[row + 1]
        norm, total, lowest = 0.0, 0.0, 0.0
        for i in range(begin, end):
            norm += weights[i] * weights[i]
        if end - begin > most:
            lowest = kth_largest(weights[begin:end], most)
        largest, size, count = np.empty(end - begin), 0, 0
        for i in range(begin, end):
            if weights[i] >= lowest:
                largest[size] = weights[i]
                size += 1
        sort_in_place(largest[:size].view(np.int64))  # in the same order, since none is negative
        while count < min(size, most) and total < share * norm:
            count += 1
            total += largest[size - count] * largest[size - count]
        if count:
            _mark_largest(weights, begin, end, largest[size - count], count, mask)
    return mask


@dataclass(frozen=True, slots=True)
class Vectors:
    """A sparse matrix: row r has `weights[indptr[r] : indptr[r + 1]]` at ascending `features`.

    `space` identifies the features and the statistics behind the weights. Rows of different spaces cannot be
    compared, so that vectors of different idf tables are never mixed.
    """

    indptr: Int64Array
    features: Int64Array
    weights: Float64Array
    space: str

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def covered(self) -> BoolArray:
        """Which rows are not empty."""
        return np.diff(self.indptr) > 0

    def row(self, number: int) -> tuple[Int64Array, Float64Array]:
        """Features and weights of one row."""
        part = slice(self.indptr[number], self.indptr[number + 1])
        return self.features[part], self.weights[part]

    def take(self, rows: Int64Array) -> "Vectors":
        """The rows with these numbers, in the order given."""
        indptr = make_indptr(np.diff(self.indptr)[rows])
        taken = gather_indices(self.indptr[rows], indptr)
        return Vectors(indptr, self.features[taken], self.weights[taken], self.space)

    def sums(self, values: Float64Array) -> Float64Array:
        """Row sums of `values`, which has one value per entry."""
        return _sums(self.indptr, values)

    def quantize(self) -> "Vectors":
        """Weights from 0 to 1 rounded to multiples of 1/65,535, which an index stores exactly in 16 bits."""
        steps = np.round(self.weights * QUANTIZATION_LEVELS)
        return Vectors(self.indptr, self.features, steps / QUANTIZATION_LEVELS, self.space).select(steps > 0)

    def norms(self) -> Float64Array:
        """The Euclidean norm of each row."""
        return np.sqrt(self.sums(self.weights**2))

    def top(self, count: int) -> "Vectors":
        """The `count` largest entries of each row."""
        return self.select(top_mask(self.indptr, self.weights, count))

    def unit(self) -> "Vectors":
        """Rows scaled to norm 1; a row whose weights are all 0 becomes empty."""
        return Vectors(*_unit(*self._arrays), self.space)

    def keep_norm_share(self, share: float, most: int = _NO_LIMIT) -> "Vectors":
        """The largest entries of each row, as few as make up `share` of its squared norm, at most `most`.

        The inner product of a truncated row with a unit row changes by at most sqrt(1 - share) times the norm
        of the row, unless `most` is less than that takes.
        """
        return self.select(_norm_share_mask(self.indptr, self.weights, share, most))

    def select(self, mask: BoolArray) -> "Vectors":
        """The entries where the mask is true."""
        kept = make_indptr(mask)[self.indptr]
        return Vectors(kept, self.features[mask], self.weights[mask], self.space)

    def mask_rows(self, mask: BoolArray) -> "Vectors":
        """The same rows, emptied where the mask is false."""
        return self.select(np.repeat(mask, np.diff(self.indptr)))

    def add(self, other: "Vectors") -> "Vectors":
        """Row-wise sum."""
        self._check_space(other)
        return Vectors(*_add(*self._arrays, *other._arrays), self.space)

    def dot(self, other: "Vectors", rows: Int64Array, other_rows: Int64Array) -> Float64Array:
        """Inner products of pairs of rows; NaN where either row is empty."""
        self._check_space(other)
        return _dot(
            self.indptr,
            self.features,
            self.weights,
            other.indptr,
            other.features,
            other.weights,
            rows,
            other_rows,
        )

    def gram(self, other: "Vectors") -> Float64Array:
        """Inner products of all rows with all rows of `other`; 0 where either row is empty."""
        from scipy.sparse import csr_array  # slow to import, and searches do without

        self._check_space(other)
        features, columns = np.unique(np.concatenate([self.features, other.features]), return_inverse=True)
        left_columns, right_columns = np.split(columns, [len(self.features)])
        left = csr_array((self.weights, left_columns, self.indptr), shape=(len(self), len(features)))
        right = csr_array((other.weights, right_columns, other.indptr), shape=(len(other), len(features)))
        return np.asarray((left @ right.T).toarray())

    def shared(self, row: int, other: "Vectors", other_row: int) -> tuple[Int64Array, Float64Array]:
        """The features that two rows share, and what each contributes to their inner product."""
        self._check_space(other)
        (left, left_weights), (right, right_weights) = self.row(row), other.row(other_row)
        features, i, j = np.intersect1d(left, right, assume_unique=True, return_indices=True)
        return features, left_weights[i] * right_weights[j]

    @property
    def _arrays(self) -> tuple[Int64Array, Int64Array, Float64Array]:
        return self.indptr, self.features, self.weights

    def _check_space(self, other: "Vectors") -> None:
        if self.space != other.space:
            raise ValueError(
                f"vectors of different spaces: {self.space!r} and {other.space!r}; encode both again"
            )


def dense_vectors(levels: Int8Array, scales: NDArray[np.float32], space: str) -> Vectors:
    """Rows scale * levels that hold every feature; a row of scale 0 is empty."""
    filled, columns = scales > 0, levels.shape[1]
    weights = levels[filled] * scales[filled].astype(np.float64)[:, None]
    features = np.tile(np.arange(columns), int(filled.sum()))
    return Vectors(make_indptr(np.where(filled, columns, 0)), features, weights.ravel(), space)


def concatenate(parts: Sequence[Vectors]) -> Vectors:
    """The rows of several matrices of one space, one after another."""
    sizes = np.concatenate([[0], *(np.diff(part.indptr) for part in parts)])
    return Vectors(
        np.cumsum(sizes, dtype=np.int64),
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.weights for part in parts]),
        parts[0].space,
    )
