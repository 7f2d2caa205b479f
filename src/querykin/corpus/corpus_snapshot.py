"""A corpus as it is on disk: opened, described, and read document by document."""

from collections.abc import Iterator
from copy import copy
from itertools import pairwise
from pathlib import Path
from typing import Any, NotRequired, Self

import numpy as np
from typing_extensions import TypedDict

from querykin.compute.arrays import make_indptr
from querykin.corpus.corpus_state import CorpusState
from querykin.corpus.languages import new_analyzer, recorded_analyzer
from querykin.corpus.segment import CorpusSegment, id_hash
from querykin.corpus.statistics import Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.errors import InputError
from querykin.storage.array_files import load, within
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.source_names import known_source
from querykin.storage.store import Manifest
from querykin.text.analyzer import Analyzer
from querykin.text.languages import Language
from querykin.types import Document, with_source


class _Metadata(TypedDict):
    """The metadata of the store."""

    segments: list[str]
    vocabulary: str
    statistics: str
    tombstones: str
    sources: str
    source_names: list[str]
    next_doc_id: Number
    languages: NotRequired[list[str]]


class CorpusSnapshot(CorpusState):
    """The documents that were there when a corpus was opened, with their statistics and sources."""

    generation: int
    store_id: str
    _given_languages: tuple[Language, ...]

    def _load(self, manifest: Manifest) -> None:
        metadata, part = manifest.metadata, self._store.part
        self.generation, self.store_id = manifest.generation, manifest.store_id
        self.names = metadata.get("segments", [])
        self.next_doc_id = metadata.get("next_doc_id", 0)
        self.tombstones = np.zeros(0, np.int64)
        self._source_names = metadata.get("source_names", [])
        self._source_ids = []
        if metadata:
            check_metadata(self._store, metadata, _Metadata)
            self.tombstones = load(part(metadata["tombstones"]), "tombstones", types=np.int64)
            analyzer = recorded_analyzer(metadata, self._given_languages, self._store.path)
            self.vocabulary = Vocabulary.open(part(metadata["vocabulary"]), analyzer)
            self.statistics = Statistics.open(part(metadata["statistics"]), self.vocabulary.count)
            self.segments = [
                CorpusSegment(part(name), self.vocabulary.count, manifest.parts[name]) for name in self.names
            ]
            borders = make_indptr([len(segment) for segment in self.segments])
            known = within(0, len(self._source_names))
            source_ids = load(part(metadata["sources"]), "source_ids", known, int(borders[-1]), np.int32)
            self._source_ids = [source_ids[begin:end] for begin, end in pairwise(borders)]
        else:
            self.segments = []
            analyzer = new_analyzer(self._given_languages)
            self.vocabulary, self.statistics = Vocabulary.empty(analyzer), Statistics.empty()
        self._parts = {kind: metadata[kind] for kind in ("vocabulary", "statistics") if metadata}

    def __len__(self) -> int:
        return self.statistics.documents

    @property
    def path(self) -> Path:
        """The folder of the corpus."""
        return self._store.path

    @property
    def analyzer(self) -> Analyzer:
        """Tokens, stems and stop words in the languages of the corpus."""
        return self.vocabulary.analyzer

    def with_statistics(self, statistics: Statistics) -> Self:
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
