"""The repository: past queries with their counts, each stored once.

The id of a query never changes, since indexes refer to it. Its count is the sum of its counts in all sources;
0 marks a removed query. Two strings are the same query if they differ only in case, character width or white
space (NFKC and case folding).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import TypedDict

from querykin.compute.arrays import Int64Array
from querykin.compute.jit import njit
from querykin.errors import InputError
from querykin.querylog.counted_queries import CountedQueries, query_key
from querykin.querylog.query_frequency import QueryFrequency, RepositoryTotals
from querykin.querylog.query_texts import QueryTexts
from querykin.querylog.source_counts import (
    MappedSources,
    SourceCounts,
    save_sources,
    to_triples,
    total_counts,
)
from querykin.storage.array_files import (
    MappedArray,
    at_least,
    load,
    map_array,
    save,
    within,
)
from querykin.storage.metadata import check_metadata
from querykin.storage.source_names import DEFAULT_SOURCE, MINED_SOURCE, known_source, source_name
from querykin.storage.store import Manifest, Store
from querykin.text.normalization import normalize_query
from querykin.types import Change


@njit
def _insertion_points(keys: Int64Array, order: Int64Array, sought: Int64Array) -> Int64Array:
    """Where each sought key would be in the keys as sorted by `order`, before equal ones."""
    found = np.empty(len(sought), np.int64)
    for i in range(len(sought)):
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            if keys[order[middle]] < sought[i]:
                low = middle + 1
            else:
                high = middle
        found[i] = low
    return found


_BATCH = 20_000  # queries that are strings at the same time


@dataclass(frozen=True, slots=True)
class QueryCount:
    """A query with its count, and its count in each source."""

    query: str
    count: int
    sources: dict[str, int]


def _array_of(numbers: Iterable[int] | Int64Array) -> Int64Array:
    return numbers if isinstance(numbers, np.ndarray) else np.fromiter(numbers, np.int64)


class _Metadata(TypedDict):
    """The metadata of the store."""

    queries: str
    source_names: list[str]


class Repository:
    """Past queries on disk; a snapshot that shows the new state after `add` and `remove`.

    Counts are verified when it is opened, texts by blocks when they are first read, the rest when the first
    query is looked up, or the first source.
    """

    def __init__(self, path: Path) -> None:
        self.store = Store(path, "repository")
        self.store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        for derived in ("_keys", "_key_order", "_sources"):
            vars(self).pop(derived, None)
        self.generation, self.store_id = manifest.generation, manifest.store_id
        self._texts = QueryTexts()
        self.counts: Int64Array = np.zeros(0, np.int64)
        self._mapped: dict[str, MappedArray[np.int64]] = {}
        self._mapped_sources: MappedSources | None = None
        if manifest.metadata:
            metadata = check_metadata(self.store, manifest.metadata, _Metadata)
            self._open(self.store.part(metadata["queries"]), metadata["source_names"])

    def _open(self, part: Path, source_names: list[str]) -> None:
        self.counts = load(part, "counts", at_least(0), types=np.int64)
        size = len(self.counts)
        self._texts = QueryTexts.open(part, size)
        self._mapped["keys"] = map_array(part, "keys", size=size, types=np.int64)
        if (part / "key_order.npy").exists():  # a part of an earlier version has no such array
            self._mapped["key_order"] = map_array(part, "key_order", within(0, size), types=np.int64)
        self._mapped_sources = MappedSources(part, source_names, size)

    def __len__(self) -> int:
        return int((self.counts > 0).sum())

    def live_ids(self) -> Int64Array:
        """The ids of the queries that have not been removed."""
        return np.flatnonzero(self.counts > 0)

    def query(self, number: int) -> str:
        """One query by its id."""
        return self.queries([number])[0]

    def queries(self, numbers: Iterable[int] | Int64Array) -> list[str]:
        """Queries by their ids."""
        return self._texts.decoded(_array_of(numbers))

    def texts(self, numbers: Iterable[int] | Int64Array) -> list[bytes]:
        """Queries by their ids in UTF-8, whose byte order is the order of code points."""
        return self._texts.encoded(_array_of(numbers))

    def text_ranks(self, numbers: Int64Array) -> Int64Array:
        """The rank of each query among those given by id, in the order of code points."""
        return self._texts.ranks(numbers)

    def batches(self, numbers: Int64Array | None = None) -> Iterator[tuple[Int64Array, list[str]]]:
        """Queries with their ids, a bounded number at a time; by default all that have not been removed."""
        ids = self.live_ids() if numbers is None else numbers
        for begin in range(0, len(ids), _BATCH):
            batch = ids[begin : begin + _BATCH]
            yield batch, self.queries(batch)

    def all_queries(self) -> Iterator[str]:
        """The queries that have not been removed, in the order of arrival."""
        return chain.from_iterable(texts for _, texts in self.batches())

    def ids_of(self, queries: Iterable[str]) -> Int64Array:
        """The ids of queries, -1 for an unknown one."""
        return self._ids_of(np.array([query_key(normalize_query(query)) for query in queries], np.int64))

    def _ids_of(self, sought: Int64Array) -> Int64Array:
        order = self._key_order
        if not len(order):
            return np.full(len(sought), -1, np.int64)
        ids = order[np.minimum(_insertion_points(self._keys, order, sought), len(order) - 1)]
        return np.where(self._keys[ids] == sought, ids, -1)

    @cached_property
    def _keys(self) -> Int64Array:
        """The key of each query."""
        return self._mapped["keys"].whole() if self._mapped else np.zeros(0, np.int64)

    @cached_property
    def _key_order(self) -> Int64Array:
        """The ids of the live queries by ascending key."""
        if "key_order" in self._mapped:
            return self._mapped["key_order"].whole()
        live = self.live_ids()
        return live[np.argsort(self._keys[live], kind="stable")]

    @cached_property
    def _sources(self) -> dict[str, SourceCounts]:
        """The counts of each source."""
        return self._mapped_sources.verified() if self._mapped_sources else {}

    def sources(self) -> dict[str, int]:
        """The number of queries of each source, by name."""
        return {name: len(row.queries) for name, row in sorted(self._sources.items()) if len(row.queries)}

    def frequency(self, number: int) -> QueryFrequency:
        """What the count of one query, by its id, consists of."""
        mined = self._mined.count(number)
        return QueryFrequency(int(self.counts[number]) - mined, mined)

    def totals(self) -> RepositoryTotals:
        """The number of past queries, of queries that were only mined, and how often queries were asked."""
        mined = self._mined
        only_mined = int((self.counts[mined.queries] == mined.counts).sum())
        asked = int(self.counts.sum()) - int(mined.counts.sum())
        return RepositoryTotals(len(self) - only_mined, only_mined, asked)

    @property
    def _mined(self) -> SourceCounts:
        return self._sources.get(MINED_SOURCE, SourceCounts())

    def by_count(self, source: str | None = None) -> Iterator[QueryCount]:
        """The queries by descending count, ties in the order of arrival.

        Of one source, if it is given: then its counts are counted only.
        """
        names = list(self._sources) if source is None else [known_source(source, self.sources())]
        rows = [self._sources[name] for name in names]
        counts = total_counts(rows, len(self.counts))
        query_ids, numbers, shares = to_triples(rows)
        order = np.lexsort((query_ids, -counts[query_ids]))
        query_ids, numbers, shares = query_ids[order], numbers[order], shares[order]
        borders = np.flatnonzero(np.diff(query_ids, prepend=-1, append=-1))  # between different queries
        for begin, end in pairwise(borders):
            number = int(query_ids[begin])
            by_source = {names[numbers[n]]: int(shares[n]) for n in range(begin, end)}
            yield QueryCount(self.query(number), int(counts[number]), by_source)

    def add(
        self,
        queries: Any,
        *,
        columns: Mapping[str, str] | None = None,
        source: str = DEFAULT_SOURCE,
        replace: bool = False,
        dry_run: bool = False,
    ) -> Change:
        """Add queries with their counts; the count of a known query increases.

        Queries are a data frame (pandas, Polars, anything with an Arrow stream), or any mix of pairs of query
        and count, dicts and texts; `columns` names the columns of roles, as in {"query": "Suchbegriff"}.

        The same content, added to the same source again, changes nothing, except that queries removed since
        return. With `replace` the queries are the whole source: its counts are set, its other queries are
        removed. `dry_run` only reports.

        >>> repository = Repository(getfixture("tmp_path"))
        >>> change = repository.add([("apple pie", 3), ("nasa", 1)], source="console")
        >>> change = repository.add([("Apple Pie", 2)], source="shop")
        >>> next(repository.by_count())
        QueryCount(query='apple pie', count=5, sources={'console': 3, 'shop': 2})
        >>> repository.add([("apple pie", 4)], source="console", replace=True)
        Change(added=0, replaced=1, repeated=0, removed=1, unchanged=0)
        """
        from querykin.io.python_objects import as_queries

        content = CountedQueries.collect(as_queries(queries, columns))
        return self.add_contents([(source, content)], replace=replace, dry_run=dry_run)

    def add_contents(
        self,
        contents: Sequence[tuple[str, CountedQueries]],
        *,
        replace: bool = False,
        dry_run: bool = False,
    ) -> Change:
        """Add several contents, each to its source, all or none; a source may occur more than once."""
        named = [(source_name(name), queries) for name, queries in contents]
        with self.store.changing(self._load, dry_run=dry_run):
            change, differs = self._apply(named, replace)
            if differs and not dry_run:
                self._commit()
        return change

    def _apply(self, contents: Sequence[tuple[str, CountedQueries]], replace: bool) -> tuple[Change, bool]:
        """Change the arrays in memory; returns the change and whether there is anything to write."""
        before, sources = self.counts, dict(self._sources)
        if replace:
            sources |= {name: SourceCounts() for name, _ in contents}
        given: list[Int64Array] = [np.zeros(0, np.int64)]
        for name, queries in contents:
            if len(queries):
                ids = self._assign_ids(queries)
                given.append(ids)
                sources[name] = sources.get(name, SourceCounts()).plus(
                    ids, queries.counts, queries.fingerprint
                )
        old, self._sources = self._sources, sources
        self.counts = total_counts(sources.values(), len(self._keys))
        ids = np.unique(np.concatenate(given))
        after = self.counts[: len(before)]
        known = ids[ids < len(before)]
        change = Change(
            added=len(ids) - len(known),
            replaced=int(((before > 0) & (after > 0) & (before != after)).sum()),
            repeated=sum(queries.rows - len(queries) for _, queries in contents),
            removed=int(((before > 0) & (after == 0)).sum()),
            unchanged=int((before[known] == after[known]).sum()),
        )
        empty = SourceCounts()
        names = old.keys() | sources.keys()
        return change, not all(old.get(name, empty).equals(sources.get(name, empty)) for name in names)

    def _assign_ids(self, queries: CountedQueries) -> Int64Array:
        """The ids of queries; new ones are appended.

        A removed query that returns gets a new id: index rows of the old one may be outdated.
        """
        ids = self._ids_of(queries.keys)
        new = np.flatnonzero(ids < 0)
        ids[new] = np.arange(len(self._keys), len(self._keys) + len(new))
        self._texts = self._texts.plus(*queries.texts(new))
        by_key = new[np.argsort(queries.keys[new])]
        at = _insertion_points(self._keys, self._key_order, queries.keys[by_key])
        self._key_order = np.insert(self._key_order, at, ids[by_key])
        self._keys = np.concatenate([self._keys, queries.keys[new]])
        return ids

    def remove(self, queries: Sequence[str]) -> Change:
        """Remove queries from all sources; if any is unknown, nothing changes."""
        with self.store.changing(self._load):
            ids = self.ids_of(queries)
            for query, query_id in zip(queries, ids.tolist(), strict=True):
                if query_id < 0:
                    raise InputError(f"no query {query!r} in the repository; nothing was removed")
            self._sources = {name: row.without(ids) for name, row in self._sources.items()}
            self.counts[ids] = 0
            self._commit()
        return Change(removed=len(np.unique(ids)))

    def remove_source(self, source: str) -> Change:
        """Remove the counts of a source; queries of no other source are removed."""
        with self.store.changing(self._load):
            name, before = known_source(source, self.sources()), self.counts
            del self._sources[name]
            self.counts = total_counts(self._sources.values(), len(self._keys))
            changed = before != self.counts
            removed = int((changed & (self.counts == 0)).sum())
            self._commit()
        return Change(replaced=int(changed.sum()) - removed, removed=removed)

    def _commit(self) -> None:
        part = self.store.new_part("queries")
        folder = self.store.part(part)
        live = self._key_order[self.counts[self._key_order] > 0]
        arena, ends = self._texts.whole()
        save(folder, arena=arena, ends=ends, keys=self._keys, counts=self.counts, key_order=live)
        save_sources(folder, self._sources)
        self.store.commit({"queries": part, "source_names": list(self._sources)}, [part])
