"""Sparse rows and their comparison: one row per text, an empty row for a text that is not covered."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, gather_indices, make_indptr
from querykin.compute.jit import njit

QUANTIZATION_LEVELS = 65_535  # steps from 0 to 1


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
    """Inner products of pairs of rows; NaN where one of them is empty."""
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
def _plus(
    indptr: Int64Array,
    features: Int64Array,
    weights: Float64Array,
    other_indptr: Int64Array,
    other_features: Int64Array,
    other_weights: Float64Array,
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """Row by row the sum of two sets of rows: a merge of sorted lists."""
    sum_indptr = np.zeros(len(indptr), np.int64)
    sum_features = np.empty(len(features) + len(other_features), np.int64)
    sum_weights = np.zeros(len(sum_features))
    at = 0
    for row in range(len(indptr) - 1):
        i, end, j, other_end = indptr[row], indptr[row + 1], other_indptr[row], other_indptr[row + 1]
        while i < end or j < other_end:
            take = i < end and (j == other_end or features[i] <= other_features[j])
            take_other = j < other_end and (i == end or other_features[j] <= features[i])
            if take:
                sum_features[at] = features[i]
                sum_weights[at] += weights[i]
                i += 1
            if take_other:
                sum_features[at] = other_features[j]
                sum_weights[at] += other_weights[j]
                j += 1
            at += 1
        sum_indptr[row + 1] = at
    return sum_indptr, sum_features[:at].copy(), sum_weights[:at].copy()


@njit
def _sums(indptr: Int64Array, values: Float64Array) -> Float64Array:
    out = np.empty(len(indptr) - 1)
    for row in range(len(out)):
        out[row] = values[indptr[row] : indptr[row + 1]].sum()
    return out


@njit
def _only(
    indptr: Int64Array, features: Int64Array, weights: Float64Array, kept: BoolArray
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """The entries of each row where the mask is true."""
    borders = np.zeros(len(indptr), np.int64)
    count = kept.sum()
    kept_features, kept_weights = np.empty(count, np.int64), np.empty(count)
    at = 0
    for row in range(len(indptr) - 1):
        for i in range(indptr[row], indptr[row + 1]):
            if kept[i]:
                kept_features[at], kept_weights[at] = features[i], weights[i]
                at += 1
        borders[row + 1] = at
    return borders, kept_features, kept_weights


@njit
def _unit(
    indptr: Int64Array, features: Int64Array, weights: Float64Array
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """The same rows, each of length 1; a row of length 0 becomes empty."""
    borders = np.zeros(len(indptr), np.int64)
    unit_features, unit_weights = np.empty(len(features), np.int64), np.empty(len(features))
    at = 0
    for row in range(len(indptr) - 1):
        begin, end = indptr[row], indptr[row + 1]
        norm = np.sqrt((weights[begin:end] ** 2).sum())
        if norm > 0:
            for i in range(begin, end):
                unit_features[at], unit_weights[at] = features[i], weights[i] / norm
                at += 1
        borders[row + 1] = at
    return borders, unit_features[:at], unit_weights[:at]


@njit
def largest(indptr: Int64Array, weights: Float64Array, count: int) -> BoolArray:
    """The heaviest entries of each row, at most `count`; of equal ones the first."""
    kept = np.zeros(len(weights), np.bool_)
    for row in range(len(indptr) - 1):
        begin, end = indptr[row], indptr[row + 1]
        if end - begin <= count:
            kept[begin:end] = True
        else:
            kept[begin + np.argsort(-weights[begin:end], kind="mergesort")[:count]] = True
    return kept


@njit
def _heaviest(indptr: Int64Array, weights: Float64Array, share: float) -> BoolArray:
    """The heaviest entries of each row that hold `share` of its squared length; of equal ones the first."""
    kept = np.zeros(len(weights), np.bool_)
    for row in range(len(indptr) - 1):
        begin, end = indptr[row], indptr[row + 1]
        order = np.argsort(-weights[begin:end], kind="mergesort")
        wanted = share * (weights[begin:end] ** 2).sum()
        held = 0.0
        for i in order:
            if held >= wanted:
                break
            kept[begin + i] = True
            held += weights[begin + i] ** 2
    return kept


@dataclass(frozen=True, slots=True)
class Vectors:
    """Row r holds weights[first[r] : first[r + 1]] of features that rise within the row.

    `space` names the features and the statistics behind the weights: rows of different spaces are never
    compared, so nobody mixes idf tables unawares.
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
        """Some rows, in the order given."""
        indptr = make_indptr(np.diff(self.indptr)[rows])
        taken = gather_indices(self.indptr[rows], indptr)
        return Vectors(indptr, self.features[taken], self.weights[taken], self.space)

    def sums(self, values: Float64Array) -> Float64Array:
        """For each row the sum of values that belong to its entries."""
        return _sums(self.indptr, values)

    def quantize(self) -> "Vectors":
        """Weights from 0 to 1 rounded to steps that an index keeps exactly in 16 bits."""
        steps = np.round(self.weights * QUANTIZATION_LEVELS)
        return Vectors(self.indptr, self.features, steps / QUANTIZATION_LEVELS, self.space).only(steps > 0)

    def norms(self) -> Float64Array:
        """The length of each row."""
        return np.sqrt(self.sums(self.weights**2))

    def largest(self, count: int) -> "Vectors":
        """Only the heaviest entries of each row, at most this many."""
        return self.only(largest(self.indptr, self.weights, count))

    def unit(self) -> "Vectors":
        """The same rows, each of length 1; a row whose weights are all 0 becomes empty."""
        return Vectors(*_unit(self.indptr, self.features, self.weights), self.space)

    def heaviest(self, share: float) -> "Vectors":
        """Only the heaviest entries of each row, as many as hold this share of its squared length.

        An inner product with a unit row changes by at most sqrt(1 - share) times the row's length.
        """
        return self.only(_heaviest(self.indptr, self.weights, share))

    def only(self, kept: BoolArray) -> "Vectors":
        """Only the entries where the mask is true."""
        return Vectors(*_only(self.indptr, self.features, self.weights, kept), self.space)

    def where(self, rows: BoolArray) -> "Vectors":
        """The same rows, emptied where the mask is false."""
        return self.only(np.repeat(rows, np.diff(self.indptr)))

    def plus(self, other: "Vectors") -> "Vectors":
        """The sum of these rows and the other ones."""
        self._check(other)
        parts = self.indptr, self.features, self.weights, other.indptr, other.features, other.weights
        return Vectors(*_plus(*parts), self.space)

    def dot(self, other: "Vectors", rows: Int64Array, other_rows: Int64Array) -> Float64Array:
        """Inner products of pairs of rows; NaN where one of them is empty."""
        self._check(other)
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
        """Inner products of all rows with all other rows; 0 where one of them is empty."""
        self._check(other)
        features, places = np.unique(np.concatenate([self.features, other.features]), return_inverse=True)
        mine, theirs = places[: len(self.features)], places[len(self.features) :]
        left = csr_array((self.weights, mine, self.indptr), shape=(len(self), len(features)))
        right = csr_array((other.weights, theirs, other.indptr), shape=(len(other), len(features)))
        return np.asarray((left @ right.T).toarray())

    def shared(self, row: int, other: "Vectors", other_row: int) -> tuple[Int64Array, Float64Array]:
        """The features two rows share and what each adds to their inner product."""
        self._check(other)
        mine, theirs = self.row(row), other.row(other_row)
        features, i, j = np.intersect1d(mine[0], theirs[0], assume_unique=True, return_indices=True)
        return features, mine[1][i] * theirs[1][j]

    def _check(self, other: "Vectors") -> None:
        if self.space != other.space:
            raise ValueError(
                f"vectors of different spaces: {self.space!r} and {other.space!r}; encode both anew"
            )


def join(parts: Sequence[Vectors]) -> Vectors:
    """Rows of several pieces, one behind the other."""
    sizes = np.concatenate([[0], *(np.diff(part.indptr) for part in parts)])
    return Vectors(
        np.cumsum(sizes, dtype=np.int64),
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.weights for part in parts]),
        parts[0].space,
    )
