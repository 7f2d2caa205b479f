"""Tokenization: texts to lower-cased words with their offsets, flags and hashes.

A token is a run of letters, digits and combining marks, in lower case. An apostrophe inside a word belongs
to it ("valentine's" is one token). Chinese, Japanese, Thai, Lao, Khmer and Burmese put no spaces between
words, and Korean adds its particles to them: there a token is a character with its marks, a cluster, and so
is each pair of adjacent clusters, a bigram (as in Lucene's CJKBigramFilter). Tokens are in the order of their
offsets, a cluster before the bigram that begins with it. Each code point is mapped to one code point, so
offsets into the tokens are offsets into the NFC-normalized original.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, UInt8Array, UInt32Array
from querykin.compute.jit import njit, njit_inlined
from querykin.text.character_classes import (
    APOSTROPHE,
    LEADING_VOWEL,
    LINE_END,
    MARK,
    SENTENCE_END,
    UNSPACED,
    UPPER,
    WITH_CLUSTERS,
    WITHOUT_CLUSTERS,
    WORD,
)
from querykin.text.hashing import FNV_OFFSET, extend_hash, finalize_hash
from querykin.text.normalization import to_nfc

CAPITALISED, SENTENCE_START = 1, 2  # flags of a token
MAX_TOKEN_LENGTH = 64  # characters; a longer run is cut, so that pasted base64 cannot fill the vocabulary


@njit
def _hash(codepoints: UInt32Array, begin: int, end: int) -> np.int64:
    """The hash of a word over its code points."""
    value = np.uint64(FNV_OFFSET)
    for i in range(begin, end):
        value = extend_hash(value, codepoints[i])
    return finalize_hash(value)


@njit_inlined
def _cluster_end(codepoints: UInt32Array, start: int, stop: int, classes: UInt8Array) -> int:
    """The end of the cluster at `start`: leading vowels, a letter, marks; two clusters fit into a token."""
    stop = min(stop, start + MAX_TOKEN_LENGTH // 2)
    i = start
    while i < stop and classes[codepoints[i]] == LEADING_VOWEL:
        i += 1
    if i < stop and classes[codepoints[i]] == UNSPACED:
        i += 1
    while i < stop and classes[codepoints[i]] == MARK:
        i += 1
    return i


@njit_inlined
def _word_end(codepoints: UInt32Array, start: int, stop: int, classes: UInt8Array) -> int:
    """The end of the word at `start`."""
    end = min(stop, start + MAX_TOKEN_LENGTH)
    i = start + 1
    while i < end:
        c = classes[codepoints[i]]
        inside = c == APOSTROPHE and i + 1 < stop and classes[codepoints[i + 1]] & 7 == WORD
        if c & 7 != WORD and c != MARK and not inside:
            break
        i += 1
    return i


@njit
def _scan(
    codepoints: UInt32Array, text_offsets: Int64Array, classes: UInt8Array, fold: UInt32Array, bigrams: bool
) -> tuple[Int64Array, Int64Array, Int32Array, UInt8Array, Int64Array]:
    """Offsets, lengths, flags and hashes of the tokens of concatenated texts; folds `codepoints` in place."""
    size = 2 * len(codepoints) if bigrams else len(codepoints)
    begin = np.empty(size, np.int64)
    length = np.empty(size, np.int32)
    flags = np.empty(size, np.uint8)
    hashes = np.empty(size, np.int64)
    indptr = np.empty(len(text_offsets), np.int64)
    count = 0
    indptr[0] = 0
    for t in range(len(text_offsets) - 1):
        i, stop = text_offsets[t], text_offsets[t + 1]
        sentence_start = True
        cluster = cluster_end = int(np.int64(-1))  # the last cluster
        while i < stop:
            c = classes[codepoints[i]]
            if c == LINE_END:
                sentence_start = True
            elif c == SENTENCE_END:
                # A full stop inside "3.14" or "example.org" does not end a sentence.
                sentence_start = sentence_start or i + 1 == stop or classes[codepoints[i + 1]] & 7 != WORD
            unspaced = c in (UNSPACED, LEADING_VOWEL)
            if c & 7 != WORD and not unspaced:
                i += 1
                continue
            start = i
            if not unspaced:
                i = _word_end(codepoints, start, stop, classes)
            elif bigrams:
                i = _cluster_end(codepoints, start, stop, classes)
            else:
                i = start + 1
            for j in range(start, i):
                codepoints[j] = fold[codepoints[j]]
            if bigrams and unspaced:
                if cluster_end == start:
                    begin[count], length[count], flags[count] = cluster, i - cluster, 0
                    hashes[count] = _hash(codepoints, cluster, i)
                    count += 1
                cluster, cluster_end = start, i
            begin[count], length[count] = start, i - start
            flags[count] = (CAPITALISED if c & UPPER else 0) | (SENTENCE_START if sentence_start else 0)
            hashes[count] = _hash(codepoints, start, i)
            count += 1
            sentence_start = False
        indptr[t + 1] = count
    return indptr, begin[:count], length[:count], flags[:count], hashes[:count]


@njit
def _joined(
    codepoints: UInt32Array, indptr: Int64Array, begin: Int64Array, length: Int32Array, as_written: bool
) -> tuple[Int64Array, UInt32Array]:
    """The tokens of each text with single spaces between them: offsets of the texts, and their code points.

    As written, bigrams are left out and adjacent clusters are not separated.
    """
    offsets = np.zeros(len(indptr), np.int64)
    size = len(length)
    for i in range(len(length)):
        size += length[i]
    out = np.empty(size, np.uint32)
    at = 0
    for t in range(len(indptr) - 1):
        end = np.int64(-1)
        for i in range(indptr[t], indptr[t + 1]):
            if as_written and begin[i] < end:
                continue
            if i > indptr[t] and not (as_written and begin[i] == end):
                out[at] = 32
                at += 1
            end = begin[i] + length[i]
            for c in range(begin[i], end):
                out[at] = codepoints[c]
                at += 1
        offsets[t + 1] = at
    return offsets, out[:at]


@njit
def _word_hashes(codepoints: UInt32Array, offsets: Int64Array) -> Int64Array:
    hashes = np.empty(len(offsets) - 1, np.int64)
    for i in range(len(hashes)):
        hashes[i] = _hash(codepoints, offsets[i], offsets[i + 1])
    return hashes


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of several texts: those of text t are indptr[t] to indptr[t + 1]."""

    indptr: Int64Array
    begin: Int64Array  # offset of the token in `codepoints`
    length: Int32Array
    flags: UInt8Array
    hashes: Int64Array  # the token as a feature, independent of any vocabulary
    codepoints: UInt32Array  # the folded texts, concatenated
    text_offsets: Int64Array  # offset of each text in `codepoints`

    def word(self, token: int) -> str:
        """One token as a string."""
        at = int(self.begin[token])
        return decode(self.codepoints[at : at + int(self.length[token])])

    def words(self, text: int = 0) -> list[str]:
        """The words of one text, in order."""
        return [self.word(i) for i in range(int(self.indptr[text]), int(self.indptr[text + 1]))]

    def run(self, begin: int, end: int) -> str:
        """The words from one token to another, as `joined` shows them."""
        borders = np.array([begin, end], np.int64)
        return decode(_joined(self.codepoints, borders, self.begin, self.length, True)[1])

    def joined(self) -> list[str]:
        """The words of each text joined by single spaces, where the text has something between them.

        >>> tokenize(["Tokyo: 東京"]).joined()
        ['tokyo 東京']
        """
        return self._joined(as_written=True)

    def spaced(self) -> list[str]:
        """All tokens of each text, bigrams too, joined by single spaces."""
        return self._joined(as_written=False)

    def _joined(self, as_written: bool) -> list[str]:
        offsets, codepoints = _joined(self.codepoints, self.indptr, self.begin, self.length, as_written)
        joined = decode(codepoints)
        return [joined[begin:end] for begin, end in pairwise(offsets.tolist())]


def decode(codepoints: UInt32Array) -> str:
    """Code points as a string."""
    return codepoints.tobytes().decode("utf-32-le", "surrogatepass")


def tokenize(texts: Sequence[str]) -> Tokens:
    """Split texts into lower-cased words.

    >>> tokenize(["Valentine's Day, 2003!"]).words()
    ["valentine's", 'day', '2003']
    >>> tokenize(["東京都"]).words()
    ['東', '東京', '京', '京都', '都']
    """
    return tokenize_normalized([to_nfc(text) for text in texts])


def tokenize_normalized(texts: Sequence[str], bigrams: bool = True) -> Tokens:
    """Split texts that are in NFC already (`to_nfc`) into lower-cased words.

    Without `bigrams` an ideograph or kana is a token by itself, and other scripts are split at spaces only.
    """
    codepoints, text_offsets = _encoded(texts)
    tables = WITH_CLUSTERS if bigrams else WITHOUT_CLUSTERS
    tables.fill(codepoints)
    scanned = _scan(codepoints, text_offsets, tables.classes, tables.fold, bigrams)
    indptr, begin, length, flags, hashes = scanned  # with room for a token of each character
    kept = begin.copy(), length.copy(), flags.copy(), hashes.copy()
    return Tokens(indptr, *kept, codepoints, text_offsets)


def starts_cluster(codepoints: UInt32Array) -> BoolArray:
    """Which characters begin a cluster: those of scripts that are split into clusters and bigrams."""
    WITH_CLUSTERS.fill(codepoints)
    return np.isin(WITH_CLUSTERS.classes[codepoints], (UNSPACED, LEADING_VOWEL))


def tokens_of_words(words: Sequence[str]) -> Tokens:
    """Words as they are, one token each and each a text of its own."""
    codepoints, offsets = _encoded(words)
    lengths = np.diff(offsets).astype(np.int32)
    return Tokens(
        np.arange(len(words) + 1),
        offsets[:-1],
        lengths,
        np.zeros(len(words), np.uint8),
        _word_hashes(codepoints, offsets),
        codepoints,
        offsets,
    )


def _encoded(texts: Sequence[str]) -> tuple[UInt32Array, Int64Array]:
    """The code points of texts, concatenated, and the offset of each text."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    raw = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.frombuffer(raw, np.uint32).copy(), offsets


def words(text: str) -> list[str]:
    """The words of one text.

    >>> words("UN Secretary-General")
    ['un', 'secretary', 'general']
    """
    return tokenize([text]).words()
