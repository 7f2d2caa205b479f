"""The storage layout of a block-max index: bound lists of terms, and packed rows.

Terms go by rank: 0 is the term that most rows have. The bound list of rank r is
`lists[list_indptr[r] : list_indptr[r + 1]]`: the blocks that have the term, then the largest weight of the
term in each, rounded up to 8 bits and packed two to a word. Blocks and weights are contiguous because a query
waits for memory most of the time.

The row at position p is `rows[row_indptr[p] : row_indptr[p + 1]]`: how many of its terms are on each page of
65,536 ranks, the low 16 bits of their ranks, ascending, and their weights in multiples of 1/65,535.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Int64Array, UInt8Array, UInt16Array, UInt32Array
from querykin.compute.jit import njit, njit_inlined
from querykin.compute.sorting import sort_in_place

BLOCK_ROWS = 8  # larger blocks have looser bounds, smaller ones longer lists
MAX_BLOCKS = 1 << 16  # of a partition: block numbers fit 16 bits
PAGE = 1 << 16  # ranks whose low 16 bits are distinct
_PLACE_BITS = 32  # of the place of a term in its row, below its rank, in a key that is sorted
BOUND_STEP = 257  # of an 8-bit weight, in steps of a 16-bit weight: 255 * 257 = 65,535


class Partition(NamedTuple):
    """As many rows as block numbers and memory allow, hundreds of thousands.

    The field names are file names of an index.
    """

    features: Int64Array  # ascending
    ranks: UInt32Array  # of each feature
    list_indptr: UInt32Array
    lists: UInt16Array
    row_indptr: UInt32Array
    rows: UInt16Array


class TermRows(NamedTuple):
    """The rows that have each term, by rank: `positions[indptr[r] : indptr[r + 1]]`, with their weights."""

    indptr: Int64Array
    positions: UInt32Array
    weights: UInt16Array


TYPES: dict[str, type[np.generic]] = {
    "features": np.int64,
    "ranks": np.uint32,
    "list_indptr": np.uint32,
    "lists": np.uint16,
    "row_indptr": np.uint32,
    "rows": np.uint16,
}


class QuantizedRows(NamedTuple):
    """Sparse rows with weights in multiples of 1/65,535; features of a row are in any order."""

    indptr: Int64Array
    features: Int64Array
    weights: UInt16Array


def pages_of(features: Int64Array) -> int:
    """The number of pages that hold the ranks of these features."""
    return -(-len(features) // PAGE)


inlined_pages_of = njit_inlined(pages_of)  # for kernels


@njit
def count_blocks(indptr: Int64Array, ranks: Int64Array, width: int) -> Int64Array:
    """The number of blocks that have each of `width` ranks; `ranks` are those of the rows' terms."""
    counts, last = np.zeros(width, np.int64), np.full(width, -1, np.int64)
    for position in range(len(indptr) - 1):
        block = position // BLOCK_ROWS
        for i in range(indptr[position], indptr[position + 1]):
            if last[ranks[i]] != block:
                last[ranks[i]] = block
                counts[ranks[i]] += 1
    return counts


@njit
def fill_lists(
    indptr: Int64Array,
    ranks: Int64Array,
    weights: UInt16Array,
    counts: Int64Array,
    list_indptr: Int64Array,
    lists: UInt16Array,
    list_bytes: UInt8Array,
) -> None:
    """Write the bound lists; `list_bytes` is a view of the memory of `lists`."""
    filled, last = np.zeros(len(counts), np.int64), np.full(len(counts), -1, np.int64)
    for position in range(len(indptr) - 1):
        block = position // BLOCK_ROWS
        for i in range(indptr[position], indptr[position + 1]):
            rank = ranks[i]
            if last[rank] != block:
                last[rank] = block
                lists[list_indptr[rank] + filled[rank]] = block
                filled[rank] += 1
            at = 2 * (list_indptr[rank] + counts[rank]) + filled[rank] - 1
            list_bytes[at] = max(list_bytes[at], (np.int64(weights[i]) + BOUND_STEP - 1) // BOUND_STEP)


@njit
def transpose_rows(partition: Partition) -> TermRows:
    """The same weights as posting lists."""
    rows, row_indptr, pages = partition.rows, partition.row_indptr, inlined_pages_of(partition.features)
    indptr = np.zeros(len(partition.features) + 1, np.int64)
    for filling in range(2):  # the lengths of the lists first
        if filling:
            for rank in range(len(partition.features)):
                indptr[rank + 1] += indptr[rank]
            size, ends = indptr[-1], indptr[:-1].copy()
            positions, weights = np.empty(size, np.uint32), np.empty(size, np.uint16)
        for position in range(len(row_indptr) - 1):
            begin = np.int64(row_indptr[position])
            p, half = begin + pages, (np.int64(row_indptr[position + 1]) - begin - pages) // 2
            for page in range(pages):
                for _ in range(rows[begin + page]):
                    rank = page * PAGE + rows[p]
                    if filling:
                        positions[ends[rank]], weights[ends[rank]] = position, rows[p + half]
                        ends[rank] += 1
                    else:
                        indptr[rank + 1] += 1
                    p += 1
    return TermRows(indptr, positions, weights)


@njit
def pack_rows(
    indptr: Int64Array,
    ranks: Int64Array,
    weights: UInt16Array,
    pages: int,
    row_indptr: Int64Array,
    rows: UInt16Array,
) -> None:
    """Write rows one after another, terms by ascending rank."""
    for position in range(len(indptr) - 1):
        part = slice(indptr[position], indptr[position + 1])
        row_ranks, row_weights = ranks[part], weights[part]
        at, count = row_indptr[position], len(row_ranks)
        order = np.empty(count, np.int64)  # the ranks, each above its place
        for j in range(count):
            order[j] = row_ranks[j] << _PLACE_BITS | j
        sort_in_place(order)
        for j in range(count):
            rank, place = order[j] >> _PLACE_BITS, order[j] & ((1 << _PLACE_BITS) - 1)
            rows[at + rank // PAGE] += 1
            rows[at + pages + j] = rank % PAGE
            rows[at + pages + count + j] = row_weights[place]


@njit
def unpack_rows(
    partition: Partition,
    feature_of: Int64Array,
    positions: Int64Array,
    begins: Int64Array,
    out: QuantizedRows,
) -> None:
    """Write the features and weights of the rows at some positions to `out`, from `begins` on.

    `feature_of` has the feature of each rank.
    """
    pages = inlined_pages_of(partition.features)
    for i in range(len(positions)):
        position, at = positions[i], begins[i]
        row = partition.rows[partition.row_indptr[position] : partition.row_indptr[position + 1]]
        p, half = pages, (len(row) - pages) // 2
        for page in range(pages):
            for _ in range(row[page]):
                out.features[at], out.weights[at] = feature_of[page * PAGE + row[p]], row[p + half]
                p += 1
                at += 1


@njit
def heaviest_features(rows: QuantizedRows, keys: NDArray[np.int64]) -> None:
    """Write the heaviest features of each row, by descending weight; ties go to the smaller feature."""
    depth = keys.shape[1]
    for row in range(len(keys)):
        count = 0
        top = np.zeros(depth, np.int64)
        for i in range(rows.indptr[row], rows.indptr[row + 1]):
            weight, feature, at = np.int64(rows.weights[i]), rows.features[i], count
            while at > 0 and (top[at - 1], -keys[row, at - 1]) < (weight, -feature):
                at -= 1
            if at == depth:
                continue
            for j in range(min(count, depth - 1), at, -1):
                top[j], keys[row, j] = top[j - 1], keys[row, j - 1]
            top[at], keys[row, at] = weight, feature
            count = min(count + 1, depth)
