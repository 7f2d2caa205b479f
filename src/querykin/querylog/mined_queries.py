"""Mined queries with their document frequencies, as arrays: millions of them fit in memory."""

from array import array
from collections.abc import Iterator

import numpy as np

from querykin.querylog.text_order import text_ranks
from querykin.storage.content_hash import content_hash


class MinedQueries:
    """Queries as they are found, some of them repeatedly; the highest document frequency of each counts.

    >>> found = MinedQueries()
    >>> for query, documents in [("voting", 3), ("apollo 11", 3), ("bank", 1), ("voting", 2)]:
    ...     found.add(query, documents)
    >>> list(found.most_frequent(2))
    [('apollo 11', 3), ('voting', 3)]
    """

    def __init__(self) -> None:
        self._arena, self._ends = bytearray(), array("q", [0])  # texts in UTF-8, concatenated
        self._keys, self._documents = array("q"), array("q")

    def add(self, query: str, documents: int) -> None:
        """Add a query with the number of documents that have it."""
        text = query.encode()
        self._arena += text
        self._ends.append(len(self._arena))
        self._keys.append(content_hash(text))
        self._documents.append(documents)

    def most_frequent(self, limit: int) -> Iterator[tuple[str, int]]:
        """The queries with the highest document frequencies, ties in the order of code points."""
        arena, ends = np.frombuffer(self._arena, np.uint8), np.frombuffer(self._ends, np.int64)
        keys, documents = np.frombuffer(self._keys, np.int64), np.frombuffer(self._documents, np.int64)
        order = np.lexsort((-documents, keys))
        distinct = order[np.append(True, np.diff(keys[order]) != 0)[: len(order)]]
        ranks = text_ranks(arena, ends[distinct], ends[distinct + 1])
        chosen = distinct[np.lexsort((ranks, -documents[distinct]))[:limit]]
        for number in chosen:
            yield self._arena[ends[number] : ends[number + 1]].decode(), int(documents[number])
