"""The repository: past queries with their counts, each stored once.

The id of a query never changes, since indexes refer to it. A count of 0 marks a removed query. Two strings
are the same query if they differ only in case, character width or white space (NFKC and case folding).
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compute.arrays import Int64Array, UInt8Array
from querykin.errors import InputError
from querykin.io.python_objects import as_queries
from querykin.storage.array_files import load, save
from querykin.storage.store import Manifest, Store
from querykin.text.normalization import normalize_query

__all__ = ["Repository", "RepositoryChange", "normalize_query"]


def _key(query: str) -> int:
    """A 63-bit hash that is equal for all spellings of a query."""
    folded = " ".join(unicodedata.normalize("NFKC", query).casefold().split())
    return int.from_bytes(blake2b(folded.encode(), digest_size=8).digest(), "little") >> 1


@dataclass(frozen=True, slots=True)
class RepositoryChange:
    """How many queries were new, and how many were merged into known ones."""

    added: int
    merged: int


class Repository:
    """Past queries on disk; a snapshot that shows the new state after `add` and `remove`."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path, "repository")
        self._open()

    def _open(self) -> None:
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        vars(self).pop("_by_key", None)
        self.generation, self.store_id = manifest.generation, manifest.store_id
        self._arena: UInt8Array = np.zeros(0, np.uint8)  # the queries in UTF-8, concatenated
        self._ends: Int64Array = np.zeros(1, np.int64)
        self._keys: Int64Array = np.zeros(0, np.int64)
        self.counts: Int64Array = np.zeros(0, np.int64)
        if manifest.metadata:
            part = self._store.part(manifest.metadata["queries"])
            self._arena, self._ends = load(part, "arena"), load(part, "ends")
            self._keys, self.counts = load(part, "keys"), load(part, "counts")

    def __len__(self) -> int:
        return int((self.counts > 0).sum())

    def live_ids(self) -> Int64Array:
        """The ids of the queries that have not been removed."""
        return np.flatnonzero(self.counts > 0)

    def query(self, number: int) -> str:
        """One query by its id."""
        return self._arena[self._ends[number] : self._ends[number + 1]].tobytes().decode()

    def queries(self, numbers: Iterable[int]) -> list[str]:
        """Queries by their ids."""
        return [self.query(int(number)) for number in numbers]

    def texts(self, numbers: Iterable[int]) -> list[bytes]:
        """Queries by their ids in UTF-8, whose byte order is the order of code points."""
        return [self._arena[self._ends[n] : self._ends[n + 1]].tobytes() for n in numbers]

    def ids_of(self, queries: Iterable[str]) -> Int64Array:
        """The ids of queries, -1 for an unknown one."""
        keys, ids = self._by_key
        sought = np.array([_key(normalize_query(query)) for query in queries], np.int64)
        if not len(keys):
            return np.full(len(sought), -1, np.int64)
        at = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
        return np.where(keys[at] == sought, ids[at], -1)

    @cached_property
    def _by_key(self) -> tuple[Int64Array, Int64Array]:
        """The sorted keys of the live queries, and their ids."""
        live = self.live_ids()
        ids = live[np.argsort(self._keys[live], kind="stable")]
        return self._keys[ids], ids

    def add(self, queries: Any, columns: Mapping[str, str] | None = None) -> RepositoryChange:
        """Add queries with their counts; the count of a known query increases.

        Queries are a data frame (pandas, Polars, anything with an Arrow stream), or any mix of pairs of query
        and count, dicts and texts; `columns` names the columns of roles, as in {"query": "Suchbegriff"}.
        """
        with self._store.writing():
            self._open()
            # A removed query that returns gets a new id: index rows of the old one may be outdated.
            ids = dict(zip(self._keys[self.live_ids()].tolist(), self.live_ids().tolist(), strict=True))
            counts, keys, texts = self.counts.tolist(), self._keys.tolist(), []
            added = merged = 0
            for text, count in as_queries(queries, columns):
                query = normalize_query(text)
                if not query or count < 1:
                    raise InputError(
                        f"a query needs a text and a count of at least 1, got {text!r} and {count}"
                    )
                key = _key(query)
                number = ids.setdefault(key, len(counts))
                if number == len(counts):
                    counts.append(0)
                    keys.append(key)
                    texts.append(query.encode())
                added, merged = added + (counts[number] == 0), merged + (counts[number] > 0)
                counts[number] += count
            if added or merged:
                self._append(texts)
                self._keys, self.counts = np.array(keys, np.int64), np.array(counts, np.int64)
                self._commit()
        return RepositoryChange(added, merged)

    def remove(self, queries: Sequence[str]) -> int:
        """Remove queries and return their number; if any is unknown, nothing changes."""
        with self._store.writing():
            self._open()
            keys = np.array([_key(query) for query in queries], np.int64)
            live = self.live_ids()
            removed = live[np.isin(self._keys[live], keys)]
            for query, known in zip(queries, np.isin(keys, self._keys[removed]), strict=True):
                if not known:
                    raise InputError(f"no query {query!r} in the repository; nothing was removed")
            self.counts[removed] = 0
            self._commit()
        return len(removed)

    def _append(self, texts: list[bytes]) -> None:
        ends = self._ends[-1] + np.cumsum([len(text) for text in texts], dtype=np.int64)
        self._ends = np.concatenate([self._ends, ends])
        self._arena = np.concatenate([self._arena, np.frombuffer(b"".join(texts), np.uint8)])

    def _commit(self) -> None:
        part = self._store.new_part("queries")
        save(self._store.part(part), arena=self._arena, ends=self._ends, keys=self._keys, counts=self.counts)
        self._store.commit({"queries": part}, [part])
        self._open()
