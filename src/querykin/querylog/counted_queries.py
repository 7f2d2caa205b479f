"""Queries with their counts as arrays, each query once: the form in which they enter the repository."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Int64Array, UInt8Array, gather_bytes, make_indptr
from querykin.errors import InputError
from querykin.io.query_records import MAX_COUNT
from querykin.storage.content_hash import content_hash
from querykin.text.normalization import fold_case, normalize_query


def query_key(query: str) -> int:
    """A 63-bit hash that is equal for all spellings of a query: case, character width, white space."""
    return content_hash(fold_case(query).encode())


@dataclass(frozen=True)
class CountedQueries:
    """Distinct queries in the order of arrival, in the spelling that came first, with summed counts.

    >>> asked = CountedQueries.collect([("NASA", 2), ("apple pie", 1), ("nasa", 3)])
    >>> asked.texts(np.arange(2))[0].tobytes(), asked.counts.tolist(), asked.rows
    (b'NASAapple pie', [5, 1], 3)
    """

    keys: Int64Array
    counts: Int64Array
    rows: int  # of the input, repetitions included
    _arena: bytearray  # texts of the rows in UTF-8, concatenated
    _ends: "array[int]"
    _first: Int64Array  # the row of each query

    @classmethod
    def collect(cls, queries: Iterable[tuple[str, int]]) -> "CountedQueries":
        """Read queries with their counts; one without a text or with an impossible count is an error."""
        arena, ends, row_keys, row_counts = bytearray(), array("q", [0]), array("q"), array("q")
        for text, count in queries:
            query = normalize_query(text)
            if not query or not 1 <= count <= MAX_COUNT:
                raise InputError(
                    f"a query needs a text and a count from 1 to {MAX_COUNT:,}, got {text[:80]!r} and {count}"
                )
            arena += query.encode()
            ends.append(len(arena))
            row_keys.append(query_key(query))
            row_counts.append(count)
        distinct, first, inverse = np.unique(
            np.array(row_keys, np.int64), return_index=True, return_inverse=True
        )
        totals = np.zeros(len(distinct), np.int64)
        np.add.at(totals, inverse, np.array(row_counts, np.int64))
        order = np.argsort(first)
        return cls(distinct[order], totals[order], len(row_keys), arena, ends, first[order])

    def __len__(self) -> int:
        return len(self.keys)

    def texts(self, positions: Int64Array) -> tuple[UInt8Array, Int64Array]:
        """The texts of queries in UTF-8, concatenated, and their offsets."""
        ends = np.frombuffer(self._ends, np.int64)
        begins = ends[self._first[positions]]
        indptr = make_indptr(ends[self._first[positions] + 1] - begins)
        return gather_bytes(np.frombuffer(self._arena, np.uint8), begins, indptr), indptr

    @property
    def fingerprint(self) -> int:
        """A hash of the queries and counts, in any order and spelling."""
        order = np.argsort(self.keys)
        return content_hash(self.keys[order].tobytes() + self.counts[order].tobytes())
