"""The content of a corpus as it changes: segments, deletions, statistics, and their commit."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, make_indptr
from querykin.corpus.additions import LiveDocuments, Outcome
from querykin.corpus.limits import CorpusLimits
from querykin.corpus.segment import CorpusSegment, Indexer, SegmentWriter
from querykin.corpus.statistics import Statistics
from querykin.corpus.vocabulary import Vocabulary
from querykin.storage.array_files import save
from querykin.storage.part_folders import link_or_copy
from querykin.storage.store import Files, Store

MAX_SEGMENTS = 8  # that are small: a search visits every segment


class CorpusState:
    """What a corpus consists of, in memory; changes are committed as a whole."""

    limits: CorpusLimits
    indexer: Callable[[Path], Indexer]  # creates the search index of a new segment in its folder
    names: list[str]  # of the segments
    segments: list[CorpusSegment]
    vocabulary: Vocabulary
    statistics: Statistics
    tombstones: Int64Array  # doc_ids
    next_doc_id: int
    _store: Store
    _source_names: list[str]
    _source_ids: list[Int32Array]  # the source of each document, by segment
    _parts: dict[str, str]  # of the vocabulary and the statistics

    def _live(self) -> LiveDocuments:
        return LiveDocuments.of(self.segments, self._source_ids, self.tombstones)

    def _segment(self, name: str) -> CorpusSegment:
        return CorpusSegment(self._store.part(name), self.vocabulary.count)

    def _segment_of(self, doc_ids: Int64Array) -> Int64Array:
        """The number of the segment that contains each document: doc_ids ascend across segments."""
        starts = [int(segment.doc_ids[0]) for segment in self.segments]
        return np.searchsorted(starts, doc_ids, side="right") - 1

    def _writer(self, part: str) -> SegmentWriter:
        folder = self._store.part(part)
        return SegmentWriter(folder, self.vocabulary, self.indexer(folder))

    def _apply(
        self, outcome: Outcome, names: Sequence[str], sealed: Mapping[str, Files] | None = None
    ) -> None:
        """Commit the outcome of an addition.

        `names` are the segments of the new documents, whose words are saved and counted already.
        """
        self._source_names = outcome.source_names
        for number, segment in enumerate(self.segments):
            here = self._segment_of(outcome.moved) == number
            self._source_ids[number][segment.ordinals_of(outcome.moved[here])] = outcome.moved_to[here]
        new = [self._segment(name) for name in names]
        borders = make_indptr([len(segment) for segment in new])
        self._source_ids += [outcome.new_sources[begin:end] for begin, end in pairwise(borders)]
        self.segments += new
        self.names += names
        self.next_doc_id += int(borders[-1])
        self._delete(outcome.deleted)
        self._commit(bool(new) or len(outcome.deleted) > 0, sealed)

    def _delete(self, doc_ids: Int64Array) -> None:
        """Add tombstones for documents and subtract them from the statistics."""
        for number, segment in enumerate(self.segments):
            ordinals = segment.ordinals_of(doc_ids[self._segment_of(doc_ids) == number])
            tokens = segment.tokens_of(ordinals)
            self.statistics.count(tokens, segment.indptr, ordinals, self.vocabulary.stems(), -1)
        self.tombstones = np.union1d(self.tombstones, doc_ids)

    def _save_vocabulary(self) -> None:
        self._parts["vocabulary"] = self._store.new_part("vocabulary")
        self.vocabulary.save(self._store.part(self._parts["vocabulary"]))

    def _commit(self, recounted: bool = True, sealed: Mapping[str, Files] | None = None) -> None:
        """Write what has changed; without `recounted`, documents have only moved to other sources."""
        self._merge_segments()
        if "vocabulary" not in self._parts:
            self._save_vocabulary()
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
            "languages": self.vocabulary.analyzer.codes,
        }
        self._store.commit(metadata, [*self.names, *parts.values()], sealed)

    def _add_postings(self) -> dict[str, Files]:
        """Give segments without posting lists new parts that have them, with links to the files they have.

        Returns the records of the new parts: those files keep the checksums they were written with.
        """
        known, sealed = self._store.manifest().parts, {}
        for number, segment in enumerate(self.segments):
            if segment.has_postings:
                continue
            old, name = self.names[number], self._store.new_part("segment")
            for file in known[old]:
                target = self._store.part(name) / file
                target.parent.mkdir(exist_ok=True)
                link_or_copy(self._store.part(old) / file, target)
            self.names[number], self.segments[number] = name, self._segment(name)
            self.segments[number].write_postings(self.vocabulary.stems())
            sealed[name] = {**self._store.seal(name), **known[old]}
        return sealed

    def _merge_segments(self) -> None:
        """Rewrite segments with a majority of tombstones; merge adjacent ones if many are small."""
        for number in reversed(range(len(self.segments))):
            live = self.segments[number].live(self.tombstones)
            if 2 * live.sum() < len(live):
                self._merge(number, number + 1)
        full, largest = self.limits.segment_tokens // 2, self.limits.segment_tokens
        while True:
            sizes = [len(segment.tokens) for segment in self.segments]
            together = [a + b for a, b in pairwise(sizes)]
            if sum(size < full for size in sizes) <= MAX_SEGMENTS or min(together) > largest:
                return
            smallest = int(np.argmin(together))
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
        self.segments[begin:end] = list(map(self._segment, merged))
