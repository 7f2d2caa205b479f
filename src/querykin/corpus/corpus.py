"""The corpus on disk: documents come and go, readers keep what they opened."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compiled import Longs
from querykin.corpus.segment import Indexer, Segment, SegmentWriter, key
from querykin.corpus.statistics import Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.errors import InputError
from querykin.records import Document
from querykin.storage import Manifest, Store, load, save

MOST_SEGMENTS = 8  # a search asks every segment; past this the smallest neighbours are joined


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
        facts, part = manifest.facts, self._store.part
        self.generation, self.lineage = manifest.generation, manifest.lineage
        self.names: list[str] = facts.get("segments", [])
        self.segments = [Segment(part(name)) for name in self.names]
        self.next_serial: int = facts.get("next_serial", 0)
        self.dead: Longs = np.zeros(0, np.int64)
        if facts:
            self.dead = load(part(facts["statistics"]), "dead")
            self.vocabulary = Vocabulary.open(part(facts["vocabulary"]))
            self.statistics = Statistics.open(part(facts["statistics"]))
        else:
            self.vocabulary, self.statistics = Vocabulary.empty(), Statistics.empty()
        self._vocabulary_part: str | None = facts.get("vocabulary")

    def __len__(self) -> int:
        return self.statistics.documents

    def weighted_by(self, statistics: Statistics) -> "Corpus":
        """The same documents under another table of statistics, as an index built earlier needs it."""
        other = copy(self)
        other.statistics = statistics.padded(self.vocabulary.count)
        return other

    def facts(self) -> dict[str, int]:
        """The corpus in numbers."""
        parts = self._store.manifest().parts.values()
        return {
            "documents": self.statistics.documents,
            "tokens": self.statistics.tokens,
            "words": int((self.statistics.df > 0).sum()),
            "segments": len(self.segments),
            "deleted": len(self.dead),
            "bytes": sum(size for files in parts for size, _ in files.values()),
            "generation": self.generation,
        }

    def damaged(self) -> list[str]:
        """What differs from what was written; empty when all is whole."""
        return self._store.damaged()

    def _segment_of(self, serials: Longs) -> Longs:
        """The number of the segment that holds each document: serials rise from segment to segment."""
        starts = [int(segment.serials[0]) for segment in self.segments]
        return np.searchsorted(starts, serials, side="right") - 1

    def add(self, documents: Iterable[Document], done: Callable[[int], None] = _ignore) -> Change:
        """Take documents in; one with a known id replaces its predecessor. All of them or none."""
        with self._changing():
            name = self._store.new_part("segment")
            with self._writer(name) as writer:
                serial = writer.add(documents, self.next_serial, done)
            if serial == self.next_serial:
                return Change()
            new = Segment(self._store.part(name))
            doomed = self._replaced_by(new)
            again = int(np.isin(doomed, new.serials).sum())
            self.statistics.count(new.tokens, new.first, np.arange(len(new)), self.vocabulary.stems())
            self.segments.append(new)
            self.names.append(name)
            self.next_serial = serial
            self._bury(doomed)
            self._commit(new_words=True)
        return Change(added=len(new) - len(doomed), replaced=len(doomed) - again, repeated=again)

    def remove(self, ids: Sequence[str]) -> Change:
        """Take documents out; if an id is not there, nothing changes."""
        with self._changing():
            wanted = {key(name): name for name in ids}
            found: dict[int, int] = {}
            for segment in self.segments:
                places = segment.find(np.array(list(wanted), np.int64))
                places = places[segment.alive(self.dead)[places]]
                found |= dict(
                    zip(segment.keys[places].tolist(), segment.serials[places].tolist(), strict=True)
                )
            absent = [name for number, name in wanted.items() if number not in found]
            if absent:
                raise InputError(
                    f"no document {absent[0]!r} in the corpus ({len(absent)} of {len(ids)} ids are unknown); "
                    "nothing was removed"
                )
            self._bury(np.array(sorted(found.values()), np.int64))
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

    def _replaced_by(self, new: Segment) -> Longs:
        """Living documents whose id comes again, in earlier segments or earlier in the new one."""
        doomed: list[int] = []
        keys, last = np.unique(new.keys[::-1], return_index=True)
        if len(keys) < len(new):  # the same id twice in the input: the last one counts
            kept = np.zeros(len(new), np.bool_)
            kept[len(new) - 1 - last] = True
            doomed.extend(new.serials[~kept].tolist())
        for segment in self.segments:
            same = np.isin(segment.keys, keys) & segment.alive(self.dead)
            doomed.extend(segment.serials[same].tolist())
        return np.array(sorted(doomed), np.int64)

    def _bury(self, serials: Longs) -> None:
        """Mark documents dead and take them out of the statistics."""
        for number, segment in enumerate(self.segments):
            mine = serials[self._segment_of(serials) == number]
            self.statistics.count(
                segment.tokens, segment.first, segment.places_of(mine), self.vocabulary.stems(), -1
            )
        self.dead = np.union1d(self.dead, serials)

    def _commit(self, new_words: bool) -> None:
        self._tidy()
        if new_words or self._vocabulary_part is None:
            self._vocabulary_part = self._store.new_part("vocabulary")
            self.vocabulary.save(self._store.part(self._vocabulary_part))
        statistics = self._store.new_part("statistics")
        self.statistics.settle(self.vocabulary.stems())
        self.statistics.save(self._store.part(statistics))
        save(self._store.part(statistics), dead=self.dead)
        facts = {
            "segments": self.names,
            "vocabulary": self._vocabulary_part,
            "statistics": statistics,
            "next_serial": self.next_serial,
        }
        self._store.commit(facts, [*self.names, self._vocabulary_part, statistics])
        self._open()

    def _tidy(self) -> None:
        """Join small neighbours when segments are many; rewrite a segment that is mostly dead."""
        for number in reversed(range(len(self.segments))):
            living = self.segments[number].alive(self.dead)
            if 2 * living.sum() < len(living):
                self._join(number, number + 1)
        while len(self.segments) > MOST_SEGMENTS:
            sizes = [len(segment.tokens) for segment in self.segments]
            pairs = [a + b for a, b in pairwise(sizes)]
            at = int(np.argmin(pairs))
            self._join(at, at + 2)

    def _join(self, begin: int, end: int) -> None:
        """Replace the segments from begin to end by one with their living documents, or by none."""
        old = self.segments[begin:end]
        living = [np.flatnonzero(segment.alive(self.dead)) for segment in old]
        fresh: list[str] = []
        if sum(map(len, living)):
            fresh = [self._store.new_part("segment")]
            with self._writer(fresh[0]) as writer:
                for segment, places in zip(old, living, strict=True):
                    if len(places):
                        writer.copy(segment, places)
        self.dead = np.setdiff1d(self.dead, np.concatenate([segment.serials for segment in old]))
        self.names[begin:end] = fresh
        self.segments[begin:end] = [Segment(self._store.part(name)) for name in fresh]
