"""Sparse rows as an inverted index on disk: the rows that have each feature, in blocks of 65,536 rows.

Row numbers take 16 bits, and so do weights that are small integers; other weights are in single precision.
"""

from functools import cached_property
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
from querykin.errors import DamagedFile
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
from querykin.storage.array_files import at_least, check_offsets, load_offsets, map_array

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


_WEIGHTS = (np.uint16, np.float32)


class PostingLists:
    """Posting lists of `size` rows on disk; they are verified when they are first searched."""

    def __init__(self, folder: Path, size: int) -> None:
        self._folder, blocks = folder, -(-size // BLOCK)
        self._mapped = {
            "features": map_array(folder, "features", types=np.int64),
            "indptr": map_array(folder, "indptr", types=np.uint32),
            "max_weights": map_array(folder, "max_weights", at_least(0), types=_WEIGHTS),
            "rows": map_array(folder, "rows", types=np.uint16),
            "weights": map_array(folder, "weights", at_least(0), types=_WEIGHTS),
        }
        lengths = {name: len(each) for name, each in self._mapped.items()}
        self._begins = load_offsets(folder, "begins", lengths["features"], blocks)
        self._starts = load_offsets(folder, "starts", lengths["rows"], blocks)
        self._last_rows = size - (blocks - 1) * BLOCK  # of the last block
        if lengths["indptr"] != lengths["features"] + blocks:
            raise DamagedFile(folder / "indptr.npy", f"it has {lengths['indptr']:,} values")
        for name, other in (("max_weights", "features"), ("weights", "rows")):
            if lengths[name] != lengths[other]:
                raise DamagedFile(folder / f"{name}.npy", f"it has {lengths[name]:,} values")
        if self._mapped["max_weights"].dtype != self.weight_type:
            raise DamagedFile(folder / "max_weights.npy", "its values are not of the type of the weights")

    @property
    def weight_type(self) -> "np.dtype[Any]":
        """The type of the weights."""
        return self._mapped["weights"].dtype

    @cached_property
    def _blocks(self) -> PostingBlocks:
        """All of the arrays, verified: whatever a query asks for, kernels find it within bounds."""
        arrays = {name: each.whole() for name, each in self._mapped.items()}
        blocks = PostingBlocks(begins=self._begins, starts=self._starts, **arrays)
        for b, (begin, end) in enumerate(pairwise(self._begins.tolist())):
            features, indptr = blocks.features[begin:end], blocks.indptr[begin + b : end + b + 1]
            check_offsets(self._folder / "indptr.npy", indptr, int(self._starts[b + 1] - self._starts[b]))
            if (features[1:] <= features[:-1]).any():
                raise DamagedFile(self._folder / "features.npy", "its features do not ascend")
        if self.blocks and (blocks.rows[self._starts[-2] :] >= self._last_rows).any():
            raise DamagedFile(self._folder / "rows.npy", "it has rows that do not exist")
        return blocks

    @property
    def features(self) -> Int64Array:
        """The features of all blocks, one block after another."""
        return self._blocks.features

    @property
    def entries(self) -> int:
        """The number of postings."""
        return len(self._mapped["weights"])

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
        return len(self._begins) - 1

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
