"""The corpus on disk: documents come and go, readers keep what they opened."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.corpus.segment import CorpusSegment, Indexer, SegmentWriter, key
from querykin.corpus.statistics import Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.errors import InputError
from querykin.storage.array_files import load, save
from querykin.storage.store import Manifest, Store
from querykin.types import Document

MAX_SEGMENTS = 8  # a search asks every segment; past this the smallest neighbours are joined


@dataclass(frozen=True, slots=True)
class Change:
    """What became of documents that were added or removed."""

    added: int = 0
    replaced: int = 0
    repeated: int = 0  # came again under the same id in one go: the last one counts
    removed: int = 0


def _ignore(_: int) -> None:
    """Progress that nobody watches."""


class Corpus:
    """Documents as token ids, with their statistics; open one with `Corpus(path, indexer)`.

    `indexer` makes the search index of a new segment in the folder it is given. A corpus object is a
    snapshot: after `add` or `remove` it shows the new state, other objects go on with the old one.
    """

    def __init__(self, path: Path, indexer: Callable[[Path], Indexer]) -> None:
        self._store, self._indexer = Store(path, "corpus"), indexer
        self._open()

    def _open(self) -> None:
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        metadata, part = manifest.metadata, self._store.part
        self.generation, self.store_id = manifest.generation, manifest.store_id
        self.names: list[str] = metadata.get("segments", [])
        self.segments = [CorpusSegment(part(name)) for name in self.names]
        self.next_doc_id: int = metadata.get("next_doc_id", 0)
        self.tombstones: Int64Array = np.zeros(0, np.int64)
        if metadata:
            self.tombstones = load(part(metadata["statistics"]), "tombstones")
            self.vocabulary = Vocabulary.open(part(metadata["vocabulary"]))
            self.statistics = Statistics.open(part(metadata["statistics"]))
        else:
            self.vocabulary, self.statistics = Vocabulary.empty(), Statistics.empty()
        self._vocabulary_part: str | None = metadata.get("vocabulary")

    def __len__(self) -> int:
        return self.statistics.documents

    def with_statistics(self, statistics: Statistics) -> "Corpus":
        """The same documents under another table of statistics, as an index built earlier needs it."""
        other = copy(self)
        other.statistics = statistics.padded(self.vocabulary.count)
        return other

    def info(self) -> dict[str, int]:
        """The corpus in numbers."""
        parts = self._store.manifest().parts.values()
        return {
            "documents": self.statistics.documents,
            "tokens": self.statistics.tokens,
            "words": int((self.statistics.df > 0).sum()),
            "segments": len(self.segments),
            "deleted": len(self.tombstones),
            "bytes": sum(size for files in parts for size, _ in files.values()),
            "generation": self.generation,
        }

    def damaged(self) -> list[str]:
        """What differs from what was written; empty when all is whole."""
        return self._store.damaged()

    def _segment_of(self, doc_ids: Int64Array) -> Int64Array:
        """The number of the segment that holds each document: serials rise from segment to segment."""
        starts = [int(segment.doc_ids[0]) for segment in self.segments]
        return np.searchsorted(starts, doc_ids, side="right") - 1

    def add(self, documents: Iterable[Document], done: Callable[[int], None] = _ignore) -> Change:
        """Take documents in; one with a known id replaces its predecessor. All of them or none."""
        with self._changing():
            name = self._store.new_part("segment")
            with self._writer(name) as writer:
                doc_id = writer.add(documents, self.next_doc_id, done)
            if doc_id == self.next_doc_id:
                return Change()
            new = CorpusSegment(self._store.part(name))
            replaced = self._replaced_by(new)
            again = int(np.isin(replaced, new.doc_ids).sum())
            self.statistics.count(new.tokens, new.indptr, np.arange(len(new)), self.vocabulary.stems())
            self.segments.append(new)
            self.names.append(name)
            self.next_doc_id = doc_id
            self._delete(replaced)
            self._commit(new_words=True)
        return Change(added=len(new) - len(replaced), replaced=len(replaced) - again, repeated=again)

    def remove(self, ids: Sequence[str]) -> Change:
        """Take documents out; if an id is not there, nothing changes."""
        with self._changing():
            wanted = {key(name): name for name in ids}
            found: dict[int, int] = {}
            for segment in self.segments:
                ordinals = segment.find(np.array(list(wanted), np.int64))
                ordinals = ordinals[segment.live(self.tombstones)[ordinals]]
                found |= dict(
                    zip(segment.keys[ordinals].tolist(), segment.doc_ids[ordinals].tolist(), strict=True)
                )
            absent = [name for number, name in wanted.items() if number not in found]
            if absent:
                raise InputError(
                    f"no document {absent[0]!r} in the corpus ({len(absent)} of {len(ids)} ids are unknown); "
                    "nothing was removed"
                )
            self._delete(np.array(sorted(found.values()), np.int64))
            self._commit(new_words=False)
        return Change(removed=len(found))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Work on the newest state; after a failure show again what is on disk."""
        with self._store.writing():
            self._open()
            try:
                yield
            except BaseException:
                self._open()
                raise

    def _writer(self, part: str) -> SegmentWriter:
        folder = self._store.part(part)
        return SegmentWriter(folder, self.vocabulary, self._indexer(folder))

    def _replaced_by(self, new: CorpusSegment) -> Int64Array:
        """Living documents whose id comes again, in earlier segments or earlier in the new one."""
        replaced: list[int] = []
        keys, last = np.unique(new.keys[::-1], return_index=True)
        if len(keys) < len(new):  # the same id twice in the input: the last one counts
            kept = np.zeros(len(new), np.bool_)
            kept[len(new) - 1 - last] = True
            replaced.extend(new.doc_ids[~kept].tolist())
        for segment in self.segments:
            same = np.isin(segment.keys, keys) & segment.live(self.tombstones)
            replaced.extend(segment.doc_ids[same].tolist())
        return np.array(sorted(replaced), np.int64)

    def _delete(self, doc_ids: Int64Array) -> None:
        """Mark documents dead and take them out of the statistics."""
        for number, segment in enumerate(self.segments):
            mine = doc_ids[self._segment_of(doc_ids) == number]
            self.statistics.count(
                segment.tokens, segment.indptr, segment.ordinals_of(mine), self.vocabulary.stems(), -1
            )
        self.tombstones = np.union1d(self.tombstones, doc_ids)

    def _commit(self, new_words: bool) -> None:
        self._merge_segments()
        if new_words or self._vocabulary_part is None:
            self._vocabulary_part = self._store.new_part("vocabulary")
            self.vocabulary.save(self._store.part(self._vocabulary_part))
        statistics = self._store.new_part("statistics")
        self.statistics.settle(self.vocabulary.stems())
        self.statistics.save(self._store.part(statistics))
        save(self._store.part(statistics), tombstones=self.tombstones)
        metadata = {
            "segments": self.names,
            "vocabulary": self._vocabulary_part,
            "statistics": statistics,
            "next_doc_id": self.next_doc_id,
        }
        self._store.commit(metadata, [*self.names, self._vocabulary_part, statistics])
        self._open()

    def _merge_segments(self) -> None:
        """Join small neighbours when segments are many; rewrite a segment that is mostly dead."""
        for number in reversed(range(len(self.segments))):
            live_ids = self.segments[number].live(self.tombstones)
            if 2 * live_ids.sum() < len(live_ids):
                self._join(number, number + 1)
        while len(self.segments) > MAX_SEGMENTS:
            sizes = [len(segment.tokens) for segment in self.segments]
            pairs = [a + b for a, b in pairwise(sizes)]
            at = int(np.argmin(pairs))
            self._join(at, at + 2)

    def _join(self, begin: int, end: int) -> None:
        """Replace the segments from begin to end by one with their living documents, or by none."""
        old = self.segments[begin:end]
        live_ids = [np.flatnonzero(segment.live(self.tombstones)) for segment in old]
        fresh: list[str] = []
        if sum(map(len, live_ids)):
            fresh = [self._store.new_part("segment")]
            with self._writer(fresh[0]) as writer:
                for segment, ordinals in zip(old, live_ids, strict=True):
                    if len(ordinals):
                        writer.copy(segment, ordinals)
        self.tombstones = np.setdiff1d(self.tombstones, np.concatenate([segment.doc_ids for segment in old]))
        self.names[begin:end] = fresh
        self.segments[begin:end] = [CorpusSegment(self._store.part(name)) for name in fresh]
