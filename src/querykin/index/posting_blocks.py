"""Inner products over posting lists, block by block, so that the scores of a block stay in the CPU cache."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Float64Array, Int64Array, UInt16Array, UInt32Array
from querykin.compute.jit import njit

BLOCK = 1 << 16  # rows: row numbers fit 16 bits, scores fit half a megabyte
_TABLE_SIZE = 64  # counts whose logarithms are tabulated
_INITIAL_STEP = 16  # postings: the first step of an exponential search
Int64Matrix = NDArray[np.int64]
Float64Matrix = NDArray[np.float64]
FloatArray = NDArray[Any]  # float64, or float32 where half the memory traffic matters more than the last bits


class PostingBlocks(NamedTuple):
    """Posting lists of sparse rows with weights >= 0, in blocks of 65,536 rows.

    Block b has the features `features[begins[b] : begins[b + 1]]`, ascending, each with the largest of its
    weights in `max_weights`. Its `indptr` starts at `begins[b] + b` and counts from `starts[b]`: the list of
    its f-th feature is `rows[starts[b] + indptr[f] : starts[b] + indptr[f + 1]]`, ascending, with `weights`
    beside it. Rows are numbered from the start of the block.

    The field names are file names of an index.
    """

    begins: Int64Array
    starts: Int64Array
    features: Int64Array
    indptr: UInt32Array
    max_weights: NDArray[Any]
    rows: UInt16Array
    weights: NDArray[Any]


class QueryVector(NamedTuple):
    """A sparse query; where `tf_scaling` g is not 0, a row's weight w counts as log(1 + g w)."""

    features: Int64Array
    weights: Float64Array
    tf_scaling: Float64Array


class TermScorer(NamedTuple):
    """What a posting contributes to a score: the query's weights, and tabulated logarithms per term."""

    weights: Float64Array
    tf_scaling: Float64Array
    log_tables: Float64Matrix


class TermLists(NamedTuple):
    """Where the list of each query term is in each block, and the most it can add to a row's score."""

    begin: Int64Matrix
    end: Int64Matrix
    upper_bounds: Float64Matrix


@njit
def inner_products(blocks: PostingBlocks, query: QueryVector, size: int) -> Float64Array:
    """The inner product of a query with each of `size` rows."""
    scores, scorer, lists = np.zeros(size), make_scorer(query), find_lists(blocks, query)
    for b in range(len(lists.begin)):
        block_scores = scores[b * BLOCK : (b + 1) * BLOCK]
        for term in range(len(query.features)):
            add_list(blocks, lists.begin[b, term], lists.end[b, term], scorer, term, block_scores)
    return scores


@njit
def inner_products_of(blocks: PostingBlocks, query: QueryVector, rows: Int64Array) -> Float64Array:
    """The inner product of a query with rows given in ascending order."""
    scores = np.zeros(len(rows))
    add_lists_in_order(blocks, find_lists(blocks, query), make_scorer(query), rows, scores)
    return scores


@njit
def make_scorer(query: QueryVector) -> TermScorer:
    """Tabulate what small counts contribute under each term: scaled weights are nearly always counts."""
    tables = np.empty((len(query.tf_scaling), _TABLE_SIZE if query.tf_scaling.any() else 0))
    for term in range(len(tables)):
        for count in range(tables.shape[1]):
            tables[term, count] = query.weights[term] * np.log1p(query.tf_scaling[term] * count)
    return TermScorer(query.weights, query.tf_scaling, tables)


@njit
def find_lists(blocks: PostingBlocks, query: QueryVector) -> TermLists:
    """Locate the list of each query term in each block by binary search."""
    shape = len(blocks.begins) - 1, len(query.features)
    begin, end, upper_bounds = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape)
    for b in range(shape[0]):
        features = blocks.features[blocks.begins[b] : blocks.begins[b + 1]]
        for term in range(shape[1]):
            f = np.searchsorted(features, query.features[term])
            if f < len(features) and features[f] == query.features[term]:
                at = blocks.begins[b] + b + f
                begin[b, term] = blocks.starts[b] + blocks.indptr[at]
                end[b, term] = blocks.starts[b] + blocks.indptr[at + 1]
                largest, scale = np.float64(blocks.max_weights[blocks.begins[b] + f]), query.tf_scaling[term]
                value = query.weights[term] * (np.log1p(scale * largest) if scale else largest)
                upper_bounds[b, term] = max(0.0, value)
    return TermLists(begin, end, upper_bounds)


@njit
def _contribution(weight: float, query_weight: float, scale: float, log_table: Float64Array) -> float:
    """What one posting adds to a score."""
    if scale == 0:
        return query_weight * weight
    count = int(weight)
    if count < _TABLE_SIZE and count == weight:
        return float(log_table[count])
    return query_weight * float(np.log1p(scale * weight))


@njit
def add_list(
    blocks: PostingBlocks, begin: int, end: int, scorer: TermScorer, term: int, scores: FloatArray
) -> None:
    """Add a term's list to the scores of a block's rows."""
    weight, scale, table = scorer.weights[term], scorer.tf_scaling[term], scorer.log_tables[term]
    rows, weights = blocks.rows, blocks.weights
    for p in range(begin, end):
        scores[rows[p]] += _contribution(weights[p], weight, scale, table)


@njit
def add_list_at(
    blocks: PostingBlocks,
    begin: int,
    end: int,
    scorer: TermScorer,
    term: int,
    rows: Int64Array,
    scores: Float64Array,
) -> None:
    """Add a term's list to the scores of some rows of its block, by lookup."""
    weight, scale, table = scorer.weights[term], scorer.tf_scaling[term], scorer.log_tables[term]
    for j in range(len(rows)):
        at = _find_row(blocks.rows, begin, end, rows[j])
        if at < end and blocks.rows[at] == rows[j]:
            scores[j] += _contribution(blocks.weights[at], weight, scale, table)


@njit
def _find_row(rows: UInt16Array, begin: int, end: int, row: int) -> int:
    """The first posting of a list whose row is not below `row`.

    Rows are spread about evenly: an exponential search from the interpolated position touches little memory.
    """
    if begin == end or rows[end - 1] < row:
        return end
    low = high = begin + (end - begin) * row // (rows[end - 1] + 1)
    step = _INITIAL_STEP
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
def add_lists_in_order(
    blocks: PostingBlocks, lists: TermLists, scorer: TermScorer, rows: Int64Array, scores: Float64Array
) -> None:
    """Add all lists, in the order of the query's terms, to the scores of rows given in ascending order."""
    for b in range(len(lists.begin)):
        low, high = np.searchsorted(rows, b * BLOCK), np.searchsorted(rows, (b + 1) * BLOCK)
        here, block_scores = rows[low:high] - b * BLOCK, scores[low:high]
        for term in range(len(scorer.weights)):
            add_list_at(blocks, lists.begin[b, term], lists.end[b, term], scorer, term, here, block_scores)
