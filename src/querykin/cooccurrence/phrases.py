"""Which runs of words are one thing? A list of phrases, kept as hashes: eight bytes each."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array
from querykin.compute.jit import njit
from querykin.storage.array_files import load, save
from querykin.text.hashing import FNV_OFFSET, extend_hash, finalize_hash, ngram_hashes
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.text.tokenizer import Tokens, tokenize

LONGEST = 6  # words of a phrase
_BATCH = 10_000  # texts hashed at once


@njit
def _chunk(
    indptr: Int64Array, hashes: Int64Array, listed: Int64Array, usable: BoolArray, longest: int
) -> tuple[Int64Array, Int64Array, Int32Array]:
    """Cut texts into phrases, the longest first and of equal ones the left one, and single words.

    For every piece: its first token and the place of its phrase in the list, -1 for a single word.
    """
    borders = np.zeros(len(indptr), np.int64)
    begins = np.empty(indptr[-1], np.int64)
    phrases = np.empty(indptr[-1], np.int32)
    owner = np.full(indptr[-1], -1, np.int64)  # where the phrase of a token begins
    phrase = np.full(indptr[-1], -1, np.int32)
    at = 0
    for t in range(len(indptr) - 1):
        a, b = indptr[t], indptr[t + 1]
        for length in range(min(longest, b - a), 1, -1):
            for i in range(a, b - length + 1):
                value = np.uint64(FNV_OFFSET)
                free = True
                for j in range(i, i + length):
                    free = free and owner[j] == -1
                    value = extend_hash(value, hashes[j])
                h = finalize_hash(value)
                place = np.searchsorted(listed, h)
                if free and place < len(listed) and listed[place] == h and usable[place]:
                    owner[i : i + length] = i
                    phrase[i] = place
        for i in range(a, b):
            if owner[i] == -1 or owner[i] == i:
                begins[at], phrases[at] = i, phrase[i]
                at += 1
        borders[t + 1] = at
    return borders, begins[:at].copy(), phrases[:at].copy()


@njit
def _runs(indptr: Int64Array, hashes: Int64Array, small: BoolArray, longest: int) -> Int64Array:
    """The hashes of all runs of two words and more that have no small word at an end, above their texts."""
    runs = np.empty((2, indptr[-1] * (longest - 1)), np.int64)
    count = 0
    for t in range(len(indptr) - 1):
        for begin in range(indptr[t], indptr[t + 1]):
            value = np.uint64(FNV_OFFSET)
            for end in range(begin, min(begin + longest, indptr[t + 1])):
                value = extend_hash(value, hashes[end])
                if end > begin and not small[begin] and not small[end]:
                    runs[0, count], runs[1, count] = finalize_hash(value), t
                    count += 1
    return runs[:, :count]


@cache
def _function_words() -> Int64Array:
    return tokenize(sorted(ENGLISH_STOP_WORDS)).hashes


@dataclass(frozen=True)
class Phrases:
    """A list of phrases of two words and more, by the hash of their words."""

    hashes: Int64Array  # rising

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Phrases":
        """The texts that have from two to six words."""
        found = [np.zeros(0, np.int64)]
        remaining = iter(texts)
        while some := list(islice(remaining, _BATCH)):
            tokens = tokenize(some)
            words = np.diff(tokens.indptr)
            listed = (words >= 2) & (words <= LONGEST)
            _, whole = ngram_hashes(tokens.indptr, tokens.hashes, words, max(1, int(words.max(initial=1))))
            found.append(whole[listed[words > 0]])
        return cls(np.unique(np.concatenate(found)))

    @classmethod
    def frequent(cls, texts: Iterable[str], least: int) -> "Phrases":
        """The runs of two to six words that at least so many of the texts hold.

        None that begins or ends with a function word: "how to" is in many texts, and is nobody's subject.
        """
        found, remaining = [np.zeros(0, np.int64)], iter(texts)
        while some := list(islice(remaining, _BATCH)):
            tokens = tokenize(some)
            runs = _runs(tokens.indptr, tokens.hashes, np.isin(tokens.hashes, _function_words()), LONGEST)
            found.append(np.unique(runs, axis=1)[0])
        hashes, times = np.unique(np.concatenate(found), return_counts=True)
        return cls(hashes[times >= least])

    def __or__(self, other: "Phrases") -> "Phrases":
        """What one or the other lists."""
        return Phrases(np.union1d(self.hashes, other.hashes))

    @classmethod
    def open(cls, folder: Path) -> "Phrases":
        """Map a saved list into memory."""
        return cls(load(folder, "phrases"))

    def save(self, folder: Path) -> None:
        """Write the list."""
        save(folder, phrases=self.hashes)

    def __len__(self) -> int:
        return len(self.hashes)

    def chunk(self, tokens: Tokens, usable: BoolArray) -> tuple[Int64Array, Int64Array, Int32Array]:
        """Cut texts greedily into usable phrases, the longest first, and single words.

        Returns where each text's pieces begin, the first token of every piece, and its phrase, -1 for a word.
        """
        return _chunk(tokens.indptr, tokens.hashes, self.hashes, usable, LONGEST)
