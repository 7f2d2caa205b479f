"""Which words do people ask for? How many past queries hold each stem, as of the day it was counted.

The table is frozen, like the statistics of documents: weights that rest on it stay comparable until it is
made anew. Words are known by their hashes, so the table does not depend on what the corpus knows.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.corpus.vocabulary import Vocabulary
from querykin.storage.array_files import load, save
from querykin.storage.store import Manifest, Store
from querykin.text.tokenizer import tokenize

PER = 100_000  # frequencies are given for so many queries, whatever their number
_BATCH = 20_000  # queries counted at once


class QueryLogFrequencies:
    """How many queries hold each stem, on disk."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path, "query-log")
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        self.state = f"{manifest.store_id} {manifest.generation}"
        self.store_id: str = manifest.metadata.get("repository_id", "")  # of the repository
        self.queries: int = manifest.metadata.get("queries", 0)
        self._hashes: Int64Array = np.zeros(0, np.int64)  # of stems, rising
        self._counts: Int64Array = np.zeros(0, np.int64)
        if manifest.metadata:
            part = self._store.part(manifest.metadata["part"])
            self._hashes, self._counts = load(part, "hashes"), load(part, "counts")

    def frequencies(self, hashes: Int64Array) -> Float64Array:
        """How many of 100,000 queries hold each stem."""
        if not len(self._hashes):
            return np.zeros(len(hashes))
        places = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        counts = np.where(self._hashes[places] == hashes, self._counts[places], 0)
        return counts * (PER / self.queries)

    def update(self, queries: Iterable[str], vocabulary: Vocabulary, store_id: str) -> None:
        """Count anew; `vocabulary` knows the stems of its words, which saves finding them again."""
        with self._store.writing():
            remaining, number, found = iter(queries), 0, [np.zeros((2, 0), np.int64)]
            while some := list(islice(remaining, _BATCH)):
                number += len(some)
                found.append(_holders(some, vocabulary))
            hashes, counts = np.hstack(found)
            distinct, place = np.unique(hashes, return_inverse=True)
            name = self._store.new_part("counts")
            total = np.bincount(place, counts, len(distinct)).astype(np.int64)
            save(self._store.part(name), hashes=distinct, counts=total)
            self._store.commit({"part": name, "queries": number, "repository_id": store_id}, [name])
        self._store.read(self._load)


def _holders(queries: Sequence[str], vocabulary: Vocabulary) -> Int64Array:
    """The stems of some queries, and below each how many of the queries hold it."""
    tokens = tokenize(queries)
    owners = np.repeat(np.arange(len(queries)), np.diff(tokens.indptr))
    once = np.unique(np.stack([vocabulary.lookup_stems(tokens)[1], owners]), axis=1)[0]
    return np.stack(np.unique(once, return_counts=True))
