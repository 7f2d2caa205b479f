"""What are its words? Tokens, their features and their stems.

A token is a run of letters, digits and combining marks, folded to lower case; an apostrophe inside a
word belongs to it ("valentine's" is one token); an ideograph or kana syllable stands alone, since those
scripts put no spaces between words. Folding is character by character, so a token's place in the
original text is its place in the folded one.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, UInt8Array, UInt32Array
from querykin.compute.jit import njit
from querykin.text.hashing import FNV_OFFSET, extend_hash, finalize_hash
from querykin.text.normalization import clean

CAPITALISED, SENTENCE_START = 1, 2
LONGEST = 64  # characters; a longer run is cut, so that pasted base64 cannot fill the vocabulary
_OTHER, _WORD, _SINGLE, _APOSTROPHE, _MARK, _SENTENCE_END, _LINE_END = range(7)
_UPPER = 8  # added to _WORD
_LONE_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA")
_BLOCK = 256
_kind = np.zeros(0x110000, np.uint8)
_fold = np.zeros(0x110000, np.uint32)
_classified = np.zeros(0x110000 // _BLOCK, np.bool_)


def _kind_of(character: str) -> int:
    """What a character is; letters and digits are judged by what they fold to."""
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
    if unicodedata.category(folded) == "Lo" and unicodedata.name(folded, "").startswith(_LONE_SCRIPTS):
        return _SINGLE
    return _WORD | (_UPPER if category in ("Lu", "Lt") else 0)


def _fold_of(character: str) -> int:
    """The code point a character is compared by; always exactly one, so that offsets stay true."""
    if character in "'’＇":
        return ord("'")
    folded = unicodedata.normalize("NFKC", character).lower()
    return ord(folded if len(folded) == 1 else character.lower()[0])


def _classify(points: UInt32Array) -> None:
    """Fill the tables for the blocks of 256 characters that turn up: a whole table would take a second."""
    blocks = points // _BLOCK
    known = _classified[blocks]
    if known.all():
        return
    for block in np.unique(blocks[~known]):
        for point in range(int(block) * _BLOCK, (int(block) + 1) * _BLOCK):
            _kind[point], _fold[point] = _kind_of(chr(point)), _fold_of(chr(point))
        _classified[block] = True


@njit
def _hash(letters: UInt32Array, begin: int, end: int) -> np.int64:
    """The hash of a word over its code points."""
    value = np.uint64(FNV_OFFSET)
    for i in range(begin, end):
        value = extend_hash(value, letters[i])
    return finalize_hash(value)


@njit
def _scan(
    points: UInt32Array, borders: Int64Array, kind: UInt8Array, fold: UInt32Array
) -> tuple[Int64Array, Int64Array, Int32Array, UInt8Array, Int64Array]:
    """Token borders, flags and hashes of several texts laid end to end; folds `points` in place."""
    size = len(points)
    begin = np.empty(size, np.int64)
    length = np.empty(size, np.int32)
    flags = np.empty(size, np.uint8)
    hashes = np.empty(size, np.int64)
    indptr = np.empty(len(borders), np.int64)
    count = 0
    indptr[0] = 0
    for t in range(len(borders) - 1):
        i, stop = borders[t], borders[t + 1]
        fresh = True
        while i < stop:
            k = kind[points[i]]
            if k == _LINE_END:
                fresh = True
            elif k == _SENTENCE_END:
                # A full stop inside "3.14" or "example.org" ends nothing.
                fresh = fresh or i + 1 == stop or kind[points[i + 1]] & 7 != _WORD
            if k & 7 != _WORD and k != _SINGLE:
                i += 1
                continue
            at, upper = i, k & _UPPER != 0
            points[i] = fold[points[i]]
            i += 1
            while k != _SINGLE and i < stop and i - at < LONGEST:
                k2 = kind[points[i]]
                inside = k2 == _APOSTROPHE and i + 1 < stop and kind[points[i + 1]] & 7 == _WORD
                if k2 & 7 != _WORD and k2 != _MARK and not inside:
                    break
                points[i] = fold[points[i]]
                i += 1
            begin[count], length[count] = at, i - at
            flags[count] = (CAPITALISED if upper else 0) | (SENTENCE_START if fresh else 0)
            hashes[count] = _hash(points, at, i)
            count += 1
            fresh = False
        indptr[t + 1] = count
    return indptr, begin[:count].copy(), length[:count].copy(), flags[:count].copy(), hashes[:count].copy()


@njit
def _spaced(
    letters: UInt32Array, indptr: Int64Array, begin: Int64Array, length: Int32Array
) -> tuple[Int64Array, UInt32Array]:
    """The tokens of each text with one blank between two of them: where texts begin, and their letters."""
    borders = np.zeros(len(indptr), np.int64)
    out = np.empty(length.sum() + len(length), np.uint32)
    at = 0
    for t in range(len(indptr) - 1):
        for i in range(indptr[t], indptr[t + 1]):
            if i > indptr[t]:
                out[at] = 32
                at += 1
            out[at : at + length[i]] = letters[begin[i] : begin[i] + length[i]]
            at += length[i]
        borders[t + 1] = at
    return borders, out[:at].copy()


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of several texts: text t holds tokens first[t] to first[t + 1]."""

    indptr: Int64Array
    begin: Int64Array  # where the token starts in `letters`
    length: Int32Array
    flags: UInt8Array
    hashes: Int64Array  # the token as a feature, the same in every corpus and without one
    letters: UInt32Array  # the folded texts end to end
    borders: Int64Array  # where each text starts in `letters`

    def word(self, token: int) -> str:
        """One token as a string."""
        at = int(self.begin[token])
        return decode(self.letters[at : at + int(self.length[token])])

    def words(self, text: int = 0) -> list[str]:
        """The words of one of the texts, in order."""
        return [self.word(i) for i in range(int(self.indptr[text]), int(self.indptr[text + 1]))]

    def spaced(self) -> list[str]:
        """The words of every text, in order, with one blank between two of them."""
        borders, letters = _spaced(self.letters, self.indptr, self.begin, self.length)
        everything, ends = decode(letters), borders.tolist()
        return [everything[begin:end] for begin, end in pairwise(ends)]


def decode(letters: UInt32Array) -> str:
    """Code points back to a string."""
    return letters.tobytes().decode("utf-32-le", "surrogatepass")


def tokenize(texts: Sequence[str]) -> Tokens:
    """Cut texts into lower-cased words.

    >>> tokenize(["Valentine's Day, 2003!"]).words()
    ["valentine's", 'day', '2003']
    """
    cleaned = [clean(text) for text in texts]
    borders = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in cleaned], out=borders[1:])
    raw = "".join(cleaned).encode("utf-32-le", "surrogatepass")
    points = np.frombuffer(raw, np.uint32).copy()
    _classify(points)
    indptr, begin, length, flags, hashes = _scan(points, borders, _kind, _fold)
    return Tokens(indptr, begin, length, flags, hashes, points, borders)


def words(text: str) -> list[str]:
    """The words of one text.

    >>> words("UN Secretary-General")
    ['un', 'secretary', 'general']
    """
    return tokenize([text]).words()
