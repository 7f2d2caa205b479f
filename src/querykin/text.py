"""What are its words? Tokens, their features and their stems.

A token is a run of letters, digits and combining marks, folded to lower case; an apostrophe inside a
word belongs to it ("valentine's" is one token); an ideograph or kana syllable stands alone, since those
scripts put no spaces between words. Folding is character by character, so a token's place in the
original text is its place in the folded one.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import Stemmer

from querykin.compiled import Bytes, Longs, Points, Words, compiled

CAPITALISED, SENTENCE_START = 1, 2
EMPTY_RUN = 14695981039346656037  # where hashes of letters and of words begin
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


def _classify(points: Points) -> None:
    """Fill the tables for the blocks of 256 characters that turn up: a whole table would take a second."""
    blocks = points // _BLOCK
    known = _classified[blocks]
    if known.all():
        return
    for block in np.unique(blocks[~known]):
        for point in range(int(block) * _BLOCK, (int(block) + 1) * _BLOCK):
            _kind[point], _fold[point] = _kind_of(chr(point)), _fold_of(chr(point))
        _classified[block] = True


@compiled
def extend_hash(value: np.uint64, feature: int) -> np.uint64:
    """FNV-1a: the hash of a run of letters, or of words by their own hashes, that is one longer."""
    return (value ^ np.uint64(feature)) * np.uint64(1099511628211)


@compiled
def settle_hash(value: np.uint64) -> np.int64:
    """The hash of a run, kept positive so that it fits a signed feature."""
    return np.int64((value ^ (value >> np.uint64(31))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@compiled
def _hash(letters: Points, begin: int, end: int) -> np.int64:
    """The hash of a word over its code points."""
    value = np.uint64(EMPTY_RUN)
    for i in range(begin, end):
        value = extend_hash(value, letters[i])
    return settle_hash(value)


@compiled
def _scan(
    points: Points, borders: Longs, kind: Bytes, fold: Points
) -> tuple[Longs, Longs, Words, Bytes, Longs]:
    """Token borders, flags and hashes of several texts laid end to end; folds `points` in place."""
    size = len(points)
    begin = np.empty(size, np.int64)
    length = np.empty(size, np.int32)
    flags = np.empty(size, np.uint8)
    hashes = np.empty(size, np.int64)
    first = np.empty(len(borders), np.int64)
    count = 0
    first[0] = 0
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
        first[t + 1] = count
    return first, begin[:count].copy(), length[:count].copy(), flags[:count].copy(), hashes[:count].copy()


@compiled
def _spaced(letters: Points, first: Longs, begin: Longs, length: Words) -> tuple[Longs, Points]:
    """The tokens of each text with one blank between two of them: where texts begin, and their letters."""
    borders = np.zeros(len(first), np.int64)
    out = np.empty(length.sum() + len(length), np.uint32)
    at = 0
    for t in range(len(first) - 1):
        for i in range(first[t], first[t + 1]):
            if i > first[t]:
                out[at] = 32
                at += 1
            out[at : at + length[i]] = letters[begin[i] : begin[i] + length[i]]
            at += length[i]
        borders[t + 1] = at
    return borders, out[:at].copy()


@compiled
def run_hashes(first: Longs, features: Longs, shortest: Longs, longest: int) -> tuple[Longs, Longs]:
    """Hashes of each text's runs of at least `shortest[t]` and at most `longest` words, and of the whole."""
    borders = np.zeros(len(first), np.int64)
    for t in range(len(first) - 1):
        words = first[t + 1] - first[t]
        count = 0
        for begin in range(words):
            count += max(0, min(longest, words - begin) - shortest[t] + 1)
        borders[t + 1] = borders[t] + count + (1 if words > longest else 0)
    out = np.empty(borders[-1], np.int64)
    for t in range(len(first) - 1):
        at, words = borders[t], first[t + 1] - first[t]
        for begin in range(words):
            whole = begin == 0 and words > longest
            end = words if whole else min(longest, words - begin)
            if end < shortest[t]:
                break
            value = np.uint64(EMPTY_RUN)
            for length in range(1, end + 1):
                value = extend_hash(value, features[first[t] + begin + length - 1])
                if shortest[t] <= length and (length <= longest or length == words):
                    out[at] = settle_hash(value)
                    at += 1
    return borders, out


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of several texts: text t holds tokens first[t] to first[t + 1]."""

    first: Longs
    begin: Longs  # where the token starts in `letters`
    length: Words
    flags: Bytes
    hashes: Longs  # the token as a feature, the same in every corpus and without one
    letters: Points  # the folded texts end to end
    borders: Longs  # where each text starts in `letters`

    def word(self, token: int) -> str:
        """One token as a string."""
        at = int(self.begin[token])
        return decode(self.letters[at : at + int(self.length[token])])

    def words(self, text: int = 0) -> list[str]:
        """The words of one of the texts, in order."""
        return [self.word(i) for i in range(int(self.first[text]), int(self.first[text + 1]))]

    def spaced(self) -> list[str]:
        """The words of every text, in order, with one blank between two of them."""
        borders, letters = _spaced(self.letters, self.first, self.begin, self.length)
        everything, ends = decode(letters), borders.tolist()
        return [everything[begin:end] for begin, end in pairwise(ends)]


def decode(letters: Points) -> str:
    """Code points back to a string."""
    return letters.tobytes().decode("utf-32-le", "surrogatepass")


def clean(text: str) -> str:
    """The form in which texts are kept and compared: accents composed (Unicode NFC)."""
    return unicodedata.normalize("NFC", text)


def tokenise(texts: Sequence[str]) -> Tokens:
    """Cut texts into lower-cased words.

    >>> tokenise(["Valentine's Day, 2003!"]).words()
    ["valentine's", 'day', '2003']
    """
    cleaned = [clean(text) for text in texts]
    borders = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in cleaned], out=borders[1:])
    raw = "".join(cleaned).encode("utf-32-le", "surrogatepass")
    points = np.frombuffer(raw, np.uint32).copy()
    _classify(points)
    first, begin, length, flags, hashes = _scan(points, borders, _kind, _fold)
    return Tokens(first, begin, length, flags, hashes, points, borders)


def words(text: str) -> list[str]:
    """The words of one text.

    >>> words("UN Secretary-General")
    ['un', 'secretary', 'general']
    """
    return tokenise([text]).words()


_ENGLISH = """
a an the this that these those some any each every all both either neither such no none other another
i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
who whom whose which what when where why how there here
am is are was were be been being do does did done doing has have had having will would shall should
can could may might must
and or but nor so yet if then than as because while although though whether since until unless
of in on at by for with from to into onto upon over under between among through during before after
about against within without above below across along around near off out up down
not only also very more most much many few less least own same just too even still again once ever
s t d ll re ve
"""
FUNCTION_WORDS = frozenset(_ENGLISH.split())  # they tell nothing of what a text is about

_porter = Stemmer.Stemmer("porter", 0)


def stems(vocabulary: Sequence[str]) -> list[str]:
    """Porter's stem (1980) of each word; a possessive 's goes first, which Porter leaves standing.

    Words of one or two letters stay as they are, as in Porter's own program: "us" is not "u".

    >>> stems(["mariners", "valentine's", "valentines", "us"])
    ['marin', 'valentin', 'valentin', 'us']
    """
    bare = [word[:-2] if word.endswith("'s") and len(word) > 2 else word for word in vocabulary]
    found = zip(_porter.stemWords(bare), bare, strict=True)
    return [stem if stem and len(word) > 2 else word for stem, word in found]


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Porter's stem of one word, remembered."""
    return stems([word])[0]
