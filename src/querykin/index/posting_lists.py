"""Sparse rows as an inverted index on disk: the rows that have each feature, in blocks of 65,536 rows.

Row numbers take 16 bits, and so do weights that are small integers; other weights are in single precision.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import (
    BoolArray,
    Float64Array,
    Int64Array,
    UInt16Array,
    UInt32Array,
)
from querykin.compute.jit import njit
from querykin.compute.threads import scratch
from querykin.index.length_penalties import NO_PENALTIES, LengthPenalties
from querykin.index.maxscore import SearchLimits, top_k
from querykin.index.posting_blocks import (
    BLOCK,
    PostingBlocks,
    QueryVector,
    find_lists,
    inner_products,
    inner_products_of,
)
from querykin.storage.array_files import load

ROUNDING_SLACK = 1e-3  # far more than the norm of a row of rounded weights can differ from 1
_TIE_SLACK = 1e-12  # sums of the same numbers in another order
_CANCELLATION = 1e-6  # far more than the error of a sum of logarithms that cancel


def lowered_threshold(min_score: float) -> float:
    """The inner product that a score of at least `min_score` may have once weights are rounded."""
    return min_score * (1 - ROUNDING_SLACK if min_score > 0 else 1 + ROUNDING_SLACK)


class BlockArrays(NamedTuple):
    """The posting lists of one block; `indptr` counts from the start of its `rows` and `weights`."""

    features: Int64Array
    indptr: UInt32Array
    rows: UInt16Array
    weights: NDArray[Any]


class PostingLists:
    """Posting lists on disk."""

    def __init__(self, folder: Path) -> None:
        self._blocks = PostingBlocks(*(load(folder, name) for name in PostingBlocks._fields))
        self.features, self.weights = self._blocks.features, self._blocks.weights

    @property
    def entries(self) -> int:
        """The number of postings."""
        return len(self.weights)

    def filled(self, size: int) -> BoolArray:
        """Which rows have any feature at all."""
        filled = np.zeros(size, np.bool_)
        for b, (begin, end) in enumerate(pairwise(self._blocks.starts)):
            filled[b * BLOCK + self._blocks.rows[begin:end].astype(np.int64)] = True
        return filled

    def dot_all(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, size: int
    ) -> Float64Array:
        """The inner product of a query with every row."""
        return inner_products(self._blocks, QueryVector(features, weights, tf_scaling), size)

    def dot_rows(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, rows: Int64Array
    ) -> Float64Array:
        """The inner product of a query with the rows given."""
        distinct, inverse = np.unique(rows, return_inverse=True)
        return inner_products_of(self._blocks, QueryVector(features, weights, tf_scaling), distinct)[inverse]

    def top(
        self, features: Int64Array, weights: Float64Array, live: BoolArray, k: int, min_score: float = -np.inf
    ) -> tuple[Int64Array, Float64Array]:
        """The k best live rows that may reach `min_score`, and all that may tie with the last.

        Both allow for the rounding of weights.
        """
        query = QueryVector(features, weights, np.zeros(len(features)))
        limits = SearchLimits(k, ROUNDING_SLACK, lowered_threshold(min_score))
        return top_k(self._blocks, live, query, NO_PENALTIES, limits, scratch(BLOCK))

    def top_penalized(
        self,
        features: Int64Array,
        weights: Float64Array,
        tf_scaling: Float64Array,
        length_penalties: LengthPenalties,
        mass: float,
        live: BoolArray,
        k: int,
        min_score: float,
    ) -> tuple[Int64Array, Float64Array]:
        """The k best live rows, each less `mass` times its length penalty, and all that tie with the last.

        Rows clearly below `min_score` are left out.
        """
        query = QueryVector(features, weights, tf_scaling)
        penalties = length_penalties._replace(mass=mass)
        limits = SearchLimits(k, _TIE_SLACK, min_score - _CANCELLATION)
        buffer = scratch(BLOCK // 2).view(np.float32)
        return top_k(self._blocks, live, query, penalties, limits, buffer)

    def totals(self, features: Int64Array, live: BoolArray) -> Float64Array:
        """The sum of each feature's weights over the live rows."""
        return _totals(self._blocks, features, live)

    def postings(self, feature: int) -> tuple[Int64Array, Float64Array]:
        """The rows that have a feature, and its weight in each."""
        rows, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
        for b in range(self.blocks):
            block = self.block(b)
            at = int(np.searchsorted(block.features, feature))
            if at < len(block.features) and block.features[at] == feature:
                part = slice(block.indptr[at], block.indptr[at + 1])
                rows.append(b * BLOCK + block.rows[part].astype(np.int64))
                weights.append(block.weights[part].astype(np.float64))
        return np.concatenate(rows), np.concatenate(weights)

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(self._blocks.begins) - 1

    def block(self, b: int) -> BlockArrays:
        """One block."""
        arrays, (begin, end) = self._blocks, self._blocks.begins[b : b + 2]
        part = slice(arrays.starts[b], arrays.starts[b + 1])
        indptr = arrays.indptr[begin + b : end + b + 1]
        return BlockArrays(arrays.features[begin:end], indptr, arrays.rows[part], arrays.weights[part])


@njit
def _totals(blocks: PostingBlocks, features: Int64Array, live: BoolArray) -> Float64Array:
    totals, zeros = np.zeros(len(features)), np.zeros(len(features))
    lists = find_lists(blocks, QueryVector(features, zeros, zeros))
    for b in range(len(lists.begin)):
        for term in range(len(features)):
            for p in range(lists.begin[b, term], lists.end[b, term]):
                if live[b * BLOCK + blocks.rows[p]]:
                    totals[term] += blocks.weights[p]
    return totals
