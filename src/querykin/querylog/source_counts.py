"""Counts of queries by source, as a sparse matrix of sources by queries (CSR)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array, make_indptr
from querykin.errors import DamagedFile
from querykin.storage.array_files import at_least, load_offsets, map_array, save, within


def _none() -> Int64Array:
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class SourceCounts:
    """How often each query was asked according to one source."""

    queries: Int64Array = field(default_factory=_none)  # ids, ascending
    counts: Int64Array = field(default_factory=_none)
    fingerprints: Int64Array = field(default_factory=_none)  # of the contents that were added

    def plus(self, queries: Int64Array, counts: Int64Array, fingerprint: int) -> "SourceCounts":
        """With more content: the counts are summed.

        Content that was added before is recognized by its fingerprint, and adds only queries that have been
        removed since.
        """
        known = fingerprint in self.fingerprints
        if known:
            lost = ~np.isin(queries, self.queries)
            queries, counts = queries[lost], counts[lost]
        ids, inverse = np.unique(np.concatenate([self.queries, queries]), return_inverse=True)
        totals = np.zeros(len(ids), np.int64)
        np.add.at(totals, inverse, np.concatenate([self.counts, counts]))
        return SourceCounts(
            ids, totals, self.fingerprints if known else np.append(self.fingerprints, fingerprint)
        )

    def without(self, queries: Int64Array) -> "SourceCounts":
        """Without some queries."""
        kept = ~np.isin(self.queries, queries)
        return SourceCounts(self.queries[kept], self.counts[kept], self.fingerprints)

    def count(self, query: int) -> int:
        """The count of a query by its id; 0 for one that the source does not have."""
        at = int(np.searchsorted(self.queries, query))
        return int(self.counts[at]) if at < len(self.queries) and self.queries[at] == query else 0

    def equals(self, other: "SourceCounts") -> bool:
        """Whether both are the same."""
        return (
            np.array_equal(self.queries, other.queries)
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(np.sort(self.fingerprints), np.sort(other.fingerprints))
        )


def total_counts(rows: Iterable[SourceCounts], size: int) -> Int64Array:
    """The count of each query over several sources; 0 for one that is in none."""
    totals = np.zeros(size, np.int64)
    for row in rows:
        totals[row.queries] += row.counts
    return totals


def to_triples(rows: Sequence[SourceCounts]) -> tuple[Int64Array, Int64Array, Int64Array]:
    """All counts as three arrays: the query, the number of the source, the count (COO)."""
    numbers = np.repeat(np.arange(len(rows)), [len(row.queries) for row in rows])
    queries = np.concatenate([_none(), *(row.queries for row in rows)])
    return queries, numbers, np.concatenate([_none(), *(row.counts for row in rows)])


def save_sources(folder: Path, sources: Mapping[str, SourceCounts]) -> None:
    """Write the counts of all sources, in the order of the mapping."""
    rows = list(sources.values())
    queries, _, counts = to_triples(rows)
    save(
        folder,
        source_indptr=make_indptr([len(row.queries) for row in rows]),
        source_queries=queries,
        source_counts=counts,
        fingerprint_indptr=make_indptr([len(row.fingerprints) for row in rows]),
        fingerprints=np.concatenate([_none(), *(row.fingerprints for row in rows)]),
    )


class MappedSources:
    """The counts of all sources on disk, verified when they are first used; `size` is the number of ids."""

    def __init__(self, folder: Path, names: Sequence[str], size: int) -> None:
        self._names = names
        self._queries = map_array(folder, "source_queries", within(0, size), types=np.int64)
        entries = len(self._queries)
        self._counts = map_array(folder, "source_counts", at_least(0), entries, np.int64)
        self._fingerprints = map_array(folder, "fingerprints", types=np.int64)
        self._indptr = load_offsets(folder, "source_indptr", entries, len(names))
        self._contents = load_offsets(folder, "fingerprint_indptr", len(self._fingerprints), len(names))

    def verified(self) -> dict[str, SourceCounts]:
        """The counts of each source by its name."""
        queries, counts = self._queries.whole(), self._counts.whole()
        fingerprints = self._fingerprints.whole()
        rows, contents = pairwise(self._indptr.tolist()), pairwise(self._contents.tolist())
        found = {
            name: SourceCounts(queries[begin:end], counts[begin:end], fingerprints[first:last])
            for name, (begin, end), (first, last) in zip(self._names, rows, contents, strict=True)
        }
        if any((row.queries[1:] <= row.queries[:-1]).any() for row in found.values()):
            raise DamagedFile(self._queries.path, "the queries of a source do not ascend")
        return found
