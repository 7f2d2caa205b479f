"""Inner products over inverted lists, block by block: the scores of a block stay in the processor's cache."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Float64Array, Int64Array, UInt32Array
from querykin.compute.jit import njit

BLOCK = 1 << 16  # rows: their numbers fit 16 bits, and their scores half a megabyte
_TABLE = 64  # counts whose logarithms are looked up
_NEAR = 16  # entries of a list around the place where a row is looked for first
Scores = NDArray[Any]  # of a block's rows, in double precision or in single
LogTables = NDArray[np.float64]  # a table for each term
Places = NDArray[np.int64]  # of entries, for each block and term
Bounds = NDArray[np.float64]  # of what a list adds, for each block and term


class PostingBlocks(NamedTuple):
    """Inverted lists of rows, up to 65,536 in a block; weights are not below 0.

    The lists of block b are `rows[first[f] : first[f + 1]]` for the f-th of its features, rising, with the
    weights beside them; its features, and beside each the largest of its weights, begin at `begins[b]`,
    `indptr` at `begins[b] + b`, and what that counts from at `starts[b]`.
    """

    begins: Int64Array
    starts: Int64Array
    features: Int64Array
    indptr: UInt32Array
    max_weights: NDArray[Any]
    rows: NDArray[np.uint16]
    weights: NDArray[Any]


class Query(NamedTuple):
    """Terms with weights; where a term has a gain g, a weight w of a row counts log(1 + g w)."""

    features: Int64Array
    weights: Float64Array
    tf_scaling: Float64Array


@njit
def inner_products(blocks: PostingBlocks, query: Query, size: int) -> Float64Array:
    """The inner product of a query with every one of `size` rows."""
    values, tables = np.zeros(size), logarithms(query)
    begin, end, _ = located(blocks, query)
    for b in range(len(begin)):
        for i in range(len(query.features)):
            add(blocks, begin[b, i], end[b, i], query, i, tables, values[b * BLOCK : (b + 1) * BLOCK])
    return values


@njit
def some_products(blocks: PostingBlocks, query: Query, wanted: Int64Array) -> Float64Array:
    """The inner product of a query with some rows, given in rising order."""
    values = np.zeros(len(wanted))
    begin, end, _ = located(blocks, query)
    add_in_order(blocks, begin, end, query, logarithms(query), wanted, values)
    return values


@njit
def logarithms(query: Query) -> LogTables:
    """What small counts add under each term: gains go with counts nearly always."""
    tables = np.empty((len(query.tf_scaling), _TABLE if query.tf_scaling.any() else 0))
    for i in range(len(tables)):
        for count in range(tables.shape[1]):
            tables[i, count] = query.weights[i] * np.log1p(query.tf_scaling[i] * count)
    return tables


@njit
def located(blocks: PostingBlocks, query: Query) -> tuple[Places, Places, Bounds]:
    """For each block and term where its list begins and ends, and the most that it adds to a row."""
    shape = len(blocks.begins) - 1, len(query.features)
    begin, end, bounds = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape)
    for b in range(shape[0]):
        features = blocks.features[blocks.begins[b] : blocks.begins[b + 1]]
        for i in range(shape[1]):
            term = np.searchsorted(features, query.features[i])
            if term < len(features) and features[term] == query.features[i]:
                border = blocks.begins[b] + b + term
                begin[b, i] = blocks.starts[b] + blocks.indptr[border]
                end[b, i] = blocks.starts[b] + blocks.indptr[border + 1]
                most, gain = np.float64(blocks.max_weights[blocks.begins[b] + term]), query.tf_scaling[i]
                bounds[b, i] = max(0.0, query.weights[i] * (np.log1p(gain * most) if gain else most))
    return begin, end, bounds


@njit
def _share(weight: float, query_weight: float, gain: float, table: Float64Array) -> float:
    """What one weight of a row adds."""
    if gain == 0:
        return query_weight * weight
    count = int(weight)
    if count < _TABLE and count == weight:
        return float(table[count])
    return query_weight * float(np.log1p(gain * weight))


@njit
def add(
    blocks: PostingBlocks, begin: int, end: int, query: Query, i: int, tables: LogTables, values: Scores
) -> None:
    """Add a list to the scores of a block's rows."""
    weight, gain, table = query.weights[i], query.tf_scaling[i], tables[i]
    for p in range(begin, end):
        values[blocks.rows[p]] += _share(blocks.weights[p], weight, gain, table)


@njit
def add_some(
    blocks: PostingBlocks,
    begin: int,
    end: int,
    query: Query,
    i: int,
    tables: LogTables,
    wanted: Int64Array,
    base: int,
    values: Float64Array,
) -> None:
    """Add a list to the scores of some of the rows that follow `base`."""
    for j in range(len(wanted)):
        row = wanted[j] - base
        at = _place(blocks.rows, begin, end, row)
        if at < end and blocks.rows[at] == row:
            values[j] += _share(blocks.weights[at], query.weights[i], query.tf_scaling[i], tables[i])


@njit
def _place(rows: NDArray[np.uint16], begin: int, end: int, row: int) -> int:
    """Where a row stands in a list, or where it would.

    Rows are spread evenly, more or less: the search begins near by, and touches little memory.
    """
    if begin == end or rows[end - 1] < row:
        return end
    low = high = begin + (end - begin) * row // (rows[end - 1] + 1)
    step = _NEAR
    while low > begin and rows[low] >= row:
        high, low = low, max(begin, low - step)
        step *= 2
    while rows[high] < row:
        low, high = high + 1, min(end - 1, high + step)
        step *= 2
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return int(low)


@njit
def add_in_order(
    blocks: PostingBlocks,
    begin: Places,
    end: Places,
    query: Query,
    tables: LogTables,
    wanted: Int64Array,
    values: Float64Array,
) -> None:
    """Add all lists, in the query's order, to the scores of some rows given in rising order."""
    for b in range(len(begin)):
        low, high = np.searchsorted(wanted, b * BLOCK), np.searchsorted(wanted, (b + 1) * BLOCK)
        for i in range(len(query.features)):
            add_some(
                blocks,
                begin[b, i],
                end[b, i],
                query,
                i,
                tables,
                wanted[low:high],
                b * BLOCK,
                values[low:high],
            )
