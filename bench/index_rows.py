"""The rows of an index as SciPy matrices, with features numbered from 0."""

from typing import cast

import numpy as np
from scipy.sparse import csc_array, csr_array

from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.index.block_max_index import BlockMaxIndex
from querykin.index.index import Index
from querykin.index.posting_lists import PostingLists
from querykin.vectors import QUANTIZATION_LEVELS, Vectors

_BATCH = 1 << 18  # rows read at once


def rows_of(index: Index) -> tuple[csr_array, Int64Array]:
    """All rows of an index, and the feature behind each column."""
    read = [cast(BlockMaxIndex, segment.rows).read(np.arange(len(segment))) for segment in index.segments]
    sizes, features, weights = (
        np.concatenate(side) for side in zip(*((np.diff(first), *rest) for first, *rest in read), strict=True)
    )
    names, columns = np.unique(features, return_inverse=True)
    found = csr_array(
        (weights / QUANTIZATION_LEVELS, columns, make_indptr(sizes.tolist())), shape=(len(sizes), len(names))
    )
    found.sort_indices()
    return found, names


def list_lengths(index: Index, names: Int64Array) -> Int64Array:
    """The number of rows that have each of some ascending features.

    Rows are read in batches, since ten million do not fit in memory.
    """
    lengths = np.zeros(len(names), np.int64)
    for segment in index.segments:
        for begin in range(0, len(segment), _BATCH):
            rows = np.arange(begin, min(begin + _BATCH, len(segment)))
            found = cast(BlockMaxIndex, segment.rows).read(rows).features
            places = np.minimum(np.searchsorted(names, found), len(names) - 1)
            lengths += np.bincount(places[names[places] == found], minlength=len(names))
    return lengths


def columns_of(index: Index, features: Int64Array) -> csc_array:
    """Some columns of all rows; the complete rows of language models would not fit in memory as a SciPy matrix."""
    rows: list[Int64Array] = []
    weights: list[Float64Array] = []
    for feature in features.tolist():
        base = 0
        found = []
        for segment in index.segments:
            segment_rows, values = cast(PostingLists, segment.rows).postings(feature)
            found.append(base + segment_rows)
            weights.append(values)
            base += len(segment)
        rows.append(np.concatenate(found))
    indptr = make_indptr(map(len, rows))
    shape = sum(map(len, index.segments)), len(features)
    return csc_array((np.concatenate(weights), np.concatenate(rows).astype(np.int32), indptr), shape=shape)


def vectors(matrix: csr_array) -> Vectors:
    """The same rows as vectors that an index accepts."""
    return Vectors(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data, "rows")


def renamed(query: Vectors, names: Int64Array) -> tuple[Int64Array, Float64Array]:
    """A query's row over the same columns; features that no candidate has are dropped."""
    features, weights = query.row(0)
    place = np.minimum(np.searchsorted(names, features), len(names) - 1)
    known = names[place] == features
    return place[known], weights[known]
