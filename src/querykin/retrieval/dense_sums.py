"""Weighted sums of dense scores of many queries with all candidates, by matrix multiplication.

Levels are multiplied in single precision, which is exact: products of up to 1,024 columns of 8-bit levels are
integers below 2^24. The sums are those that a query searched alone has, to the last bit. Candidates are
multiplied in tiles; of each tile only those are kept that may be among the best. A thread needs a tile of
products and sums (4 MB), the levels of a tile, and at most 84 MB of kept candidates. A candidate is named by
its position among those that are searched.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Float64Array, Int8Array, Int32Array, Int64Array
from querykin.compute.cpus import available_cpus
from querykin.compute.jit import njit
from querykin.compute.threads import limit_blas_threads, thread_map

MANY = 32  # queries from which on a matrix product is faster than a product for each query
MAX_KEPT = 16_384  # candidates of a query; one with more must be searched alone
_QUERIES = 256  # multiplied at once by one thread, at most
_TILE = 1024  # candidates multiplied at once
_COLUMNS = 1024  # multiplied at once: 127 * 127 * 1024 < 2^24
_STEP = 64  # candidates compared at once


class DensePart(NamedTuple):
    """Dense rows of queries and candidates, and what the scores of each count in a sum."""

    levels: Int8Array  # of the queries
    scales: NDArray[np.float32]
    weights: Float64Array
    # The levels and scales of candidates by position; their columns are those of the queries.
    candidates: Callable[[Int64Array], tuple[Int8Array, NDArray[np.float32]]]
    candidate_weights: Float64Array


class ListedPart(NamedTuple):
    """A part of which only the best scores of each query are known, listed by ascending position.

    Scores of the others are from 0 to `bounds`.
    """

    weights: Float64Array
    candidate_weights: Float64Array
    bounds: Float64Array
    indptr: Int64Array
    positions: Int64Array
    scores: Float64Array


def nothing_listed(queries: int, candidates: int) -> ListedPart:
    """A part that adds nothing."""
    none, indptr = np.zeros(0, np.int64), np.zeros(queries + 1, np.int64)
    return ListedPart(np.zeros(queries), np.zeros(candidates), np.zeros(queries), indptr, none, np.zeros(0))


class Sums(NamedTuple):
    """Candidates by ascending position, with what the dense parts add to their sums."""

    positions: Int64Array
    sums: Float64Array


@njit
def _add_part(
    products: NDArray[np.floating],
    query_scales: Float64Array,
    query_weights: Float64Array,
    scales: Float64Array,
    weights: Float64Array,
    sums: Float64Array,
) -> None:
    """Add the scores of a part, each times the mean of both weights, in the order of a single search."""
    for query in range(len(products)):
        query_scale, query_weight = query_scales[query], query_weights[query]
        row, out = products[query], sums[query]
        for i in range(len(scales)):
            score = np.float64(row[i]) * (scales[i] * query_scale)
            out[i] += (query_weight + weights[i]) / 2 * score


class Kept(NamedTuple):
    """The candidates kept for each query so far: a line each, of which `counts` are used; -1: too many."""

    positions: Int32Array
    sums: Float64Array
    most: Float64Array  # the sums with the largest score that the listed part may add
    counts: Int64Array
    thresholds: Float64Array  # lower sums do not count


@njit
def _raise_threshold(kept: Kept, query: int, k: int) -> None:
    """Raise the threshold to the k-th best known part of a sum, and drop what cannot reach it.

    A sum of 0 may be that of a candidate without a score, which is not among the best.
    """
    count = kept.counts[query]
    if count <= k:
        return
    positions, sums, most = kept.positions[query], kept.sums[query], kept.most[query]
    last = np.partition(sums[:count], count - k)[count - k]
    if last <= 0:
        return
    threshold = max(kept.thresholds[query], last)
    left = 0
    for i in range(count):
        if most[i] >= threshold:
            positions[left], sums[left], most[left] = positions[i], sums[i], most[i]
            left += 1
    kept.thresholds[query], kept.counts[query] = threshold, left


@njit
def _add_most(listed: ListedPart, query: int, begin: int, sums: Float64Array, most: Float64Array) -> None:
    """The largest sums of candidates from position `begin` on with a query."""
    weight, bound, weights = listed.weights[query], listed.bounds[query], listed.candidate_weights[begin:]
    for i in range(len(sums)):
        most[i] = sums[i] + (weight + weights[i]) / 2 * bound
    first, last = listed.indptr[query], listed.indptr[query + 1]
    at = first + np.searchsorted(listed.positions[first:last], begin)
    while at < last and listed.positions[at] < begin + len(sums):
        i = listed.positions[at] - begin
        most[i] = sums[i] + (weight + weights[i]) / 2 * listed.scores[at]
        at += 1


@njit
def _keep(
    sums: Float64Array, listed: ListedPart, first: int, begin: int, k: int, limits: Int64Array, kept: Kept
) -> None:
    """Keep the candidates of a tile, which begins at `begin`, that may reach the threshold of a query.

    The queries are those of the listed part from `first` on. One with more than `limits` candidates raises
    its threshold.
    """
    room, most = kept.positions.shape[1] - _STEP, np.empty(sums.shape[1])
    for query in range(len(sums)):
        row = sums[query]
        _add_most(listed, first + query, begin, row, most)
        for step in range(0, len(row), _STEP):
            threshold, count = kept.thresholds[query], kept.counts[query]
            if count < 0:
                break
            end, reaching = min(step + _STEP, len(row)), 0
            for i in range(step, end):
                reaching += most[i] >= threshold
            if not reaching:
                continue
            for i in range(step, end):
                if most[i] >= threshold and row[i] > -np.inf:  # the threshold may be -inf
                    kept.positions[query, count] = begin + i
                    kept.sums[query, count], kept.most[query, count] = row[i], most[i]
                    count += 1
            kept.counts[query] = count
            if count > limits[query] or count > room:
                _raise_threshold(kept, query, k)
                limits[query] = max(limits[query], 2 * kept.counts[query])
                if kept.counts[query] > room:
                    kept.counts[query] = -1


def reaching_sums(
    parts: Sequence[DensePart], listed: ListedPart, eligible: BoolArray, k: int, min_sum: float
) -> list[Sums | None]:
    """For each query the candidates that may be among the k with the best sums of at least `min_sum`.

    The sums are those of the dense parts and of the listed one. Candidates that may tie with the last are
    among them. `eligible` says which candidates may be returned at all.
    None: there are more than `MAX_KEPT`.
    """
    size = len(parts[0].levels)
    step = min(_QUERIES, -(-size // available_cpus()))
    chunks = [slice(begin, min(begin + step, size)) for begin in range(0, size, step)]
    with limit_blas_threads():
        found = thread_map(lambda chunk: _reaching(parts, listed, eligible, k, min_sum, chunk), chunks)
    return [sums for chunk in found for sums in chunk]


def _reaching(
    parts: Sequence[DensePart], listed: ListedPart, eligible: BoolArray, k: int, min_sum: float, chunk: slice
) -> list[Sums | None]:
    size = chunk.stop - chunk.start
    kept = Kept(
        np.empty((size, MAX_KEPT + _STEP), np.int32),
        np.empty((size, MAX_KEPT + _STEP)),
        np.empty((size, MAX_KEPT + _STEP)),
        np.zeros(size, np.int64),
        np.full(size, min_sum),
    )
    limits = np.full(size, 2 * k + _STEP)
    levels = [part.levels[chunk].astype(np.float32) for part in parts]
    scales = [part.scales[chunk].astype(np.float64) for part in parts]
    for begin in range(0, len(eligible), _TILE):
        positions = np.arange(begin, min(begin + _TILE, len(eligible)))
        sums = np.repeat(np.where(eligible[positions], 0.0, -np.inf)[None], size, axis=0)
        for part, rows, row_scales in zip(parts, levels, scales, strict=True):
            candidates, candidate_scales = part.candidates(positions)
            _add_part(
                _products(rows, candidates),
                row_scales,
                part.weights[chunk],
                candidate_scales.astype(np.float64),
                part.candidate_weights[positions],
                sums,
            )
        _keep(sums, listed, chunk.start, begin, k, limits, kept)
    return [_sums(kept, query) for query in range(size)]


def _products(levels: NDArray[np.float32], candidates: Int8Array) -> NDArray[np.floating]:
    """The inner products of queries with candidates: exact integers."""
    columns = range(0, levels.shape[1], _COLUMNS)
    parts = [slice(begin, begin + _COLUMNS) for begin in columns] or [slice(0, 0)]
    first, *others = (levels[:, part] @ candidates[:, part].T.astype(np.float32) for part in parts)
    return first if not others else sum(others, first.astype(np.float64))


def _sums(kept: Kept, query: int) -> Sums | None:
    count = kept.counts[query]
    if count < 0:
        return None
    return Sums(kept.positions[query, :count].astype(np.int64), kept.sums[query, :count].copy())
