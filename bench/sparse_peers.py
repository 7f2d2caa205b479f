"""Implementations of top-k search by inner product over sparse rows, behind one interface.

All of them index the same rows, some in single precision, and use one thread.
"""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, csr_matrix

from bench.index_rows import vectors
from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from querykin.compute.jit import njit
from querykin.index.block_max_index import BlockMaxIndex, write_block_max_index

Query = tuple[Int64Array, Float64Array]


class Searcher(ABC):
    """Finds the k largest scores for a query."""

    name: str

    @abstractmethod
    def __init__(self, rows: csr_array, folder: Path) -> None:
        """Take the rows; `folder` does not exist yet."""

    @abstractmethod
    def top(self, query: Query, k: int) -> Float64Array:
        """The k largest scores, in descending order."""


def _best(values: Float64Array, k: int) -> Float64Array:
    return -np.sort(-np.partition(values, len(values) - k)[len(values) - k :])


class Querykin(Searcher):
    """Compressed posting lists with block maxima (Ding & Suel 2011), as in an index of querykin."""

    name = "querykin"

    def __init__(self, rows: csr_array, folder: Path) -> None:
        folder.mkdir()
        write_block_max_index(folder, vectors(rows))
        self._rows = BlockMaxIndex(folder, rows.shape[0])
        self._live: BoolArray = np.ones(rows.shape[0], np.bool_)

    def top(self, query: Query, k: int) -> Float64Array:
        """Exact: rows that are skipped cannot be among the k best."""
        scores = self._rows.top(*query, self._live, k)[1]
        return -np.sort(-scores)[:k]


@njit
def _taat(
    first: Int64Array,
    rows: Int32Array,
    weights: Float64Array,
    size: int,
    query: Int64Array,
    query_weights: Float64Array,
    k: int,
) -> Float64Array:
    """A plain term-at-a-time loop."""
    values = np.zeros(size)
    for i in range(len(query)):
        for p in range(first[query[i]], first[query[i] + 1]):
            values[rows[p]] += query_weights[i] * weights[p]
    return -np.sort(-np.partition(values, size - k)[size - k :])


class TermAtATime(Searcher):
    """The plain loop in numba, the main baseline."""

    name = "term at a time (numba)"

    def __init__(self, rows: csr_array, folder: Path) -> None:
        columns = rows.tocsc()
        self._lists = columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data
        self._size = rows.shape[0]

    def top(self, query: Query, k: int) -> Float64Array:
        """All scores in one array, then the largest."""
        return _taat(*self._lists, self._size, *query, k)


class ScipyColumns(Searcher):
    """SciPy's columns of the query's terms times their weights, its fastest method."""

    name = "SciPy CSC, columns"

    def __init__(self, rows: csr_array, folder: Path) -> None:
        self._columns = csc_array(rows)

    def top(self, query: Query, k: int) -> Float64Array:
        """Slices, multiplies, and partitions."""
        return _best(np.asarray(self._columns[:, query[0]] @ query[1]).ravel(), k)


class ScipyProduct(Searcher):
    """SciPy's product of a matrix by columns with the query as a dense vector."""

    name = "SciPy CSC, product"

    def __init__(self, rows: csr_array, folder: Path) -> None:
        self._matrix: csr_array | csc_array = csc_array(rows)

    def top(self, query: Query, k: int) -> Float64Array:
        """Multiplies with everything, and partitions."""
        dense = np.zeros(self._matrix.shape[1])
        dense[query[0]] = query[1]
        return _best(self._matrix @ dense, k)


class ScipyRows(ScipyProduct):
    """The same with a matrix by rows."""

    name = "SciPy CSR, product"

    def __init__(self, rows: csr_array, folder: Path) -> None:
        self._matrix = rows


class SparseDotTopn(Searcher):
    """sparse_dot_topn: products that keep the top n only."""

    name = "sparse_dot_topn"

    def __init__(self, rows: csr_array, folder: Path) -> None:
        self._columns = csr_matrix(rows.T)

    def top(self, query: Query, k: int) -> Float64Array:
        """One row times the transposed matrix."""
        from sparse_dot_topn import sp_matmul_topn

        shape = 1, self._columns.shape[0]
        row = csr_matrix((query[1], query[0].astype(np.int32), [0, len(query[0])]), shape=shape)
        return np.asarray(sp_matmul_topn(row, self._columns, top_n=k, sort=True).data)


class QdrantEdge(Searcher):
    """Qdrant's embedded engine with its index of sparse vectors in memory."""

    name = "qdrant-edge"
    _BATCH = 2048

    def __init__(self, rows: csr_array, folder: Path) -> None:
        import qdrant_edge as qdrant

        self._qdrant = qdrant
        folder.mkdir()
        config = qdrant.EdgeConfig(
            vectors={},
            sparse_vectors={"row": qdrant.EdgeSparseVectorParams(on_disk=False)},
            max_search_threads=1,
        )
        self._shard = qdrant.EdgeShard.create(str(folder), config)
        for begin in range(0, rows.shape[0], self._BATCH):
            some = range(begin, min(begin + self._BATCH, rows.shape[0]))
            self._shard.update(qdrant.UpdateOperation.upsert_points([self._point(rows, r) for r in some]))
        self._shard.optimize()

    def _point(self, rows: csr_array, row: int) -> Any:
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        vector = self._qdrant.SparseVector(rows.indices[part].tolist(), rows.data[part].tolist())
        return self._qdrant.Point(row, {"row": vector})

    def top(self, query: Query, k: int) -> Float64Array:
        """Its own top-k search over posting lists."""
        qdrant = self._qdrant
        sparse = qdrant.SparseVector(query[0].tolist(), query[1].tolist())
        nearest = qdrant.Query.Nearest(sparse, using="row")
        return np.array([hit.score for hit in self._shard.query(qdrant.QueryRequest(k, query=nearest))])


SEARCHERS = (Querykin, TermAtATime, ScipyColumns, ScipyProduct, ScipyRows, SparseDotTopn, QdrantEdge)
