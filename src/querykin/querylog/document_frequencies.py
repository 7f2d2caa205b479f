"""Query-log document frequencies: the number of past queries that contain each stem.

The table is a snapshot, like the statistics of the corpus: weights derived from it stay comparable until it
is counted again. Stems are identified by their hashes, so the table does not depend on the vocabulary.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from typing_extensions import TypedDict

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.corpus.vocabulary import Vocabulary
from querykin.io.tables import chunks
from querykin.storage.array_files import at_least, load, load_ascending, save
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.store import Manifest, Store

PER = 100_000  # frequencies are relative to this number of queries
_BATCH = 20_000  # queries tokenized at once


class _Metadata(TypedDict):
    """The metadata of the store."""

    part: str
    queries: Number
    repository_id: str


class QueryLogFrequencies:
    """The number of past queries that contain each stem, on disk."""

    def __init__(self, path: Path) -> None:
        self._store = Store(path, "query-log")
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        self.state = f"{manifest.store_id} {manifest.generation}"
        self.store_id = ""  # of the repository
        self.queries = 0
        self._hashes: Int64Array = np.zeros(0, np.int64)  # of stems, sorted
        self._counts: Int64Array = np.zeros(0, np.int64)
        if manifest.metadata:
            metadata = check_metadata(self._store, manifest.metadata, _Metadata)
            self.store_id, self.queries = metadata["repository_id"], metadata["queries"]
            part = self._store.part(metadata["part"])
            self._hashes = load_ascending(part, "hashes", np.int64)
            self._counts = load(part, "counts", at_least(0), len(self._hashes), np.int64)

    def frequencies(self, hashes: Int64Array) -> Float64Array:
        """The number of queries that contain each stem, per 100,000 queries."""
        if not len(self._hashes):
            return np.zeros(len(hashes))
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        counts = np.where(self._hashes[at] == hashes, self._counts[at], 0)
        return counts * (PER / max(1, self.queries))

    def update(self, queries: Iterable[str], vocabulary: Vocabulary, store_id: str) -> None:
        """Replace the table by counts over these queries; with stems as `vocabulary` has them."""
        with self._store.writing():
            self.count(queries, vocabulary, store_id)
            name = self._store.new_part("counts")
            save(self._store.part(name), hashes=self._hashes, counts=self._counts)
            self._store.commit({"part": name, "queries": self.queries, "repository_id": store_id}, [name])
        self._store.read(self._load)

    def count(self, queries: Iterable[str], vocabulary: Vocabulary, store_id: str) -> None:
        """Count in memory, without `update` for a workspace that cannot be written to."""
        total, counted = 0, [np.zeros((2, 0), np.int64)]
        for batch in chunks(queries, _BATCH):
            total += len(batch)
            counted.append(_query_frequencies(batch, vocabulary))
        hashes, counts = np.hstack(counted)
        self._hashes, inverse = np.unique(hashes, return_inverse=True)
        self._counts = np.bincount(inverse, counts, len(self._hashes)).astype(np.int64)
        self.queries, self.store_id, self.state = total, store_id, f"{store_id} in memory"


def _query_frequencies(queries: Sequence[str], vocabulary: Vocabulary) -> Int64Array:
    """Two rows: the hashes of the stems of queries, and how many of the queries contain each."""
    tokens = vocabulary.analyzer.tokenize(queries)
    owners = np.repeat(np.arange(len(queries)), np.diff(tokens.indptr))
    once = np.unique(np.stack([vocabulary.lookup_stems(tokens)[1], owners]), axis=1)[0]
    return np.stack(np.unique(once, return_counts=True))
