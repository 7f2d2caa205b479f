"""Which queries were asked before? Past queries with their counts, kept once each.

A query keeps its number for good: indexes name it by that number. A count of 0 marks a query that was
removed. Two spellings are the same query when they differ only in case, width or spaces.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array, UInt8Array
from querykin.errors import InputError
from querykin.storage.array_files import load, save
from querykin.storage.store import Manifest, Store

LONGEST = 1000  # characters; a longer "query" is a document


def normalize_query(query: str) -> str:
    r"""A query as it is shown: composed accents, single spaces, no control characters.

    >>> normalize_query("  Seattle \t Mariners ")
    'Seattle Mariners'
    """
    if not query.isprintable():
        query = "".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in query)
    return " ".join(unicodedata.normalize("NFC", query).split())


def _key(query: str) -> int:
    folded = " ".join(unicodedata.normalize("NFKC", query).casefold().split())
    return int.from_bytes(blake2b(folded.encode(), digest_size=8).digest(), "little") >> 1


@dataclass(frozen=True, slots=True)
class RepositoryChange:
    """What became of queries that were added."""

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
        self._arena: UInt8Array = np.zeros(0, np.uint8)
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
        """The numbers of the queries that are there."""
        return np.flatnonzero(self.counts > 0)

    def query(self, number: int) -> str:
        """One query by its number."""
        return self._arena[self._ends[number] : self._ends[number + 1]].tobytes().decode()

    def queries(self, numbers: Iterable[int]) -> list[str]:
        """Several queries by their numbers."""
        return [self.query(int(number)) for number in numbers]

    def texts(self, numbers: Iterable[int]) -> list[bytes]:
        """Several queries in UTF-8, which has the order of their letters."""
        return [self._arena[self._ends[n] : self._ends[n + 1]].tobytes() for n in numbers]

    def ids_of(self, queries: Iterable[str]) -> Int64Array:
        """The numbers of queries, -1 for one that is not there."""
        keys, numbers = self._by_key
        wanted = np.array([_key(normalize_query(query)) for query in queries], np.int64)
        if not len(keys):
            return np.full(len(wanted), -1, np.int64)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[places] == wanted, numbers[places], -1)

    @cached_property
    def _by_key(self) -> tuple[Int64Array, Int64Array]:
        """The keys of the queries that are there, rising, and their numbers."""
        live_ids = self.live_ids()
        numbers = live_ids[np.argsort(self._keys[live_ids], kind="stable")]
        return self._keys[numbers], numbers

    def add(self, queries: Iterable[tuple[str, int]]) -> RepositoryChange:
        """Take in queries with their counts; a query that is there already gets the count on top."""
        with self._store.writing():
            self._open()
            # A query that was removed comes back under a new number: its old row may be out of date.
            place = dict(zip(self._keys[self.live_ids()].tolist(), self.live_ids().tolist(), strict=True))
            counts, keys, texts = self.counts.tolist(), self._keys.tolist(), []
            added = merged = 0
            for text, count in queries:
                query = normalize_query(text)
                if not query or count < 1:
                    raise InputError(f"a query needs a text and a count from 1 on, got {text!r} and {count}")
                key = _key(query)
                number = place.setdefault(key, len(counts))
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
        """Take queries out; if one of them is not there, nothing changes. Returns how many went."""
        with self._store.writing():
            self._open()
            wanted = np.array([_key(query) for query in queries], np.int64)
            live_ids = self.live_ids()
            found = live_ids[np.isin(self._keys[live_ids], wanted)]
            for query, known in zip(queries, np.isin(wanted, self._keys[found]), strict=True):
                if not known:
                    raise InputError(f"no query {query!r} in the repository; nothing was removed")
            self.counts[found] = 0
            self._commit()
        return len(found)

    def damaged(self) -> list[str]:
        """What differs from what was written; empty when all is whole."""
        return self._store.damaged()

    def _append(self, texts: list[bytes]) -> None:
        ends = self._ends[-1] + np.cumsum([len(text) for text in texts], dtype=np.int64)
        self._ends = np.concatenate([self._ends, ends])
        self._arena = np.concatenate([self._arena, np.frombuffer(b"".join(texts), np.uint8)])

    def _commit(self) -> None:
        part = self._store.new_part("queries")
        save(self._store.part(part), arena=self._arena, ends=self._ends, keys=self._keys, counts=self.counts)
        self._store.commit({"queries": part}, [part])
        self._open()
