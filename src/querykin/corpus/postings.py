"""Posting lists of a segment: the documents with each stem, in their bodies and in their titles.

The list of a stem and a field has the key 2 * stem + field. Postings are the ordinals of documents, which
ascend, with term frequencies; a body includes its title. A segment never changes, so the largest impact that
a posting can have on a score is stored with its list; searches skip lists by it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import (
    Float32Array,
    Int32Array,
    Int64Array,
    UInt8Array,
    UInt16Array,
    UInt32Array,
    make_indptr,
)
from querykin.compute.jit import njit, njit_inlined
from querykin.corpus.field_norms import encode_lengths, length_norms
from querykin.storage.array_files import (
    MappedArray,
    at_least,
    load,
    load_ascending,
    load_offsets,
    map_array,
    save,
    within,
)

_FIELDS = np.array([0, 1])  # bodies, titles
_FILE = "posting_documents"
_MAX_TF = 65_535  # a larger term frequency is stored as this one


class PostingArrays(NamedTuple):
    """The postings of a segment, as kernels take them."""

    documents: UInt32Array
    tf: UInt16Array
    norms: UInt8Array  # the length of each document's body, then of each title, in a byte
    length_norms: Float32Array  # of each such byte, for bodies, then for titles


class TermLists(NamedTuple):
    """The posting lists of terms: list 2 t is that of the bodies with term t, list 2 t + 1 of the titles."""

    begins: Int64Array
    ends: Int64Array  # a list that does not exist is empty
    maxima: Float32Array  # the largest impact of a posting


@njit_inlined
def impact(tf: int, norm: float) -> np.float32:
    """Tf / (tf + norm), in the precision of tantivy."""
    frequency = np.float32(tf)
    return frequency / (frequency + norm)


@njit
def _count(
    tokens: UInt32Array, indptr: Int64Array, title_lengths: Int32Array, stem: Int32Array, last: Int32Array
) -> Int64Array:
    """The length of each list; `last` is -1 for each key."""
    df = np.zeros(len(last), np.int64)
    for document in range(len(title_lengths)):
        title_end = indptr[document] + title_lengths[document]
        for i in range(indptr[document], indptr[document + 1]):
            key = 2 * stem[tokens[i] >> 2]
            if last[key] != document:
                last[key] = document
                df[key] += 1
            if i < title_end and last[key + 1] != document:
                last[key + 1] = document
                df[key + 1] += 1
    return df


@njit
def _fill(
    tokens: UInt32Array,
    indptr: Int64Array,
    title_lengths: Int32Array,
    stem: Int32Array,
    last: Int32Array,
    ends: Int64Array,
    documents: UInt32Array,
    tf: UInt16Array,
) -> None:
    """Write the postings; `ends` is the beginning of each list at first, its end afterwards."""
    for document in range(len(title_lengths)):
        title_end = indptr[document] + title_lengths[document]
        for i in range(indptr[document], indptr[document + 1]):
            body = 2 * stem[tokens[i] >> 2]
            for key in range(body, body + (2 if i < title_end else 1)):
                if last[key] != document:
                    last[key] = document
                    documents[ends[key]] = document
                    ends[key] += 1
                at = ends[key] - 1
                if tf[at] < _MAX_TF:
                    tf[at] += 1


@njit
def _maxima(keys: Int64Array, indptr: Int64Array, postings: PostingArrays) -> Float32Array:
    """The largest impact of each list."""
    documents, tf, norms, length_norms = (
        postings.documents,
        postings.tf,
        postings.norms,
        postings.length_norms,
    )
    size = len(norms) // 2
    maxima = np.zeros(len(keys), np.float32)
    for k in range(len(keys)):
        field = keys[k] & 1
        for p in range(indptr[k], indptr[k + 1]):
            norm = length_norms[256 * field + norms[size * field + documents[p]]]
            maxima[k] = max(maxima[k], impact(tf[p], norm))
    return maxima


def write_postings(
    folder: Path, tokens: UInt32Array, indptr: Int64Array, title_lengths: Int32Array, stem: Int32Array
) -> None:
    """Write the posting lists of a segment; `stem` is that of each word."""
    size = 2 * len(stem)
    df = _count(tokens, indptr, title_lengths, stem, np.full(size, -1, np.int32))
    keys = np.flatnonzero(df)
    documents, tf = np.empty(df.sum(), np.uint32), np.zeros(df.sum(), np.uint16)
    begins, last = np.cumsum(df) - df, np.full(size, -1, np.int32)
    _fill(tokens, indptr, title_lengths, stem, last, begins, documents, tf)
    list_indptr = make_indptr(df[keys])
    norms = np.concatenate([encode_lengths(np.diff(indptr)), encode_lengths(title_lengths.astype(np.int64))])
    arrays = PostingArrays(documents, tf, norms, _length_norms(indptr, title_lengths))
    save(
        folder,
        list_keys=keys,
        list_indptr=list_indptr,
        list_maxima=_maxima(keys, list_indptr, arrays),
        posting_documents=documents,
        posting_tf=tf,
        field_norms=norms,
    )


def _length_norms(indptr: Int64Array, title_lengths: Int32Array) -> Float32Array:
    tokens, documents = (int(indptr[-1]), int(title_lengths.sum())), len(title_lengths)
    return np.concatenate([length_norms(each, documents) for each in tokens])


def has_postings(folder: Path) -> bool:
    """Whether a segment has posting lists; those of earlier versions have none."""
    return (folder / f"{_FILE}.npy").is_file()


class Postings:
    """The posting lists of a segment on disk, of documents with these tokens."""

    def __init__(self, folder: Path, indptr: Int64Array, title_lengths: Int32Array) -> None:
        size = len(title_lengths)
        self._keys: Int64Array = load_ascending(folder, "list_keys", np.int64)
        self._documents: MappedArray[np.uint32] = map_array(folder, _FILE, within(0, size), types=np.uint32)
        postings = len(self._documents)
        self._indptr: Int64Array = load_offsets(folder, "list_indptr", postings, len(self._keys))
        self._maxima: Float32Array = load(
            folder, "list_maxima", at_least(0), len(self._keys), types=np.float32
        )
        self._tf: MappedArray[np.uint16] = map_array(
            folder, "posting_tf", within(1, _MAX_TF + 1), postings, np.uint16
        )
        self._norms: UInt8Array = load(folder, "field_norms", size=2 * size, types=np.uint8)
        self._length_norms = _length_norms(indptr, title_lengths)

    def lists(self, stems: Int64Array) -> TermLists:
        """The posting lists of stems; those of unknown ones, which are negative, are empty."""
        if not len(self._keys):
            none = np.zeros(2 * len(stems), np.int64)
            return TermLists(none, none, none.astype(np.float32))
        keys = (2 * stems[:, None] + _FIELDS).reshape(-1)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[at] == keys
        begins = self._indptr[at]
        return TermLists(begins, np.where(known, self._indptr[at + 1], begins), self._maxima[at] * known)

    def arrays(self, begins: Int64Array, ends: Int64Array) -> PostingArrays:
        """All postings, of which only those of these lists may be read."""
        return PostingArrays(
            self._documents.covering(begins, ends),
            self._tf.covering(begins, ends),
            self._norms,
            self._length_norms,
        )
