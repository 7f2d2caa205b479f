"""How documents change a corpus: which are new, which replace another, which are there already."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array
from querykin.corpus.segment import CorpusSegment, DocumentBatch
from querykin.storage.array_files import load, save
from querykin.storage.source_names import DEFAULT_SOURCE, source_name
from querykin.types import Change


@dataclass(frozen=True)
class LiveDocuments:
    """The live documents of a corpus, sorted by the hash of their id."""

    id_hashes: Int64Array
    doc_ids: Int64Array
    content_hashes: Int64Array
    source_ids: Int32Array

    @classmethod
    def of(
        cls, segments: Sequence[CorpusSegment], source_ids: Sequence[Int32Array], tombstones: Int64Array
    ) -> "LiveDocuments":
        """The live documents of segments."""
        live = [segment.live(tombstones) for segment in segments]

        def column(name: str) -> Int64Array:
            values = [getattr(segment, name)[mask] for segment, mask in zip(segments, live, strict=True)]
            return np.concatenate([np.zeros(0, np.int64), *values])

        id_hashes = column("id_hashes")
        order = np.argsort(id_hashes)
        sources = [ids[mask] for ids, mask in zip(source_ids, live, strict=True)]
        return cls(
            id_hashes[order],
            column("doc_ids")[order],
            column("content_hashes")[order],
            np.concatenate([np.zeros(0, np.int32), *sources])[order],
        )

    @classmethod
    def open(cls, folder: Path) -> "LiveDocuments":
        """Memory-map a saved table."""
        return cls(*(load(folder, each.name) for each in fields(cls)))

    def save(self, folder: Path) -> None:
        """Write the table as arrays."""
        save(folder, **vars(self))

    def __len__(self) -> int:
        return len(self.id_hashes)

    def find(self, id_hashes: Int64Array) -> tuple[Int64Array, BoolArray]:
        """The position of each id, and whether it is there at all."""
        if not len(self):
            return np.zeros(len(id_hashes), np.int64), np.zeros(len(id_hashes), np.bool_)
        at = np.minimum(np.searchsorted(self.id_hashes, id_hashes), len(self) - 1)
        return at, self.id_hashes[at] == id_hashes

    def doc_ids_with(self, batch: DocumentBatch) -> Int64Array:
        """The doc_id of the live document with the same id and content as each document, else -1."""
        at, known = self.find(batch.id_hashes)
        if not known.any():
            return np.full(len(batch), -1, np.int64)
        return np.where(known & (self.content_hashes[at] == batch.content_hashes), self.doc_ids[at], -1)


def sources_of(batch: DocumentBatch, source: str | None) -> tuple[list[str], Int32Array]:
    """The names of the sources of documents in the order of their occurrence, and that of each document."""
    found: dict[str, int] = {}
    named = (source or source_name(each.source or DEFAULT_SOURCE) for each in batch.documents)
    source_ids = np.array([found.setdefault(name, len(found)) for name in named], np.int32)
    return list(found), source_ids


@dataclass(frozen=True)
class Outcome:
    """The changes that documents make to a corpus."""

    change: Change
    deleted: Int64Array  # doc_ids, ascending
    moved: Int64Array  # doc_ids of unchanged documents that have another source now, ascending
    moved_to: Int32Array  # its id
    new_sources: Int32Array  # the source of each new document
    source_names: list[str]  # by id


class Additions:
    """Documents on their way into a corpus, in the order of arrival; `source` overrides their own."""

    def __init__(
        self, live: LiveDocuments, source_names: Sequence[str], source: str | None, next_doc_id: int
    ) -> None:
        self._live, self._source = live, None if source is None else source_name(source)
        self._first_doc_id = self.next_doc_id = next_doc_id
        self._sources = {name: number for number, name in enumerate(source_names)}
        self._touched = set() if self._source is None else {self._source_id(self._source)}
        self._id_hashes = [np.zeros(0, np.int64)]
        # Of each document: a new one, or that of an equal live document.
        self._doc_ids = [np.zeros(0, np.int64)]
        self._source_ids = [np.zeros(0, np.int32)]

    def _source_id(self, name: str) -> int:
        return self._sources.setdefault(name, len(self._sources))

    def take(self, batch: DocumentBatch) -> DocumentBatch:
        """Note documents; returns those to write, with doc_ids from `next_doc_id` on."""
        names, source_ids = sources_of(batch, self._source)
        doc_ids = self._live.doc_ids_with(batch)
        self.note(batch.id_hashes, doc_ids, names, source_ids)
        return batch.select(doc_ids < 0)

    def note(
        self, id_hashes: Int64Array, known: Int64Array, names: Sequence[str], source_ids: Int32Array
    ) -> None:
        """Note documents by the hash of their id and the doc_id of an equal live one, -1 if there is none.

        `source_ids` are positions in `names`.
        """
        numbers = np.array([self._source_id(name) for name in names], np.int32)
        source_ids, new = numbers[source_ids], known < 0
        doc_ids = known.copy()
        doc_ids[new] = np.arange(self.next_doc_id, self.next_doc_id + new.sum())
        self.next_doc_id += int(new.sum())
        self._touched.update(numbers.tolist())
        self._id_hashes.append(id_hashes)
        self._doc_ids.append(doc_ids)
        self._source_ids.append(source_ids)

    def outcome(self, replace: bool) -> Outcome:
        """What changes: the last document of an id counts, and with `replace` sources lose all others."""
        live, hashes = self._live, np.concatenate(self._id_hashes)
        all_doc_ids, all_source_ids = np.concatenate(self._doc_ids), np.concatenate(self._source_ids)
        id_hashes, from_end = np.unique(hashes[::-1], return_index=True)
        last = len(hashes) - 1 - from_end
        doc_ids, source_ids = all_doc_ids[last], all_source_ids[last]
        is_new = all_doc_ids >= self._first_doc_id
        outdated = np.setdiff1d(all_doc_ids[is_new], doc_ids)
        lost = np.isin(live.source_ids, list(self._touched) if replace else [])
        lost &= ~np.isin(live.id_hashes, id_hashes)

        at, known = live.find(id_hashes)
        at, found, sources = at[known], doc_ids[known], source_ids[known]
        kept = found == live.doc_ids[at]
        moved = kept & (sources != live.source_ids[at])
        order = np.argsort(found[moved])
        unchanged = int((kept & ~moved).sum())
        change = Change(
            added=int((~known).sum()),
            replaced=len(at) - unchanged,
            repeated=len(hashes) - len(id_hashes),
            removed=int(lost.sum()),
            unchanged=unchanged,
        )
        return Outcome(
            change,
            np.sort(np.concatenate([outdated, live.doc_ids[at[~kept]], live.doc_ids[lost]])),
            found[moved][order],
            sources[moved][order],
            all_source_ids[is_new],
            list(self._sources),
        )
