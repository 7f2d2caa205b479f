"""What an index lacks, and what it holds in excess: found by counts and checksums of ranges.

Documents have a `number`, their id, and a `version`, a hash of their content. One aggregation compares
counts and sums of versions by ranges of numbers; only ranges that differ are listed. Nothing is remembered
between two comparisons, so that a killed update, or an index that lost documents, is no special case.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from querykin.compute.arrays import BoolArray, Int64Array
from querykin.opensearch.connection import Connection

FIELDS: dict[str, Any] = {"number": {"type": "long"}, "version": {"type": "long", "index": False}}
VERSION_BITS = 31
_RANGE, _RANGES = 4096, 20_000  # numbers of a range at least, ranges at most: a cluster returns 65,535
_PAGE = 10_000  # documents listed at once: the limit of a search


@dataclass(frozen=True)
class Differences:
    """The work that brings an index up to date."""

    missing: BoolArray  # of what the index should hold: absent or of another version
    extra: Int64Array  # numbers of documents that it should not hold

    @property
    def size(self) -> int:
        """The number of documents to send or to delete."""
        return int(self.missing.sum()) + len(self.extra)


def find_differences(
    connection: Connection, index: str, numbers: Int64Array, versions: Int64Array
) -> Differences:
    """Compare an index with what it should hold; numbers ascend, versions have `VERSION_BITS` bits."""
    connection.refresh(index)
    width = max(_RANGE, -(-int(numbers.max(initial=0) + 1) // _RANGES))
    held = _held_ranges(connection, index, width)
    borders = np.flatnonzero(np.diff(numbers // width, prepend=-1, append=-1)).tolist()
    missing, extra = np.zeros(len(numbers), np.bool_), [np.zeros(0, np.int64)]
    for begin, end in pairwise(borders):
        key = int(numbers[begin]) // width
        count, checksum = held.pop(key, (0, 0))
        if (count, checksum) == (end - begin, int(versions[begin:end].sum())):
            continue
        there, their_versions = _listed(connection, index, key * width, width) if count else _NOTHING
        order = np.searchsorted(there, numbers[begin:end])
        found = np.append(there, -1)[order] == numbers[begin:end]
        missing[begin:end] = ~found | (np.append(their_versions, -1)[order] != versions[begin:end])
        extra.append(np.setdiff1d(there, numbers[begin:end]))
    extra += [_listed(connection, index, key * width, width)[0] for key in sorted(held)]
    return Differences(missing, np.concatenate(extra))


_NOTHING = np.zeros(0, np.int64), np.zeros(0, np.int64)


def _held_ranges(connection: Connection, index: str, width: int) -> dict[int, tuple[int, int]]:
    """The number of documents and the sum of their versions in each range that holds any."""
    histogram = {"field": "number", "interval": width, "min_doc_count": 1}
    sums = {"versions": {"sum": {"field": "version"}}}
    body = {"size": 0, "aggs": {"ranges": {"histogram": histogram, "aggs": sums}}}
    (found,) = connection.search_many(index, [body])
    return {
        int(bucket["key"]) // width: (bucket["doc_count"], int(bucket["versions"]["value"]))
        for bucket in found["aggregations"]["ranges"]["buckets"]
    }


def _listed(connection: Connection, index: str, begin: int, width: int) -> tuple[Int64Array, Int64Array]:
    """The numbers and versions of the documents in a range, by number."""
    rows: list[tuple[int, int]] = []
    while True:
        after = rows[-1][0] + 1 if rows else begin
        body = {
            "size": _PAGE,
            "query": {"range": {"number": {"gte": after, "lt": begin + width}}},
            "sort": ["number"],
            "stored_fields": "_none_",
            "docvalue_fields": ["number", "version"],
        }
        (found,) = connection.search_many(index, [body])
        hits = [hit["fields"] for hit in found["hits"]["hits"]]
        rows += [(fields["number"][0], fields["version"][0]) for fields in hits]
        if len(hits) < _PAGE:
            table = np.array(rows, np.int64).reshape(-1, 2)
            return table[:, 0].copy(), table[:, 1].copy()


def versions(numbers: Int64Array, content_hashes: Int64Array) -> Int64Array:
    """A hash of each document's number and content; sums of them tell sets of documents apart."""
    mixed = content_hashes.astype(np.uint64) ^ (numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)  # as in SplitMix64
    kept: Int64Array = (mixed >> np.uint64(64 - VERSION_BITS)).astype(np.int64)
    return kept
