"""The rows of an index as everybody else wants them: one after another, features numbered from 0."""

from typing import cast

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array

from querykin.compiled import Longs, Reals, ragged
from querykin.index.index import Index
from querykin.index.kernels import BLOCK
from querykin.index.lists import Lists
from querykin.vectors import Vectors


def rows_of(index: Index) -> tuple[csr_array, Longs]:
    """All rows of an index, and the feature behind each column."""
    rows, features, weights = [], [], []
    base = 0
    for segment in index.segments:
        lists = cast(Lists, segment.rows)
        for b in range(len(lists.begins) - 1):
            known, first, held, steps = lists.block(b)
            rows.append(base + b * BLOCK + held.astype(np.int64))
            features.append(np.repeat(known, (first[1:] - first[:-1]).astype(np.int64)))
            weights.append(steps * lists.scale)
        base += len(segment)
    names, columns = np.unique(np.concatenate(features), return_inverse=True)
    shape = base, len(names)
    found = coo_array((np.concatenate(weights), (np.concatenate(rows), columns)), shape=shape).tocsr()
    found.sort_indices()
    return found, names


def columns_of(index: Index, features: Longs) -> csc_array:
    """Some columns of all rows; whole rows of language models would not fit in memory as everybody else keeps them."""
    rows: list[Longs] = []
    weights: list[Reals] = []
    for feature in features.tolist():
        base = 0
        found = []
        for segment in index.segments:
            held, values = cast(Lists, segment.rows).held(feature)
            found.append(base + held)
            weights.append(values)
            base += len(segment)
        rows.append(np.concatenate(found))
    first = ragged(map(len, rows))
    shape = sum(map(len, index.segments)), len(features)
    return csc_array((np.concatenate(weights), np.concatenate(rows).astype(np.int32), first), shape=shape)


def vectors(matrix: csr_array) -> Vectors:
    """The same rows as an index takes them."""
    return Vectors(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data, "rows")


def renamed(query: Vectors, names: Longs) -> tuple[Longs, Reals]:
    """A query's row over the same columns; what no candidate has is left out."""
    features, weights = query.row(0)
    place = np.minimum(np.searchsorted(names, features), len(names) - 1)
    known = names[place] == features
    return place[known], weights[known]
