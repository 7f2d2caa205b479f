"""Which words stand where? A run of documents as token ids, written once and mapped into memory.

A document's text is its title, a line break and its body. Every token is stored as `number * 4 + flags`
(capitalised 1, sentence start 2) beside its character offset; the tokens of the title come first. Documents
carry a serial, given once in the order of arrival, by which everything outside the segment names them.
"""

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, UInt32Array, make_indptr
from querykin.corpus.stored_documents import StoredDocuments, StoredDocumentsWriter
from querykin.corpus.vocabulary import Vocabulary
from querykin.storage.array_files import ArrayFile, load, save
from querykin.text.normalization import clean
from querykin.text.tokenizer import tokenize
from querykin.types import Document

_BATCH = 1 << 21  # characters or tokens handled at once: bounds the memory of long jobs


class Indexer(Protocol):
    """What a search engine must offer to index a segment while it is written."""

    def add(self, stems: Int32Array, indptr: Int64Array, titles: Int32Array) -> None:
        """Take in documents: the stems of document i stand from first[i] to first[i + 1], its title first."""

    def close(self, keep: bool) -> None:
        """Finish the index, or give it up."""


class TokenizedDocuments(Protocol):
    """Documents as arrays of tokens, wherever they come from."""

    tokens: UInt32Array
    starts: UInt32Array
    indptr: Int64Array
    titles: Int32Array

    def document(self, ordinal: int) -> Document:
        """One document as it came."""


def key(document_id: str) -> int:
    """A document's id as a number of 63 bits, by which it is found again."""
    digest = blake2b(document_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


class SegmentWriter:
    """Writes documents into a new segment, in bounded memory."""

    def __init__(self, folder: Path, vocabulary: Vocabulary, indexer: Indexer) -> None:
        self._folder, self._vocabulary, self._indexer = folder, vocabulary, indexer
        self._texts = StoredDocumentsWriter(folder)
        self._tokens = ArrayFile(folder / "tokens.npy", np.uint32)
        self._starts = ArrayFile(folder / "starts.npy", np.uint32)
        self._lengths: list[Int32Array] = []
        self._titles: list[Int32Array] = []
        self._serials: list[Int64Array] = []
        self._keys: list[int] = []

    def __enter__(self) -> "SegmentWriter":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Make the folder a segment; after an error only close its files."""
        self._texts.close()
        self._tokens.close()
        self._starts.close()
        self._indexer.close(keep=error is None)
        if error is None:
            self._write_tables()

    def add(self, documents: Iterable[Document], doc_id: int, done: Callable[[int], None]) -> int:
        """Tokenise documents and write them, numbered from `doc_id` on; returns the next serial."""
        for batch in _batches(documents):
            streams = [clean(f"{document.title}\n{document.text}") for document in batch]
            tokens = tokenize(streams)
            ids = self._vocabulary.add(tokens)
            lengths = np.diff(tokens.indptr).astype(np.int32)
            starts = (tokens.begin - np.repeat(tokens.borders[:-1], lengths)).astype(np.uint32)
            title_ends = np.array([len(clean(document.title)) for document in batch])
            in_title = starts < np.repeat(title_ends, lengths)
            titles = np.bincount(np.repeat(np.arange(len(batch)), lengths)[in_title], minlength=len(batch))
            words = (ids.astype(np.uint32) << np.uint32(2)) | tokens.flags.astype(np.uint32)
            doc_ids = np.arange(doc_id, doc_id + len(batch))
            for document in batch:
                self._texts.add(document)
                self._keys.append(key(document.id))
            self._write(words, starts, lengths, titles.astype(np.int32), doc_ids)
            doc_id += len(batch)
            done(len(batch))
        return doc_id

    def copy(self, segment: "CorpusSegment", ordinals: Int64Array) -> None:
        """Write documents of another segment again, as they are."""
        sizes = segment.indptr[ordinals + 1] - segment.indptr[ordinals]
        for group in np.split(ordinals, np.flatnonzero(np.diff(np.cumsum(sizes) // _BATCH)) + 1):
            lengths = segment.indptr[group + 1] - segment.indptr[group]
            inside = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            at = np.repeat(segment.indptr[group], lengths) + inside
            for ordinal in group:
                self._texts.copy(segment.texts, int(ordinal))
            self._keys.extend(segment.keys[group].tolist())
            self._write(
                segment.tokens[at],
                segment.starts[at],
                lengths.astype(np.int32),
                segment.titles[group],
                segment.doc_ids[group],
            )

    def _write_tables(self) -> None:
        none = np.zeros(0, np.int32)
        lengths = np.concatenate([none, *self._lengths])
        save(
            self._folder,
            indptr=make_indptr(lengths),
            title_lengths=np.concatenate([none, *self._titles]),
            id_hashes=np.array(self._keys, np.int64),
            doc_ids=np.concatenate([none, *self._serials]).astype(np.int64),
        )

    def _write(
        self,
        words: UInt32Array,
        starts: UInt32Array,
        lengths: Int32Array,
        titles: Int32Array,
        doc_ids: Int64Array,
    ) -> None:
        self._tokens.append(words)
        self._starts.append(starts)
        self._lengths.append(lengths)
        self._titles.append(titles)
        self._serials.append(doc_ids)
        indptr = make_indptr(lengths)
        self._indexer.add(self._vocabulary.stem[words >> 2], indptr, titles)


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.title) + len(document.text) + 1
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class CorpusSegment:
    """A segment on disk: arrays over its tokens and its documents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tokens: UInt32Array = load(folder, "tokens")
        self.starts: UInt32Array = load(folder, "starts")
        self.indptr: Int64Array = load(folder, "indptr")
        self.titles: Int32Array = load(folder, "title_lengths")
        self.doc_ids: Int64Array = load(folder, "doc_ids")
        self.keys: Int64Array = load(folder, "id_hashes")
        self.texts = StoredDocuments(folder)

    def __len__(self) -> int:
        return len(self.doc_ids)

    def document(self, ordinal: int) -> Document:
        """One document as it came."""
        return self.texts.document(ordinal)

    def ordinals_of(self, doc_ids: Int64Array) -> Int64Array:
        """Where documents with these serials stand; only serials of this segment may be asked for."""
        return np.searchsorted(self.doc_ids, doc_ids)

    def find(self, keys: Int64Array) -> Int64Array:
        """Where documents with these keys stand, deleted ones included."""
        return np.flatnonzero(np.isin(self.keys, keys))

    def live(self, tombstones: Int64Array) -> BoolArray:
        """Which documents have not been deleted."""
        return ~np.isin(self.doc_ids, tombstones)
