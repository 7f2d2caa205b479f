"""The corpus on disk: immutable segments with tombstones for deletions, as in Lucene."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.corpus.languages import first_documents, new_analyzer, recorded_analyzer
from querykin.corpus.segment import CorpusSegment, Indexer, SegmentWriter, id_hash
from querykin.corpus.statistics import Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.errors import InputError
from querykin.storage.array_files import load, save
from querykin.storage.store import Manifest, Store
from querykin.text.analyzer import Analyzer
from querykin.text.language_recognition import Recognition, recognise
from querykin.text.languages import parse_languages
from querykin.types import Document

MAX_SEGMENTS = 8  # a search visits every segment; beyond this, small adjacent ones are merged


@dataclass(frozen=True, slots=True)
class Change:
    """How many documents an operation added, replaced or removed."""

    added: int = 0
    replaced: int = 0
    repeated: int = 0  # occurred again with the same id in the same input: the last one counts
    removed: int = 0


def _no_progress(_: int) -> None:
    """Ignore progress."""


class Corpus:
    """Documents as token ids, with their statistics; open one with `Corpus(path, indexer)`.

    `indexer` creates the search index of a new segment in a given folder. A corpus object is a snapshot:
    after `add` or `remove` it shows the new state, other objects continue with the old one. The languages of
    a corpus are those given in `language`, or are recognised from its first documents; they never change.
    """

    def __init__(self, path: Path, indexer: Callable[[Path], Indexer], language: str = "") -> None:
        self._store, self._indexer = Store(path, "corpus"), indexer
        self._given_languages = parse_languages(language) if language else ()
        self.recognition: Recognition | None = None  # set when documents decide the language
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
            self.tombstones = load(part(metadata["tombstones"]), "tombstones")
            analyzer = recorded_analyzer(metadata, self._given_languages, self._store.path)
            self.vocabulary = Vocabulary.open(part(metadata["vocabulary"]), analyzer)
            self.statistics = Statistics.open(part(metadata["statistics"]))
        else:
            analyzer = new_analyzer(self._given_languages)
            self.vocabulary, self.statistics = Vocabulary.empty(analyzer), Statistics.empty()
        self._vocabulary_part: str | None = metadata.get("vocabulary")

    def __len__(self) -> int:
        return self.statistics.documents

    @property
    def analyzer(self) -> Analyzer:
        """Tokens, stems and stop words in the languages of the corpus."""
        return self.vocabulary.analyzer

    def with_statistics(self, statistics: Statistics) -> "Corpus":
        """The same documents with other statistics, as an index built earlier requires."""
        other = copy(self)
        other.statistics = statistics.padded(self.vocabulary.count)
        return other

    def info(self) -> dict[str, int | str]:
        """The language and the sizes of the corpus."""
        parts = self._store.manifest().parts.values()
        return {
            "language": ",".join(self.analyzer.codes),
            "documents": self.statistics.documents,
            "tokens": self.statistics.tokens,
            "words": int((self.statistics.df > 0).sum()),
            "segments": len(self.segments),
            "deleted": len(self.tombstones),
            "bytes": sum(size for files in parts for size, _ in files.values()),
            "generation": self.generation,
        }

    def _segment_of(self, doc_ids: Int64Array) -> Int64Array:
        """The number of the segment that contains each document: doc_ids ascend across segments."""
        starts = [int(segment.doc_ids[0]) for segment in self.segments]
        return np.searchsorted(starts, doc_ids, side="right") - 1

    def add(self, documents: Iterable[Document], progress: Callable[[int], None] = _no_progress) -> Change:
        """Add documents, all or none; one with a known id replaces its predecessor."""
        with self._changing():
            documents = self._recognise_language(documents)
            name = self._store.new_part("segment")
            with self._writer(name) as writer:
                doc_id = writer.add(documents, self.next_doc_id, progress)
            if doc_id == self.next_doc_id:
                return Change()
            new = CorpusSegment(self._store.part(name))
            replaced = self._replaced_by(new)
            repeated = int(np.isin(replaced, new.doc_ids).sum())
            self.statistics.count(new.tokens, new.indptr, np.arange(len(new)), self.vocabulary.stems())
            self.segments.append(new)
            self.names.append(name)
            self.next_doc_id = doc_id
            self._delete(replaced)
            self._commit(new_words=True)
        return Change(added=len(new) - len(replaced), replaced=len(replaced) - repeated, repeated=repeated)

    def remove(self, ids: Sequence[str]) -> Change:
        """Remove documents; if any id is unknown, nothing changes."""
        with self._changing():
            names = {id_hash(name): name for name in ids}
            doc_ids: dict[int, int] = {}
            for segment in self.segments:
                ordinals = segment.find(np.array(list(names), np.int64))
                ordinals = ordinals[segment.live(self.tombstones)[ordinals]]
                hashes = segment.id_hashes[ordinals].tolist()
                doc_ids |= dict(zip(hashes, segment.doc_ids[ordinals].tolist(), strict=True))
            unknown = [name for hashed, name in names.items() if hashed not in doc_ids]
            if unknown:
                raise InputError(
                    f"no document {unknown[0]!r} in the corpus ({len(unknown)} of {len(ids)} ids are "
                    "unknown); nothing was removed"
                )
            self._delete(np.array(sorted(doc_ids.values()), np.int64))
            self._commit(new_words=False)
        return Change(removed=len(doc_ids))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Lock the store and load its newest state; after a failure, load what is on disk again."""
        with self._store.writing():
            self._open()
            try:
                yield
            except BaseException:
                self._open()
                raise

    def _recognise_language(self, documents: Iterable[Document]) -> Iterable[Document]:
        """Decide the language of a new corpus from its first documents; returns all documents."""
        if self._vocabulary_part is None and not self._given_languages:
            first, documents = first_documents(documents)
            self.recognition = recognise([f"{document.title}\n{document.text}" for document in first])
            self.vocabulary = Vocabulary.empty(new_analyzer(self.recognition.languages))
        return documents

    def _writer(self, part: str) -> SegmentWriter:
        folder = self._store.part(part)
        return SegmentWriter(folder, self.vocabulary, self._indexer(folder))

    def _replaced_by(self, new: CorpusSegment) -> Int64Array:
        """Live documents whose id occurs again, in earlier segments or earlier in the new one."""
        replaced: list[int] = []
        hashes, last = np.unique(new.id_hashes[::-1], return_index=True)
        if len(hashes) < len(new):  # an id twice in one input: the last one counts
            counts = np.zeros(len(new), np.bool_)
            counts[len(new) - 1 - last] = True
            replaced.extend(new.doc_ids[~counts].tolist())
        for segment in self.segments:
            same = np.isin(segment.id_hashes, hashes) & segment.live(self.tombstones)
            replaced.extend(segment.doc_ids[same].tolist())
        return np.array(sorted(replaced), np.int64)

    def _delete(self, doc_ids: Int64Array) -> None:
        """Add tombstones for documents and subtract them from the statistics."""
        for number, segment in enumerate(self.segments):
            ordinals = segment.ordinals_of(doc_ids[self._segment_of(doc_ids) == number])
            self.statistics.count(segment.tokens, segment.indptr, ordinals, self.vocabulary.stems(), -1)
        self.tombstones = np.union1d(self.tombstones, doc_ids)

    def _commit(self, new_words: bool) -> None:
        self._merge_segments()
        if new_words or self._vocabulary_part is None:
            self._vocabulary_part = self._store.new_part("vocabulary")
            self.vocabulary.save(self._store.part(self._vocabulary_part))
        statistics, tombstones = self._store.new_part("statistics"), self._store.new_part("tombstones")
        self.statistics.update_labels(self.vocabulary.stems())
        self.statistics.save(self._store.part(statistics))
        save(self._store.part(tombstones), tombstones=self.tombstones)
        metadata = {
            "segments": self.names,
            "vocabulary": self._vocabulary_part,
            "statistics": statistics,
            "tombstones": tombstones,
            "next_doc_id": self.next_doc_id,
            "languages": self.analyzer.codes,
        }
        self._store.commit(metadata, [*self.names, self._vocabulary_part, statistics, tombstones])
        self._open()

    def _merge_segments(self) -> None:
        """Rewrite segments with a majority of tombstones; merge small adjacent ones beyond MAX_SEGMENTS."""
        for number in reversed(range(len(self.segments))):
            live = self.segments[number].live(self.tombstones)
            if 2 * live.sum() < len(live):
                self._merge(number, number + 1)
        while len(self.segments) > MAX_SEGMENTS:
            sizes = [len(segment.tokens) for segment in self.segments]
            smallest = int(np.argmin([a + b for a, b in pairwise(sizes)]))
            self._merge(smallest, smallest + 2)

    def _merge(self, begin: int, end: int) -> None:
        """Replace segments begin to end by one with their live documents, or by none if there are none."""
        old = self.segments[begin:end]
        live = [np.flatnonzero(segment.live(self.tombstones)) for segment in old]
        merged: list[str] = []
        if sum(map(len, live)):
            merged = [self._store.new_part("segment")]
            with self._writer(merged[0]) as writer:
                for segment, ordinals in zip(old, live, strict=True):
                    if len(ordinals):
                        writer.copy(segment, ordinals)
        self.tombstones = np.setdiff1d(self.tombstones, np.concatenate([segment.doc_ids for segment in old]))
        self.names[begin:end] = merged
        self.segments[begin:end] = [CorpusSegment(self._store.part(name)) for name in merged]
