"""Segments: batches of documents as token ids, written once and memory-mapped.

The text of a document is its title, a line break and its body. Each token is stored as `word_id * 4 + flags`
(capitalised 1, sentence start 2) with its character offset; the tokens of the title come first. Documents
get ascending doc_ids in the order of arrival, which are never reused and identify them outside the segment.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, UInt32Array, make_indptr
from querykin.corpus.postings import has_postings, write_postings
from querykin.corpus.stored_documents import TEXTS, StoredDocuments, StoredDocumentsWriter, to_record
from querykin.corpus.vocabulary import Vocabulary
from querykin.errors import DamagedFile
from querykin.storage.array_files import (
    ArrayFile,
    MappedArray,
    load,
    load_ascending,
    load_offsets,
    map_array,
    save,
    within,
)
from querykin.storage.block_checksums import file_checksum
from querykin.storage.content_hash import content_hash
from querykin.storage.store import Files
from querykin.text.analyzer import Analyzer
from querykin.text.language_recognition import recognize_each
from querykin.text.normalization import to_nfc
from querykin.text.tokenizer import Tokens
from querykin.types import Document

ENGINE = "engine/"  # the folder of the search index
DEFERRED = (ENGINE, TEXTS)  # files that are not verified when a corpus is opened, but before they are used
_MAX_WORDS = 1 << 30  # a token has 30 bits for its word
_BATCH = 1 << 21  # characters or tokens processed at once: bounds memory


class Indexer(Protocol):
    """The interface by which a search engine indexes a segment while it is written."""

    def add(self, stems: Int32Array, indptr: Int64Array, title_lengths: Int32Array, /) -> None:
        """Index documents: the stems of document i are indptr[i] to indptr[i + 1], its title first."""

    def close(self, keep: bool) -> None:
        """Finish the index, or discard it."""


class TokenizedDocuments(Protocol):
    """Documents as arrays of tokens: a segment, or the hits of an external engine."""

    indptr: Int64Array
    title_lengths: Int32Array

    @property
    def tokens(self) -> UInt32Array | MappedArray[np.uint32]:
        """The tokens of all documents."""

    @property
    def starts(self) -> UInt32Array | MappedArray[np.uint32]:
        """The character offset of each token in its document."""

    def document(self, ordinal: int) -> Document:
        """One document as it was added."""


def id_hash(document_id: str) -> int:
    """A 63-bit hash of a document's id, by which the document is found."""
    return content_hash(document_id.encode("utf-8", "surrogatepass"))


class DocumentBatch:
    """Documents with their stored form and its hashes."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.records = [to_record(document) for document in documents]
        self.id_hashes: Int64Array = np.array([id_hash(document.id) for document in documents], np.int64)
        self.content_hashes: Int64Array = np.array(list(map(content_hash, self.records)), np.int64)

    def __len__(self) -> int:
        return len(self.documents)

    def select(self, mask: BoolArray) -> "DocumentBatch":
        """The documents where the mask is true."""
        if mask.all():
            return self
        selected, chosen = copy(self), np.flatnonzero(mask).tolist()
        selected.documents = [self.documents[n] for n in chosen]
        selected.records = [self.records[n] for n in chosen]
        selected.id_hashes, selected.content_hashes = self.id_hashes[mask], self.content_hashes[mask]
        return selected


class TokenizedBatch(NamedTuple):
    """The tokens of documents."""

    tokens: Tokens
    lengths: Int32Array  # tokens of each document
    languages: Int64Array  # of each token, by the number of its document's language
    title_sizes: list[int]  # characters of each title


def tokenize_batch(batch: DocumentBatch, analyzer: Analyzer) -> TokenizedBatch:
    """Tokenize documents: their titles, a line break and their texts, all in NFC."""
    titles = [to_nfc(document.title) for document in batch.documents]
    # A line break does not compose with its neighbours: the parts are in NFC, so the whole is.
    texts = [
        f"{title}\n{to_nfc(document.text)}" for title, document in zip(titles, batch.documents, strict=True)
    ]
    tokens = analyzer.tokenize_normalized(texts)
    lengths = np.diff(tokens.indptr).astype(np.int32)
    languages = np.repeat(recognize_each(texts, analyzer.languages), lengths)
    return TokenizedBatch(tokens, lengths, languages, [len(title) for title in titles])


class SegmentWriter:
    """Writes documents into a new segment, in bounded memory."""

    def __init__(self, folder: Path, vocabulary: Vocabulary, indexer: Indexer) -> None:
        self._folder, self._vocabulary, self._indexer = folder, vocabulary, indexer
        self.tokens = 0  # of the documents that were added
        self._texts = StoredDocumentsWriter(folder)
        self._token_file = ArrayFile(folder / "tokens.npy", np.uint32)
        self._start_file = ArrayFile(folder / "starts.npy", np.uint32)
        self._lengths: list[Int32Array] = []
        self._title_lengths: list[Int32Array] = []
        self._doc_ids: list[Int64Array] = []
        self._id_hashes: list[Int64Array] = []
        self._content_hashes: list[Int64Array] = []

    def __enter__(self) -> "SegmentWriter":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Complete the segment; after an error only close its files."""
        self._texts.close()
        self._token_file.close()
        self._start_file.close()
        self._indexer.close(keep=error is None)
        if error is None:
            self._write_tables()

    def add(self, batch: DocumentBatch, doc_id: int) -> None:
        """Tokenize and write documents, with ids from `doc_id` on."""
        if not len(batch):
            return
        tokenized = tokenize_batch(batch, self._vocabulary.analyzer)
        tokens, lengths = tokenized.tokens, tokenized.lengths
        ids = self._vocabulary.add(tokens, tokenized.languages)
        self.tokens += len(ids)
        starts = (tokens.begin - np.repeat(tokens.text_offsets[:-1], lengths)).astype(np.uint32)
        in_title = starts < np.repeat(tokenized.title_sizes, lengths)
        owners = np.repeat(np.arange(len(batch)), lengths)
        title_lengths = np.bincount(owners[in_title], minlength=len(batch)).astype(np.int32)
        words = (ids.astype(np.uint32) << np.uint32(2)) | tokens.flags.astype(np.uint32)
        for record in batch.records:
            self._texts.append(record)
        self._id_hashes.append(batch.id_hashes)
        self._content_hashes.append(batch.content_hashes)
        self._write(words, starts, lengths, title_lengths, np.arange(doc_id, doc_id + len(batch)))

    def copy(self, segment: "CorpusSegment", ordinals: Int64Array) -> None:
        """Write documents of another segment unchanged."""
        tokens, starts = segment.tokens_of(ordinals), segment.starts_of(ordinals)
        sizes = segment.indptr[ordinals + 1] - segment.indptr[ordinals]
        for batch in np.split(ordinals, np.flatnonzero(np.diff(np.cumsum(sizes) // _BATCH)) + 1):
            lengths = segment.indptr[batch + 1] - segment.indptr[batch]
            inside = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            at = np.repeat(segment.indptr[batch], lengths) + inside
            for ordinal in batch:
                self._texts.append(segment.texts.record(int(ordinal)))
            self._id_hashes.append(segment.id_hashes[batch])
            self._content_hashes.append(segment.content_hashes[batch])
            self._write(
                tokens[at],
                starts[at],
                lengths.astype(np.int32),
                segment.title_lengths[batch],
                segment.doc_ids[batch],
            )

    def _write_tables(self) -> None:
        empty = np.zeros(0, np.int32)
        lengths = np.concatenate([empty, *self._lengths])
        save(
            self._folder,
            indptr=make_indptr(lengths),
            title_lengths=np.concatenate([empty, *self._title_lengths]),
            id_hashes=np.concatenate([empty, *self._id_hashes]).astype(np.int64),
            content_hashes=np.concatenate([empty, *self._content_hashes]).astype(np.int64),
            doc_ids=np.concatenate([empty, *self._doc_ids]).astype(np.int64),
        )
        CorpusSegment(self._folder).write_postings(self._vocabulary.stems())

    def _write(
        self,
        words: UInt32Array,
        starts: UInt32Array,
        lengths: Int32Array,
        title_lengths: Int32Array,
        doc_ids: Int64Array,
    ) -> None:
        self._token_file.append(words)
        self._start_file.append(starts)
        self._lengths.append(lengths)
        self._title_lengths.append(title_lengths)
        self._doc_ids.append(doc_ids)
        self._indexer.add(self._vocabulary.stem[words >> 2], make_indptr(lengths), title_lengths)


def batches(documents: Iterable[Document]) -> Iterator[DocumentBatch]:
    """Documents in batches of bounded size."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.title) + len(document.text) + 1
        if size >= _BATCH:
            yield DocumentBatch(batch)
            batch, size = [], 0
    if batch:
        yield DocumentBatch(batch)


class CorpusSegment:
    """A segment on disk: arrays over its tokens and its documents.

    `words` is the number of words of the vocabulary; `files` are the sizes and checksums of the segment's
    files, which are not known while it is being written.
    """

    def __init__(self, folder: Path, words: int = _MAX_WORDS, files: Files | None = None) -> None:
        self.folder, self._files = folder, files
        self.doc_ids: Int64Array = load_ascending(folder, "doc_ids", np.int64)
        size = len(self.doc_ids)
        self.tokens: MappedArray[np.uint32] = map_array(
            folder, "tokens", within(0, 4 * words), types=np.uint32
        )
        self.starts: MappedArray[np.uint32] = map_array(
            folder, "starts", size=len(self.tokens), types=np.uint32
        )
        self.indptr: Int64Array = load_offsets(folder, "indptr", len(self.tokens), size)
        self.title_lengths: Int32Array = load(folder, "title_lengths", size=size, types=np.int32)
        if (self.title_lengths < 0).any() or (self.title_lengths > np.diff(self.indptr)).any():
            raise DamagedFile(folder / "title_lengths.npy", "titles are longer than their documents")
        self._id_hashes = map_array(folder, "id_hashes", size=size, types=np.int64)
        self._content_hashes = map_array(folder, "content_hashes", size=size, types=np.int64)
        self.texts = StoredDocuments(folder, self._content_hashes)

    @property
    def id_hashes(self) -> Int64Array:
        """The hash of the id of each document."""
        return self._id_hashes.whole()

    @property
    def content_hashes(self) -> Int64Array:
        """The hash of the stored form of each document."""
        return self._content_hashes.whole()

    def tokens_of(self, ordinals: Int64Array) -> UInt32Array:
        """The tokens of the segment, of which only those of these documents may be read."""
        return self.tokens.covering(self.indptr[ordinals], self.indptr[ordinals + 1])

    def starts_of(self, ordinals: Int64Array) -> UInt32Array:
        """The offsets of all tokens, of which only those of these documents may be read."""
        return self.starts.covering(self.indptr[ordinals], self.indptr[ordinals + 1])

    @property
    def has_postings(self) -> bool:
        """Whether the segment has posting lists; one that an earlier version has written may have none."""
        return has_postings(self.folder)

    def write_postings(self, stem: Int32Array) -> None:
        """Write the posting lists of the segment, which is not committed yet; `stem` is that of each word."""
        write_postings(self.folder, self.tokens.whole(), self.indptr, self.title_lengths, stem)

    def verify_engine(self) -> None:
        """Compare the files of the search index with what was written; DamagedFile if one differs."""
        for name, (_, checksum) in (self._files or {}).items():
            if name.startswith(ENGINE) and file_checksum(self.folder / name) != checksum:
                raise DamagedFile(self.folder / name, "it differs from what was written")

    def __len__(self) -> int:
        return len(self.doc_ids)

    def document(self, ordinal: int) -> Document:
        """One document as it was added."""
        return self.texts.document(ordinal)

    def ordinals_of(self, doc_ids: Int64Array) -> Int64Array:
        """The ordinals of documents, all of which must be in this segment."""
        return np.searchsorted(self.doc_ids, doc_ids)

    def find(self, id_hashes: Int64Array) -> Int64Array:
        """The ordinals of the documents with these hashed ids, deleted ones included."""
        return np.flatnonzero(np.isin(self.id_hashes, id_hashes))

    def live(self, tombstones: Int64Array) -> BoolArray:
        """Which documents have not been deleted."""
        return ~np.isin(self.doc_ids, tombstones)
