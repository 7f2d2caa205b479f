"""Exact top-k retrieval of unit rows by block-max pruning (Ding & Suel 2011; Mallia, Suel & Tonellotto 2024).

Rows are reordered so that similar rows are adjacent, and grouped into blocks of 8. For every term an index
holds the largest weight in each block that has it. A query adds these up to an upper bound for every block,
then scores the rows of the blocks by descending bound until no bound reaches the k-th best score. The result
is exact: a skipped block cannot contain a row of the top k.

`block_max_layout` describes the arrays of a partition.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt16Array, grow
from querykin.compute.jit import njit, njit_inlined
from querykin.compute.sorting import first_at_least, kth_largest, sort_in_place
from querykin.index.block_max_layout import (
    BLOCK_ROWS,
    BOUND_STEP,
    PAGE,
    Partition,
    TermRows,
    inlined_pages_of,
)

_SUPERBLOCK = 64  # blocks whose largest bound is compared first
_STRIDE = 1024  # rows that are compared with the threshold at once
_SAMPLED = 16  # of so many rows one is looked at to begin with a threshold
_MAX_BOUND = 65_535  # of 16 bits
_BLOCK_BITS = 40  # of the number of a block below its bound, in a key that is sorted
_ROUNDING = 1 - 1e-9  # scores are rounded as sums of doubles are
_SMALLEST_POSITIVE = 5e-324


class SparseQuery(NamedTuple):
    """Query terms; weights are in the unit of the rows' 16-bit weights."""

    features: Int64Array
    weights: Float64Array


class TopK(NamedTuple):
    """How many rows are wanted; those within a share of `slack` of the k-th best score are returned too."""

    k: int
    slack: float
    min_score: float


class TermSlots(NamedTuple):
    """Query weights by slot. `table[rank]` is the slot of a term: its number in the query plus 1, or 0."""

    table: NDArray[Any]
    weights: Float64Array


@njit_inlined
def _add_bounds(entries: UInt16Array, weight: np.uint32, bounds: UInt16Array) -> None:
    """Add the largest contribution of a term, rounded up, to the blocks of its list; weight in 1/256."""
    count = 2 * len(entries) // 3
    max_weights = entries[count:].view(np.uint8)
    for p in range(count):
        bounds[entries[p]] += np.uint16((weight * np.uint32(max_weights[p]) + np.uint32(255)) >> np.uint32(8))


@njit_inlined
def _add_all_bounds(
    partition: Partition, ranks: Int64Array, weights: Float64Array, unit: float, bounds: UInt16Array
) -> None:
    """The upper bound of every block, in steps of 1/unit."""
    bounds[:] = 0
    for i in range(len(ranks)):
        if ranks[i] >= 0:
            begin, end = partition.list_indptr[ranks[i]], partition.list_indptr[ranks[i] + 1]
            weight = np.uint32(np.ceil(256 * BOUND_STEP * unit * weights[i]))
            _add_bounds(partition.lists[begin:end], weight, bounds)


@njit_inlined
def _score(row: UInt16Array, pages: int, slots: TermSlots) -> float:
    """The inner product of a packed row with the query."""
    total, p, half, weights = 0.0, pages, (len(row) - pages) // 2, slots.weights
    for page in range(pages):
        end = p + row[page]
        page_slots = slots.table[page * PAGE :]
        for q in range(p, end):
            total += weights[page_slots[row[q]]] * row[q + half]
        p = end
    return total


@njit
def _score_in_order(row: UInt16Array, pages: int, slots: TermSlots, by_slot: Float64Array) -> float:
    """The same, summed in the order of the query's terms: the last bit does not depend on other rows."""
    by_slot[:] = 0.0
    p, half, table, weights = pages, (len(row) - pages) // 2, slots.table, slots.weights
    for page in range(pages):
        for _ in range(row[page]):
            by_slot[table[page * PAGE + row[p]]] = row[p + half]
            p += 1
    total = 0.0
    for slot in range(1, len(by_slot)):
        total += weights[slot] * by_slot[slot]
    return total


@njit
def _ranks_of(partition: Partition, query: SparseQuery) -> Int64Array:
    """The ranks of the query's terms, -1 for a term that no row has."""
    ranks, features = np.empty(len(query.features), np.int64), partition.features
    for i in range(len(ranks)):
        ranks[i] = -1
        at = first_at_least(features, query.features[i])
        if at < len(features) and features[at] == query.features[i]:
            ranks[i] = partition.ranks[at]
    return ranks


@njit_inlined
def _assign_slots(ranks: Int64Array, query: SparseQuery, slots: TermSlots) -> None:
    """Enter the query's terms into the slots."""
    for i in range(len(ranks)):
        if ranks[i] >= 0:
            slots.table[ranks[i]], slots.weights[i + 1] = i + 1, query.weights[i]


@njit_inlined
def _clear_slots(ranks: Int64Array, slots: TermSlots) -> None:
    for rank in ranks:
        if rank >= 0:
            slots.table[rank] = 0


@njit_inlined
def _superblock_bounds(bounds: UInt16Array) -> Float64Array:
    """The largest bound of each superblock, in the type of scores: selection is compiled for one type."""
    largest = np.zeros(-(-len(bounds) // _SUPERBLOCK))
    for b in range(len(bounds)):
        if bounds[b] > largest[b // _SUPERBLOCK]:
            largest[b // _SUPERBLOCK] = bounds[b]
    return largest


@njit_inlined
def _candidate_blocks(bounds: UInt16Array, superblocks: Float64Array, lower: int, upper: int) -> Int64Array:
    """Blocks with lower <= bound < upper, by descending bound, then ascending."""
    count, blocks = 0, np.empty(2 * _SUPERBLOCK, np.int64)
    for s in range(len(superblocks)):
        if superblocks[s] < lower:
            continue
        blocks = grow(blocks, count + _SUPERBLOCK)
        for b in range(s * _SUPERBLOCK, min((s + 1) * _SUPERBLOCK, len(bounds))):
            blocks[count] = (_MAX_BOUND - bounds[b]) << _BLOCK_BITS | b
            count += lower <= bounds[b] < upper
    sort_in_place(blocks[:count])
    for i in range(count):
        blocks[i] &= (1 << _BLOCK_BITS) - 1
    return blocks[:count]


@njit_inlined
def _raise_threshold(
    found: Int64Array, scores: Float64Array, count: int, wanted: TopK, threshold: float
) -> tuple[int, float]:
    """Raise the threshold to the k-th best score, less the slack, and drop what is below it.

    Returns the number of rows left, and the threshold.
    """
    if count <= wanted.k:
        return count, threshold
    last = kth_largest(scores[:count], wanted.k)
    threshold = max(threshold, last - wanted.slack * abs(last))
    kept = 0
    for i in range(count):
        if scores[i] >= threshold:
            found[kept], scores[kept] = found[i], scores[i]
            kept += 1
    return kept, threshold


@njit
def top_positions(
    partition: Partition,
    order: Int32Array,
    live: BoolArray,
    query: SparseQuery,
    wanted: TopK,
    bounds: UInt16Array,
    slot_table: NDArray[Any],
) -> tuple[Int64Array, Float64Array]:
    """The positions of the k live rows with the best inner products, and of all within the slack of the last.

    Only scores above 0 that reach `wanted.min_score` count. Positions are in no order; `order` has the row at
    each. `bounds` has room for all blocks; `slot_table` for all ranks, and is all 0 before and after.
    """
    slots, k = TermSlots(slot_table, np.zeros(len(query.features) + 1)), wanted.k
    ranks = _ranks_of(partition, query)
    _assign_slots(ranks, query, slots)
    total, threshold = 0.0, max(_SMALLEST_POSITIVE, wanted.min_score)
    for weight in slots.weights:
        total += weight
    size = min(k, len(order)) + 256
    found, scores, count = np.empty(size, np.int64), np.empty(size), int(np.int64(0))
    if total <= 0 or len(order) == 0:
        _clear_slots(ranks, slots)
        return found[:0], scores[:0]
    unit = (_MAX_BOUND - 2 * len(ranks)) / (255 * BOUND_STEP * total)  # so that no bound overflows
    bounds = bounds[: -(-len(order) // BLOCK_ROWS)]
    _add_all_bounds(partition, ranks, query.weights, unit, bounds)
    superblocks, pages = _superblock_bounds(bounds), inlined_pages_of(partition.features)
    rows, row_indptr = partition.rows, partition.row_indptr
    first = min(k, 1 + len(superblocks) // 8)  # enough of them to set a threshold
    min_bound = max(1, int(threshold * _ROUNDING * unit))
    lower, upper = max(min_bound, int(kth_largest(superblocks, first))), _MAX_BOUND + 1
    full = k + k // 8
    while True:
        for b in _candidate_blocks(bounds, superblocks, lower, upper):
            if bounds[b] < min_bound:
                break
            for position in range(b * BLOCK_ROWS, min((b + 1) * BLOCK_ROWS, len(order))):
                if live[order[position]]:
                    score = _score(rows[row_indptr[position] : row_indptr[position + 1]], pages, slots)
                    if score >= threshold:
                        found[count], scores[count] = position, score
                        count += 1
            if count > full:
                count, threshold = _raise_threshold(found, scores, count, wanted, threshold)
                min_bound = max(1, int(threshold * _ROUNDING * unit))
                full = max(full, 2 * count)  # ties are never dropped
            found, scores = grow(found, count + BLOCK_ROWS), grow(scores, count + BLOCK_ROWS)  # many ties
        count, threshold = _raise_threshold(found, scores, count, wanted, threshold)
        min_bound = max(1, int(threshold * _ROUNDING * unit))
        if lower <= min_bound:
            break
        lower, upper = (min_bound if count >= k else max(min_bound, lower - lower // 4 - 1)), lower
    by_slot = np.empty(len(slots.weights))
    for i in range(count):
        row = rows[row_indptr[found[i]] : row_indptr[found[i] + 1]]
        scores[i] = _score_in_order(row, pages, slots, by_slot)
    _clear_slots(ranks, slots)
    return found[:count], scores[:count]


@njit_inlined
def _sampled_threshold(
    sums: Float64Array, order: Int32Array, live: BoolArray, wanted: TopK, threshold: float
) -> float:
    """A threshold that all of the k best reach: the k-th best sum of some of the rows, less the slack.

    Rows near each other are alike, so that the first ones say little of the others.
    """
    sample, count = np.empty(len(order) // _SAMPLED + 1), int(np.int64(0))
    for position in range(0, len(order), _SAMPLED):
        if live[order[position]]:
            sample[count] = sums[position]
            count += 1
    if count < wanted.k:
        return threshold
    last = kth_largest(sample[:count], wanted.k)
    threshold = max(threshold, last - wanted.slack * abs(last))
    return threshold


@njit
def top_sums(
    partition: Partition,
    terms: TermRows,
    order: Int32Array,
    live: BoolArray,
    query: SparseQuery,
    wanted: TopK,
    sums: Float64Array,
) -> tuple[Int64Array, Float64Array]:
    """What `top_positions` returns, by summing the posting lists of the query's terms (term-at-a-time).

    Terms are added in the same order, so the scores are equal to the last bit. `sums` has room for all rows,
    and is all 0 before and after.
    """
    ranks, positions, row_weights, indptr = (
        _ranks_of(partition, query),
        terms.positions,
        terms.weights,
        terms.indptr,
    )
    for i in range(len(ranks)):
        if ranks[i] >= 0:
            weight = query.weights[i]
            for p in range(indptr[ranks[i]], indptr[ranks[i] + 1]):
                sums[positions[p]] += weight * row_weights[p]
    threshold = _sampled_threshold(sums, order, live, wanted, max(_SMALLEST_POSITIVE, wanted.min_score))
    full = 2 * wanted.k
    found, scores, count = np.empty(_STRIDE, np.int64), np.empty(_STRIDE), int(np.int64(0))
    for begin in range(0, len(order), _STRIDE):
        found, scores = grow(found, count + _STRIDE), grow(scores, count + _STRIDE)
        for position in range(begin, min(begin + _STRIDE, len(order))):
            score = sums[position]
            sums[position] = 0
            if score >= threshold and live[order[position]]:
                found[count], scores[count] = position, score
                count += 1
        if count > full:
            count, threshold = _raise_threshold(found, scores, count, wanted, threshold)
            full = max(full, 2 * count)  # ties are never dropped
    count, threshold = _raise_threshold(found, scores, count, wanted, threshold)
    return found[:count], scores[:count]


@njit
def scores_at(
    partition: Partition, positions: Int64Array, query: SparseQuery, slot_table: NDArray[Any]
) -> Float64Array:
    """The inner products of a query with the rows at some positions."""
    slots = TermSlots(slot_table, np.zeros(len(query.features) + 1))
    ranks, pages = _ranks_of(partition, query), inlined_pages_of(partition.features)
    _assign_slots(ranks, query, slots)
    scores, by_slot = np.empty(len(positions)), np.empty(len(slots.weights))
    rows, row_indptr = partition.rows, partition.row_indptr
    for i in range(len(positions)):
        row = rows[row_indptr[positions[i]] : row_indptr[positions[i] + 1]]
        scores[i] = _score_in_order(row, pages, slots, by_slot)
    _clear_slots(ranks, slots)
    return scores
