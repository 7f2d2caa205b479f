"""Document vectors: the lead of every document under one embedding model, in 8 bits on disk.

A vector depends on the document and the model alone, so that it never becomes stale by other documents.
Documents are embedded in the order of their ids, which ascend with arrival: one number, the id up to which
all are embedded, tells an interrupted build and the next one where to continue.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np
from cachetools import LRUCache
from typing_extensions import TypedDict

from querykin.compute.arrays import BoolArray, Float64Array, Int8Array, Int32Array, Int64Array
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import CorpusSegment
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner, in_order
from querykin.embeddings.base import EmbeddingModel
from querykin.embeddings.leads import lead
from querykin.embeddings.vector_parts import VectorPart, merge_parts, quantize, unit_rows
from querykin.errors import DamagedFile, WorkspaceError
from querykin.progress import SILENT, Advance, Progress, duration
from querykin.search.engine import SearchResults
from querykin.storage.metadata import Number, check_metadata
from querykin.storage.published_files import remove_folder
from querykin.storage.store import Files, Manifest, Store

KIND = "document-vectors"
BATCH = 4096  # documents between two commits: what a killed build can lose at most
# Words of a lead. Static vectors cost next to nothing; a network takes time in proportion to the words.
LEAD_WORDS = {"static": 40, "dense": 22}
MAX_PARTS = 8  # a lookup visits every part; beyond this, small adjacent ones are merged
CACHE_SIZE = 8192  # leads embedded on demand whose vectors are cached, about 1 kB each
_SAMPLE = 128  # documents embedded to estimate the time of a build


class _Metadata(TypedDict):
    """The metadata of the store."""

    corpus_id: str
    settings: str
    next_doc_id: Number
    parts: list[str]


class DocumentVectors:
    """The vector of every document, read from disk or, for a document that is not there yet, computed.

    `load` loads the model on first use; `words` is the length of a lead. Both ways give the same vector, bit
    by bit.
    """

    def __init__(self, path: Path, load: Callable[[], EmbeddingModel], words: int, corpus_id: str) -> None:
        self._store, self._load_model, self._words = Store(path, KIND), load, words
        self._corpus_id = corpus_id
        self._cache: LRUCache[str, Int8Array] = LRUCache(CACHE_SIZE)
        self._lock = Lock()

    @cached_property
    def _on_disk(self) -> tuple[dict[str, Any], list[VectorPart]]:
        """The metadata and the parts, opened on first use: damage does not prevent a rebuild."""
        return self._store.read(self._open)

    def _open(self, manifest: Manifest) -> tuple[dict[str, Any], list[VectorPart]]:
        if not manifest.metadata:
            return {}, []
        metadata = check_metadata(self._store, manifest.metadata, _Metadata)
        return {**metadata}, [VectorPart(self._store.part(name)) for name in metadata["parts"]]

    def _refresh(self) -> None:
        self.__dict__.pop("_on_disk", None)

    @property
    def _metadata(self) -> dict[str, Any]:
        return self._on_disk[0]

    @cached_property
    def model(self) -> EmbeddingModel:
        """The embedding model."""
        return self._load_model()

    @cached_property
    def settings(self) -> str:
        """Everything that a vector depends on besides its document."""
        return f"model={self.model.identity} lead={self._words}"

    @cached_property
    def _width(self) -> int:
        return int(self.model([]).shape[1])

    @property
    def _is_current(self) -> bool:
        """Whether what is on disk was made of this corpus by this model."""
        found = self._metadata.get("corpus_id"), self._metadata.get("settings")
        return found == (self._corpus_id, self.settings)

    @property
    def _parts(self) -> list[VectorPart]:
        parts = self._on_disk[1] if self._is_current else []
        if any(part.width != self._width for part in parts):
            raise DamagedFile(self._store.path, f"vectors have other dimensions than {self._width}")
        return parts

    @property
    def _next_doc_id(self) -> int:
        """All documents below this id are embedded."""
        return int(self._metadata["next_doc_id"]) if self._is_current else 0

    def __len__(self) -> int:
        """The number of vectors on disk."""
        return sum(map(len, self._parts))

    # Lookup.

    def of(self, results: SearchResults) -> Float64Array:
        """The unit vector of each result's document; zero where the model knows none of its lead."""
        rows = np.zeros((len(results.documents), self._width), np.int8)
        # Ids of external hits are hashes, which say nothing about the documents of the corpus.
        in_corpus = np.array([isinstance(each, CorpusSegment) for each in results.segments], np.bool_)
        known = np.zeros(len(rows), np.bool_)
        sought = np.flatnonzero(in_corpus[results.segment_ids]) if len(rows) else np.zeros(0, np.int64)
        for part in self._parts:
            found, row_numbers = part.find(results.documents[sought])
            rows[sought[found]] = part.rows(row_numbers)
            known[sought[found]] = True
        missing = np.flatnonzero(~known)
        rows[missing] = self._on_demand([self._lead(results, int(result)) for result in missing])
        return unit_rows(rows)

    def _lead(self, results: SearchResults, result: int) -> str:
        segment = results.segments[results.segment_ids[result]]
        return lead(segment.document(int(results.ordinals[result])), self._words)

    def _on_demand(self, leads: Sequence[str]) -> Int8Array:
        """The vectors of leads, from the cache or by the model."""
        with self._lock:
            known = {text: self._cache[text] for text in leads if text in self._cache}
        new = [text for text in dict.fromkeys(leads) if text not in known]
        if new:
            known |= {text: row.copy() for text, row in zip(new, quantize(self.model(new)), strict=True)}
            with self._lock:
                self._cache.update({text: known[text] for text in new})
        return np.array([known[text] for text in leads], np.int8).reshape(len(leads), self._width)

    # Update.

    def update(self, corpus: Corpus, progress: Progress = SILENT, runner: TaskRunner = THIS_PROCESS) -> None:
        """Embed the documents that have no vector yet, on all cores, and drop those that were removed."""
        if not self._has_work(corpus):
            return
        with self._store.writing():
            self._refresh()
            names = self._embed_new(corpus, progress, runner)
            self._commit(self._rewrite(names, corpus), max(self._next_doc_id, corpus.next_doc_id))
        self._refresh()

    def _embed_new(self, corpus: Corpus, progress: Progress, runner: TaskRunner) -> list[str]:
        """Embed and commit batch after batch; returns the names of all parts."""
        names = list(self._metadata["parts"]) if self._is_current else []
        batches = [(segment, ordinals.astype(np.int32)) for segment, ordinals in self._batches(corpus)]
        todo = sum(len(ordinals) for _, ordinals in batches)
        if not todo:
            return names
        title = f"document vectors ({self._store.path.name})"
        progress.message(f"{title}: {todo:,} documents to embed, {duration(self._estimate(corpus, todo))}")
        with progress.task(f"embedding {title}", todo) as advance:
            for number, (name, files) in self._embedded(batches, progress, runner, advance):
                names = self._merge_small([*names, name], corpus)
                segment, ordinals = batches[number]
                self._commit(names, int(segment.doc_ids[ordinals[-1]]) + 1, {name: files})
        return names

    def _embedded(
        self,
        batches: Sequence[tuple[CorpusSegment, Int32Array]],
        progress: Progress,
        runner: TaskRunner,
        advance: Advance,
    ) -> Iterator[tuple[int, tuple[str, Files]]]:
        """The number and the part of each batch, in order: all documents before a commit are embedded."""
        from querykin.distributed.task_times import timed_results
        from querykin.embeddings.lead_tasks import EmbedLeads, SomeDocuments

        here = runner is THIS_PROCESS
        load = (lambda: self.model) if here else self._load_model
        work = EmbedLeads(self._store, load, self._words, advance if here else None)
        tasks = [SomeDocuments(segment.folder.absolute(), ordinals) for segment, ordinals in batches]
        title = f"document vectors ({self._store.path.name})"
        for number, part in in_order(timed_results(runner, work, tasks, progress, title)):
            advance(0 if here else len(batches[number][1]))
            yield number, part

    def _has_work(self, corpus: Corpus) -> bool:
        return next(self._batches(corpus), None) is not None or any(
            _mostly_removed(part, corpus) for part in self._parts
        )

    def _batches(self, corpus: Corpus) -> Iterator[tuple[CorpusSegment, Int64Array]]:
        """The documents to embed, by ascending id: segments with some of their ordinals."""
        begin = self._next_doc_id
        for segment in corpus.segments:
            ordinals = np.flatnonzero(segment.live(corpus.tombstones) & (segment.doc_ids >= begin))
            for first in range(0, len(ordinals), BATCH):
                yield segment, ordinals[first : first + BATCH]

    def _estimate(self, corpus: Corpus, todo: int) -> float:
        """The seconds that the embedding of all documents will take, from the first ones."""
        from querykin.embeddings.lead_tasks import embed_leads, read_leads

        segment, ordinals = next(self._batches(corpus))
        leads = read_leads(segment, ordinals[:_SAMPLE].astype(np.int32), self._words)
        self.model(leads[:1])  # what happens on the first call only
        began = perf_counter()
        embed_leads(self.model, leads, lambda documents: None)
        return (perf_counter() - began) / len(leads) * todo

    def _merge_small(self, names: list[str], corpus: Corpus) -> list[str]:
        """Merge small adjacent parts beyond MAX_PARTS."""
        while len(names) > MAX_PARTS:
            sizes = [len(VectorPart(self._store.part(name))) for name in names]
            smallest = int(np.argmin([a + b for a, b in pairwise(sizes)]))
            merged = self._merge(names[smallest : smallest + 2], corpus)
            names = [*names[:smallest], *merged, *names[smallest + 2 :]]
        return names

    def _rewrite(self, names: list[str], corpus: Corpus) -> list[str]:
        """Rewrite parts with a majority of removed documents."""
        kept = []
        for name in names:
            removed = _mostly_removed(VectorPart(self._store.part(name)), corpus)
            kept += self._merge([name], corpus) if removed else [name]
        return kept

    def _merge(self, names: Sequence[str], corpus: Corpus) -> list[str]:
        """One part with the live documents of several, or none if there are none."""
        parts = [VectorPart(self._store.part(name)) for name in names]
        live = [_live(part, corpus) for part in parts]
        if not any(mask.any() for mask in live):
            return []
        merged = self._store.new_part("vectors")
        merge_parts(self._store.part(merged), parts, live)
        return [merged]

    def _commit(
        self, names: Sequence[str], next_doc_id: int, sealed: Mapping[str, Files] | None = None
    ) -> None:
        metadata: dict[str, Any] = {
            "corpus_id": self._corpus_id,
            "settings": self.settings,
            "next_doc_id": next_doc_id,
            "parts": list(names),
        }
        self._store.commit(metadata, names, sealed)


def _live(part: VectorPart, corpus: Corpus) -> BoolArray:
    """Which documents of a part are in the corpus; those newer than this snapshot of it are kept."""
    kept = part.doc_ids >= corpus.next_doc_id
    for segment in corpus.segments:
        ids = segment.doc_ids[segment.live(corpus.tombstones)]
        kept |= np.isin(part.doc_ids, ids, assume_unique=True)
    return kept


def _mostly_removed(part: VectorPart, corpus: Corpus) -> bool:
    return 2 * int(_live(part, corpus).sum()) < len(part)


def drop_damaged(path: Path) -> None:
    """Delete document vectors that differ from what was written: all of them can be computed again."""
    try:
        damaged = bool(Store(path, KIND).corrupted_files())
    except WorkspaceError:
        damaged = True
    if damaged:
        remove_folder(path)
