"""Counts of queries by source, as a sparse matrix of sources by queries (CSR)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array, make_indptr
from querykin.storage.array_files import load, save


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


def load_sources(folder: Path, names: Sequence[str]) -> dict[str, SourceCounts]:
    """Memory-map the counts of all sources by name."""
    queries, counts, fingerprints = (
        load(folder, name) for name in ("source_queries", "source_counts", "fingerprints")
    )
    rows = pairwise(load(folder, "source_indptr").tolist())
    contents = pairwise(load(folder, "fingerprint_indptr").tolist())
    return {
        name: SourceCounts(queries[begin:end], counts[begin:end], fingerprints[first:last])
        for name, (begin, end), (first, last) in zip(names, rows, contents, strict=True)
    }
