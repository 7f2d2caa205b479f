"""Co-occurrence counts on disk, of every word and every listed phrase.

Counts are stored in parts, like segments: the row of a unit is the sum of its rows in all parts. Documents
that are added are counted into a new part; once documents have been removed, everything is counted again.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, make_indptr
from querykin.cooccurrence.count_files import Rows, write_counts
from querykin.cooccurrence.counting import Documents, DocumentTokens
from querykin.cooccurrence.counting_tasks import TaskCounting
from querykin.cooccurrence.limits import DISTANCE, MAX_BYTES
from querykin.cooccurrence.phrases import Phrases
from querykin.corpus.corpus import Corpus
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner
from querykin.progress import SILENT, Progress
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.store import Manifest, Store
from querykin.vectors import Vectors

MAX_PARTS = 6  # a row is summed over all parts; beyond this everything is counted again
MIN_PHRASE_COOCCURRENCES = 30  # of a frequent phrase at distance 3: five occurrences


class _Metadata(TypedDict):
    """The metadata of the store."""

    phrases: str
    parts: list[str]
    corpus_id: str
    statistics_version: str
    next_doc_id: Number
    documents: Number
    distance: NotRequired[Annotated[int, Field(ge=1, le=1000)]]  # not recorded when it was a constant


class CooccurrenceCounts:
    """A snapshot of the counts; it shows a new version after its own `update`."""

    def __init__(self, path: Path, distance: int = DISTANCE) -> None:
        self._store, self._distance = Store(path, "cooccurrence"), distance
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        metadata: dict[str, Any] = {}
        if manifest.metadata:
            metadata = {**check_metadata(self._store, manifest.metadata, _Metadata)}
        self.version = f"{manifest.store_id} {manifest.generation}"
        self.store_id: str = metadata.get("corpus_id", "")  # of the corpus
        self.distance: int = metadata.get("distance", DISTANCE)
        self._metadata, self._parts = metadata, [self._store.part(name) for name in metadata.get("parts", [])]
        self.phrases = Phrases.open(self._store.part(metadata["phrases"])) if metadata else Phrases.of([])
        self._words = [Rows(folder, "words") for folder in self._parts]
        self._phrases = [Rows(folder, "phrases", units=len(self.phrases)) for folder in self._parts]
        self.marginals: Int64Array = _sum_arrays([each.marginals for each in self._words])
        self.total = float(self.marginals.sum())
        counts = _sum_arrays([each.marginals for each in self._phrases])
        # A mask over `phrases`: those with enough co-occurrences to be units of their own.
        self.frequent_phrases: BoolArray = counts * DISTANCE >= MIN_PHRASE_COOCCURRENCES * self.distance

    def __bool__(self) -> bool:
        return bool(self._metadata)

    @property
    def counted_at_other_distance(self) -> bool:
        """Whether the counts were made at another distance than the one set."""
        return bool(self) and self.distance != self._distance

    def is_stale(self, corpus: Corpus) -> bool:
        """Whether the corpus or the distance has changed since the counts were made."""
        return (
            not self
            or self.counted_at_other_distance
            or self._metadata["statistics_version"] != corpus.statistics.version
            or self._metadata["corpus_id"] != corpus.store_id
        )

    def rows(self, units: Int64Array, phrases: bool) -> Vectors:
        """The counts of words or of phrases, one row each, by context word."""
        parts = self._phrases if phrases else self._words
        rows = [_sum_rows([part.row(unit) for part in parts]) for unit in units.tolist()]
        indptr = make_indptr([len(features) for features, _ in rows])
        features = np.concatenate([np.zeros(0, np.int64), *(features for features, _ in rows)])
        counts = np.concatenate([np.zeros(0), *(counts for _, counts in rows)])
        return Vectors(indptr, features, counts, self.version)

    def update(
        self,
        corpus: Corpus,
        phrases: Callable[[], Phrases],
        rebuild: bool = False,
        max_bytes: int = MAX_BYTES,
        runner: TaskRunner = THIS_PROCESS,
        progress: Progress = SILENT,
    ) -> None:
        """Count new documents, or everything; `phrases` lists phrases and is called only for the latter."""
        with self._store.writing():
            self._store.read(self._load)
            if not rebuild and not self.is_stale(corpus):
                return  # another process has counted meanwhile
            full = rebuild or not self._can_append(corpus)
            metadata: dict[str, Any] = {} if full else dict(self._metadata)
            since = metadata.get("next_doc_id", 0)
            if full:
                listed, metadata["phrases"] = phrases(), self._store.new_part("phrases")
                listed.save(self._store.part(metadata["phrases"]))
            else:
                listed = self.phrases
            name = self._store.new_part("counts")
            folder, segments = self._store.part(name), _segments(corpus, since)
            if runner is THIS_PROCESS:
                together = Documents([part for _, each in segments for part in each.parts], _hashes(corpus))
                write_counts(folder, together, listed, self._distance, max_bytes)
            else:
                counting = TaskCounting(self._store, runner, progress)
                counting.write(folder, segments, listed, self._distance, max_bytes)
            metadata |= {
                "parts": [*metadata.get("parts", []), name],
                "corpus_id": corpus.store_id,
                "statistics_version": corpus.statistics.version,
                "next_doc_id": corpus.next_doc_id,
                "documents": len(corpus),
                "distance": self._distance,
            }
            self._store.commit(metadata, [metadata["phrases"], *metadata["parts"]])
        self._store.read(self._load)

    def _can_append(self, corpus: Corpus) -> bool:
        """Whether all counted documents are still there and were counted under the current settings."""
        same = self.store_id == corpus.store_id and not self.counted_at_other_distance
        if not self or not same or len(self._parts) >= MAX_PARTS:
            return False
        remaining = sum(
            int((segment.doc_ids[segment.live(corpus.tombstones)] < self._metadata["next_doc_id"]).sum())
            for segment in corpus.segments
        )
        return remaining == int(self._metadata["documents"])


def _segments(corpus: Corpus, since: int) -> list[tuple[Path, Documents]]:
    """The live documents with ids from `since` on, by segment."""
    found = []
    for segment in corpus.segments:
        ordinals = np.flatnonzero(segment.live(corpus.tombstones) & (segment.doc_ids >= since))
        tokens = DocumentTokens(segment.tokens_of(ordinals), segment.indptr, ordinals)
        found.append((segment.folder, Documents([tokens], _hashes(corpus))))
    return found


def _hashes(corpus: Corpus) -> Int64Array:
    return corpus.vocabulary.hashes[: corpus.vocabulary.count]


def _sum_arrays(parts: list[Int64Array]) -> Int64Array:
    """The sum of arrays of which later ones may be longer."""
    total = np.zeros(max((len(part) for part in parts), default=0), np.int64)
    for part in parts:
        total[: len(part)] += part
    return total


def _sum_rows(rows: list[tuple[Int64Array, Float64Array]]) -> tuple[Int64Array, Float64Array]:
    """The sum of sparse rows."""
    if len(rows) == 1:
        return rows[0]
    features = np.concatenate([np.zeros(0, np.int64), *(row[0] for row in rows)])
    distinct, inverse = np.unique(features, return_inverse=True)
    counts = np.concatenate([np.zeros(0), *(row[1] for row in rows)])
    return distinct, np.bincount(inverse, counts, minlength=len(distinct)).astype(np.float64)
