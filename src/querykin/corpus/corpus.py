"""The corpus on disk: immutable segments with tombstones for deletions, as in Lucene."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, make_indptr
from querykin.corpus.additions import Additions, LiveDocuments, Outcome
from querykin.corpus.languages import first_documents, new_analyzer, recorded_analyzer
from querykin.corpus.segment import CorpusSegment, Indexer, SegmentWriter, batches, id_hash
from querykin.corpus.statistics import Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.counted_nouns import counted
from querykin.errors import InputError
from querykin.io.python_objects import as_documents
from querykin.storage.array_files import load, save
from querykin.storage.source_names import known_source
from querykin.storage.store import Manifest, Store
from querykin.text.analyzer import Analyzer
from querykin.text.language_recognition import Recognition, recognize
from querykin.text.languages import parse_languages
from querykin.types import Change, Document, with_source

MAX_SEGMENTS = 8  # a search visits every segment; beyond this, small adjacent ones are merged


def _no_progress(_: int) -> None:
    """Ignore progress."""


def _nothing_more(_: "Corpus") -> None:
    """Leave it at the change of the corpus."""


class Corpus:
    """Documents as token ids, with their statistics; open one with `Corpus(path, indexer)`.

    `indexer` creates the search index of a new segment in a given folder. A corpus object is a snapshot:
    after `add` or `remove` it shows the new state, other objects continue with the old one. The languages of
    a corpus are those given in `language`, or are recognized from its first documents; they never change.
    """

    def __init__(self, path: Path, indexer: Callable[[Path], Indexer], language: str = "") -> None:
        self._store, self._indexer = Store(path, "corpus"), indexer
        self._given_languages = parse_languages(language) if language else ()
        self.recognition: Recognition | None = None  # set when documents decide the language
        self.on_change: Callable[[Corpus], Any] = _nothing_more  # called after an addition or a removal
        self._store.read(self._load)

    def _load(self, manifest: Manifest) -> None:
        metadata, part = manifest.metadata, self._store.part
        self.generation, self.store_id = manifest.generation, manifest.store_id
        self.names: list[str] = metadata.get("segments", [])
        self.segments = [CorpusSegment(part(name)) for name in self.names]
        self.next_doc_id: int = metadata.get("next_doc_id", 0)
        self.tombstones: Int64Array = np.zeros(0, np.int64)
        self._source_names: list[str] = metadata.get("source_names", [])
        self._source_ids: list[Int32Array] = []  # the source of each document, by segment
        if metadata:
            self.tombstones = load(part(metadata["tombstones"]), "tombstones")
            analyzer = recorded_analyzer(metadata, self._given_languages, self._store.path)
            self.vocabulary = Vocabulary.open(part(metadata["vocabulary"]), analyzer)
            self.statistics = Statistics.open(part(metadata["statistics"]))
            source_ids = load(part(metadata["sources"]), "source_ids")
            borders = make_indptr([len(segment) for segment in self.segments])
            self._source_ids = [source_ids[begin:end] for begin, end in pairwise(borders)]
        else:
            analyzer = new_analyzer(self._given_languages)
            self.vocabulary, self.statistics = Vocabulary.empty(analyzer), Statistics.empty()
        self._parts = {kind: metadata[kind] for kind in ("vocabulary", "statistics") if metadata}

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

    def info(self) -> dict[str, Any]:
        """The language and the sizes of the corpus and of its sources."""
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
            "sources": self.sources(),
        }

    def sources(self) -> dict[str, int]:
        """The number of documents of each source, by name."""
        sizes = np.zeros(len(self._source_names), np.int64)
        for segment, source_ids in zip(self.segments, self._source_ids, strict=True):
            sizes += np.bincount(source_ids[segment.live(self.tombstones)], minlength=len(sizes))
        names = zip(self._source_names, sizes.tolist(), strict=True)
        return {name: size for name, size in sorted(names) if size}

    def documents(self, source: str | None = None) -> Iterator[Document]:
        """The documents in the order of arrival, with their sources; those of one source if it is given."""
        chosen = None if source is None else self._source_names.index(known_source(source, self.sources()))
        for segment, source_ids in zip(self.segments, self._source_ids, strict=True):
            live = segment.live(self.tombstones)
            for ordinal in np.flatnonzero(live if chosen is None else live & (source_ids == chosen)):
                yield self._document(segment, int(ordinal), int(source_ids[ordinal]))

    def document(self, document_id: str) -> Document:
        """A document by its id, with its source."""
        hashed = np.array([id_hash(document_id)])
        for segment, source_ids in zip(self.segments, self._source_ids, strict=True):
            ordinals = segment.find(hashed)
            for ordinal in ordinals[segment.live(self.tombstones)[ordinals]]:
                return self._document(segment, int(ordinal), int(source_ids[ordinal]))
        raise InputError(
            f"no document {document_id!r} in the corpus; next: querykin corpus list shows the ids"
        )

    def _document(self, segment: CorpusSegment, ordinal: int, source_id: int) -> Document:
        return with_source(segment.document(ordinal), self._source_names[source_id])

    def _segment_of(self, doc_ids: Int64Array) -> Int64Array:
        """The number of the segment that contains each document: doc_ids ascend across segments."""
        starts = [int(segment.doc_ids[0]) for segment in self.segments]
        return np.searchsorted(starts, doc_ids, side="right") - 1

    def add(
        self,
        documents: Any,
        progress: Callable[[int], None] = _no_progress,
        *,
        columns: Mapping[str, str] | None = None,
        source: str | None = None,
        replace: bool = False,
        dry_run: bool = False,
    ) -> Change:
        """Add documents, all or none; one with a known id replaces its predecessor.

        Documents are a data frame (pandas, Polars, anything with an Arrow stream), or any mix of `Document`s,
        dicts and texts; `columns` names the columns of roles, as in {"title": "Name"}.

        They belong to `source`; by default each to the source it names, or to "default". A document that is
        there already, with the same content and source, is left alone. With `replace` the documents are the
        whole of their sources: other documents of these sources are removed. `dry_run` only reports.
        """
        documents = iter(as_documents(documents, columns))
        first = list(islice(documents, 1))  # input that cannot be read at all does not make a corpus
        with self._store.changing(self._load, dry_run=dry_run):
            documents = self._recognize_language(chain(first, documents))
            live = LiveDocuments(self.segments, self._source_ids, self.tombstones)
            additions = Additions(live, self._source_names, source, self.next_doc_id)
            part = "" if dry_run else self._store.new_part("segment")
            with ExitStack() as stack:
                writer = None if dry_run else stack.enter_context(self._writer(part))
                for batch in batches(documents):
                    doc_id, new = additions.next_doc_id, additions.take(batch)
                    if writer:
                        writer.add(new, doc_id)
                    progress(len(batch))
            outcome = additions.outcome(replace)
            if outcome.change and not dry_run:
                self._apply(outcome, part)
        if outcome.change and not dry_run:
            self.on_change(self)
        return outcome.change

    def remove(self, ids: Sequence[str]) -> Change:
        """Remove documents; if any id is unknown, nothing changes."""
        with self._store.changing(self._load):
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
                    f"no document {unknown[0]!r} in the corpus (unknown: {len(unknown):,} of "
                    f"{counted(len(ids), 'id')}); nothing was removed"
                )
            self._delete(np.array(sorted(doc_ids.values()), np.int64))
            self._commit()
        self.on_change(self)
        return Change(removed=len(doc_ids))

    def remove_source(self, source: str, *, dry_run: bool = False) -> Change:
        """Remove all documents of a source."""
        self._store.read(self._load)
        return self.add([], source=known_source(source, self.sources()), replace=True, dry_run=dry_run)

    def _recognize_language(self, documents: Iterable[Document]) -> Iterable[Document]:
        """Decide the language of a new corpus from its first documents; returns all documents."""
        if not self._parts and not self._given_languages:
            first, documents = first_documents(documents)
            self.recognition = recognize([f"{document.title}\n{document.text}" for document in first])
            self.vocabulary = Vocabulary.empty(new_analyzer(self.recognition.languages))
        return documents

    def _writer(self, part: str) -> SegmentWriter:
        folder = self._store.part(part)
        return SegmentWriter(folder, self.vocabulary, self._indexer(folder))

    def _apply(self, outcome: Outcome, part: str) -> None:
        """Commit the outcome of an addition; `part` is the segment of the new documents."""
        self._source_names = outcome.source_names
        for number, segment in enumerate(self.segments):
            here = self._segment_of(outcome.moved) == number
            self._source_ids[number][segment.ordinals_of(outcome.moved[here])] = outcome.moved_to[here]
        any_new = len(outcome.new_sources) > 0
        if any_new:
            new = CorpusSegment(self._store.part(part))
            self.statistics.count(new.tokens, new.indptr, np.arange(len(new)), self.vocabulary.stems())
            self.segments.append(new)
            self.names.append(part)
            self._source_ids.append(outcome.new_sources)
            self.next_doc_id += len(new)
        self._delete(outcome.deleted)
        self._commit(new_words=any_new, recounted=any_new or len(outcome.deleted) > 0)

    def _delete(self, doc_ids: Int64Array) -> None:
        """Add tombstones for documents and subtract them from the statistics."""
        for number, segment in enumerate(self.segments):
            ordinals = segment.ordinals_of(doc_ids[self._segment_of(doc_ids) == number])
            self.statistics.count(segment.tokens, segment.indptr, ordinals, self.vocabulary.stems(), -1)
        self.tombstones = np.union1d(self.tombstones, doc_ids)

    def _commit(self, new_words: bool = False, recounted: bool = True) -> None:
        """Write what has changed; without `recounted`, documents have only moved to other sources."""
        self._merge_segments()
        if new_words or "vocabulary" not in self._parts:
            self._parts["vocabulary"] = self._store.new_part("vocabulary")
            self.vocabulary.save(self._store.part(self._parts["vocabulary"]))
        if recounted or "statistics" not in self._parts:
            self._parts["statistics"] = self._store.new_part("statistics")
            self.statistics.update_labels(self.vocabulary.stems())
            self.statistics.save(self._store.part(self._parts["statistics"]))
        tombstones, sources = self._store.new_part("tombstones"), self._store.new_part("sources")
        save(self._store.part(tombstones), tombstones=self.tombstones)
        source_ids = np.concatenate([np.zeros(0, np.int32), *self._source_ids])
        save(self._store.part(sources), source_ids=source_ids)
        parts = {**self._parts, "tombstones": tombstones, "sources": sources}
        metadata = {
            "segments": self.names,
            **parts,
            "source_names": self._source_names,
            "next_doc_id": self.next_doc_id,
            "languages": self.analyzer.codes,
        }
        self._store.commit(metadata, [*self.names, *parts.values()])

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
        source_ids = [ids[kept] for ids, kept in zip(self._source_ids[begin:end], live, strict=True)]
        self._source_ids[begin:end] = [np.concatenate(source_ids)] if merged else []
        self.names[begin:end] = merged
        self.segments[begin:end] = [CorpusSegment(self._store.part(name)) for name in merged]
