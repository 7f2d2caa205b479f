"""Rows of queries that were encoded before, here or by a router."""

from collections.abc import Sequence
from threading import Lock

import numpy as np
from cachetools import LRUCache

from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.vectors import Vectors

MAX_ROWS = 1024


class RowCache:
    """The rows of the most recent queries, by text; may be used by several threads.

    >>> cache = RowCache()
    >>> cache.keep(["a", "b"], Vectors(np.array([0, 1, 3]), np.array([4, 2, 7]), np.ones(3), "words"))
    >>> cache.find(["b", "a"]).features.tolist(), cache.find(["b", "c"])
    ([2, 7, 4], None)
    """

    def __init__(self) -> None:
        self._rows: LRUCache[str, tuple[Int64Array, Float64Array, str]] = LRUCache(MAX_ROWS)
        self._lock = Lock()

    def keep(self, queries: Sequence[str], rows: Vectors) -> None:
        """Remember the rows of queries."""
        with self._lock:
            for number, query in enumerate(queries):
                self._rows[query] = *rows.row(number), rows.space

    def find(self, queries: Sequence[str]) -> Vectors | None:
        """The rows of queries; None if one of them is not known."""
        with self._lock:
            found = [self._rows.get(query) for query in queries] if self._rows else [None]
        known = [each for each in found if each is not None]
        if not known or len(known) < len(found):
            return None
        features, weights = (np.concatenate([each[column] for each in known]) for column in (0, 1))
        return Vectors(make_indptr([len(each[0]) for each in known]), features, weights, known[0][2])
