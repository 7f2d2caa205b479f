"""Tokenization: texts to lower-cased words with their offsets, flags and hashes.

A token is a run of letters, digits and combining marks, folded to lower case. An apostrophe inside a word
belongs to it ("valentine's" is one token). An ideograph or kana syllable is a token by itself, since those
scripts put no spaces between words. Folding maps each code point to one code point, so offsets into the
folded text are offsets into the NFC-normalized original.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, UInt8Array, UInt32Array
from querykin.compute.jit import njit
from querykin.text.hashing import FNV_OFFSET, extend_hash, finalize_hash
from querykin.text.normalization import to_nfc

CAPITALISED, SENTENCE_START = 1, 2  # flags of a token
MAX_TOKEN_LENGTH = 64  # characters; a longer run is cut, so that pasted base64 cannot fill the vocabulary
# Character classes; _UPPER is a flag on _WORD.
_OTHER, _WORD, _SINGLE, _APOSTROPHE, _MARK, _SENTENCE_END, _LINE_END = range(7)
_UPPER = 8
_UNSPACED_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA")
# Tables over all code points, filled in blocks on first use: filling them whole would take a second.
_BLOCK_SIZE = 256
_class = np.zeros(0x110000, np.uint8)
_fold = np.zeros(0x110000, np.uint32)
_classified = np.zeros(0x110000 // _BLOCK_SIZE, np.bool_)


def _class_of(character: str) -> int:
    """The class of a character; letters and digits are classified by what they fold to."""
    if character in "'’＇":
        return _APOSTROPHE
    if character in "\n\r\u2028\u2029":
        return _LINE_END
    if character in ".!?…。！？":
        return _SENTENCE_END
    category = unicodedata.category(character)
    if category[0] not in "LMN":
        return _OTHER
    folded = chr(_fold_of(character))
    if unicodedata.category(folded)[0] == "M":
        return _MARK
    if unicodedata.category(folded) == "Lo" and unicodedata.name(folded, "").startswith(_UNSPACED_SCRIPTS):
        return _SINGLE
    return _WORD | (_UPPER if category in ("Lu", "Lt") else 0)


def _fold_of(character: str) -> int:
    """The code point that a character folds to: always exactly one, which keeps offsets valid."""
    if character in "'’＇":
        return ord("'")
    folded = unicodedata.normalize("NFKC", character).lower()
    return ord(folded if len(folded) == 1 else character.lower()[0])


def _classify(codepoints: UInt32Array) -> None:
    """Fill the tables for the blocks in which these code points lie."""
    blocks = codepoints // _BLOCK_SIZE
    known = _classified[blocks]
    if known.all():
        return
    for block in np.unique(blocks[~known]):
        for point in range(int(block) * _BLOCK_SIZE, (int(block) + 1) * _BLOCK_SIZE):
            _class[point], _fold[point] = _class_of(chr(point)), _fold_of(chr(point))
        _classified[block] = True


@njit
def _hash(codepoints: UInt32Array, begin: int, end: int) -> np.int64:
    """The hash of a word over its code points."""
    value = np.uint64(FNV_OFFSET)
    for i in range(begin, end):
        value = extend_hash(value, codepoints[i])
    return finalize_hash(value)


@njit
def _scan(
    codepoints: UInt32Array, text_offsets: Int64Array, classes: UInt8Array, fold: UInt32Array
) -> tuple[Int64Array, Int64Array, Int32Array, UInt8Array, Int64Array]:
    """Offsets, lengths, flags and hashes of the tokens of concatenated texts; folds `codepoints` in place."""
    size = len(codepoints)
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
        while i < stop:
            c = classes[codepoints[i]]
            if c == _LINE_END:
                sentence_start = True
            elif c == _SENTENCE_END:
                # A full stop inside "3.14" or "example.org" does not end a sentence.
                sentence_start = sentence_start or i + 1 == stop or classes[codepoints[i + 1]] & 7 != _WORD
            if c & 7 != _WORD and c != _SINGLE:
                i += 1
                continue
            start, upper = i, c & _UPPER != 0
            codepoints[i] = fold[codepoints[i]]
            i += 1
            while c != _SINGLE and i < stop and i - start < MAX_TOKEN_LENGTH:
                following = classes[codepoints[i]]
                inside = following == _APOSTROPHE and i + 1 < stop and classes[codepoints[i + 1]] & 7 == _WORD
                if following & 7 != _WORD and following != _MARK and not inside:
                    break
                codepoints[i] = fold[codepoints[i]]
                i += 1
            begin[count], length[count] = start, i - start
            flags[count] = (CAPITALISED if upper else 0) | (SENTENCE_START if sentence_start else 0)
            hashes[count] = _hash(codepoints, start, i)
            count += 1
            sentence_start = False
        indptr[t + 1] = count
    return indptr, begin[:count].copy(), length[:count].copy(), flags[:count].copy(), hashes[:count].copy()


@njit
def _joined(
    codepoints: UInt32Array, indptr: Int64Array, begin: Int64Array, length: Int32Array
) -> tuple[Int64Array, UInt32Array]:
    """The tokens of each text joined by single spaces: offsets of the texts, and their code points."""
    offsets = np.zeros(len(indptr), np.int64)
    out = np.empty(length.sum() + len(length), np.uint32)
    at = 0
    for t in range(len(indptr) - 1):
        for i in range(indptr[t], indptr[t + 1]):
            if i > indptr[t]:
                out[at] = 32
                at += 1
            out[at : at + length[i]] = codepoints[begin[i] : begin[i] + length[i]]
            at += length[i]
        offsets[t + 1] = at
    return offsets, out[:at].copy()


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

    def joined(self) -> list[str]:
        """The words of each text joined by single spaces."""
        offsets, codepoints = _joined(self.codepoints, self.indptr, self.begin, self.length)
        joined = decode(codepoints)
        return [joined[begin:end] for begin, end in pairwise(offsets.tolist())]


def decode(codepoints: UInt32Array) -> str:
    """Code points as a string."""
    return codepoints.tobytes().decode("utf-32-le", "surrogatepass")


def tokenize(texts: Sequence[str]) -> Tokens:
    """Split texts into lower-cased words.

    >>> tokenize(["Valentine's Day, 2003!"]).words()
    ["valentine's", 'day', '2003']
    """
    return tokenize_normalized([to_nfc(text) for text in texts])


def tokenize_normalized(texts: Sequence[str]) -> Tokens:
    """Split texts that are in NFC already (`to_nfc`) into lower-cased words."""
    text_offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=text_offsets[1:])
    raw = "".join(texts).encode("utf-32-le", "surrogatepass")
    codepoints = np.frombuffer(raw, np.uint32).copy()
    _classify(codepoints)
    indptr, begin, length, flags, hashes = _scan(codepoints, text_offsets, _class, _fold)
    return Tokens(indptr, begin, length, flags, hashes, codepoints, text_offsets)


def words(text: str) -> list[str]:
    """The words of one text.

    >>> words("UN Secretary-General")
    ['un', 'secretary', 'general']
    """
    return tokenize([text]).words()
