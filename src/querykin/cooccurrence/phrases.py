"""Lists of phrases, stored as 64-bit hashes of their words, and segmentation of texts into phrases."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array
from querykin.compute.jit import njit
from querykin.compute.sorting import first_at_least
from querykin.storage.array_files import load_ascending, save
from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.text.hashing import FNV_OFFSET, extend_hash, finalize_hash, ngram_hashes
from querykin.text.tokenizer import Tokens, tokens_of_words

MAX_WORDS = 6  # of a phrase
_BATCH = 10_000  # texts hashed at once


@njit
def _chunk(
    indptr: Int64Array, hashes: Int64Array, listed: Int64Array, usable: BoolArray, max_words: int
) -> tuple[Int64Array, Int64Array, Int32Array]:
    """Segment texts into phrases, longest first and leftmost among equals, and single words.

    Returns for every chunk its first token, and the index of its phrase in the list, -1 for a single word.
    """
    chunk_indptr = np.zeros(len(indptr), np.int64)
    begins = np.empty(indptr[-1], np.int64)
    phrases = np.empty(indptr[-1], np.int32)
    phrase_begin = np.full(indptr[-1], -1, np.int64)  # the first token of the phrase that a token is in
    phrase_at = np.full(indptr[-1], -1, np.int32)
    count = 0
    for t in range(len(indptr) - 1):
        a, b = indptr[t], indptr[t + 1]
        for length in range(min(max_words, b - a), 1, -1):
            for i in range(a, b - length + 1):
                value = np.uint64(FNV_OFFSET)
                free = True
                for j in range(i, i + length):
                    free = free and phrase_begin[j] == -1
                    value = extend_hash(value, hashes[j])
                h = finalize_hash(value)
                phrase = first_at_least(listed, h)
                if free and phrase < len(listed) and listed[phrase] == h and usable[phrase]:
                    for j in range(i, i + length):
                        phrase_begin[j] = i
                    phrase_at[i] = phrase
        for i in range(a, b):
            if phrase_begin[i] == -1 or phrase_begin[i] == i:
                begins[count], phrases[count] = i, phrase_at[i]
                count += 1
        chunk_indptr[t + 1] = count
    return chunk_indptr, begins[:count], phrases[:count]


@njit
def _ngrams(indptr: Int64Array, hashes: Int64Array, stop_words: BoolArray, max_words: int) -> Int64Array:
    """The hashes of all n-grams of two and more words without a stop word at an end, above their texts."""
    ngrams = np.empty((2, indptr[-1] * (max_words - 1)), np.int64)
    count = 0
    for t in range(len(indptr) - 1):
        for begin in range(indptr[t], indptr[t + 1]):
            value = np.uint64(FNV_OFFSET)
            for end in range(begin, min(begin + max_words, indptr[t + 1])):
                value = extend_hash(value, hashes[end])
                if end > begin and not stop_words[begin] and not stop_words[end]:
                    ngrams[0, count], ngrams[1, count] = finalize_hash(value), t
                    count += 1
    return ngrams[:, :count]


@dataclass(frozen=True)
class Phrases:
    """A list of phrases of two to six words, by the hash of their words."""

    hashes: Int64Array  # ascending

    @classmethod
    def of(cls, texts: Iterable[str], analyzer: Analyzer = DEFAULT) -> "Phrases":
        """The texts that have two to six words."""
        found = [np.zeros(0, np.int64)]
        remaining = iter(texts)
        while batch := list(islice(remaining, _BATCH)):
            tokens = analyzer.tokenize(batch)
            words = np.diff(tokens.indptr)
            listed = (words >= 2) & (words <= MAX_WORDS)
            _, whole = ngram_hashes(tokens.indptr, tokens.hashes, words, max(1, int(words.max(initial=1))))
            found.append(whole[listed[words > 0]])
        return cls(np.unique(np.concatenate(found)))

    @classmethod
    def frequent(cls, texts: Iterable[str], min_texts: int, analyzer: Analyzer = DEFAULT) -> "Phrases":
        """The n-grams of two to six words that at least `min_texts` texts contain.

        N-grams that begin or end with a stop word are left out: "how to" is frequent, and is not a phrase.
        """
        listed = tokens_of_words(sorted(analyzer.function_words)).hashes
        found, remaining = [np.zeros(0, np.int64)], iter(texts)
        while batch := list(islice(remaining, _BATCH)):
            tokens = analyzer.tokenize(batch)
            stop_words = np.isin(tokens.hashes, listed)
            found.append(np.unique(_ngrams(tokens.indptr, tokens.hashes, stop_words, MAX_WORDS), axis=1)[0])
        hashes, counts = np.unique(np.concatenate(found), return_counts=True)
        return cls(hashes[counts >= min_texts])

    def __or__(self, other: "Phrases") -> "Phrases":
        """The union of two lists."""
        return Phrases(np.union1d(self.hashes, other.hashes))

    @classmethod
    def open(cls, folder: Path) -> "Phrases":
        """Map a saved list into memory."""
        return cls(load_ascending(folder, "phrases", np.int64))

    def save(self, folder: Path) -> None:
        """Write the list."""
        save(folder, phrases=self.hashes)

    def __len__(self) -> int:
        return len(self.hashes)

    def chunk(self, tokens: Tokens, usable: BoolArray) -> tuple[Int64Array, Int64Array, Int32Array]:
        """Segment texts greedily into usable phrases, longest first, and single words.

        Returns the offsets of each text's chunks, the first token of every chunk, and its phrase, -1 for a
        single word.
        """
        return _chunk(tokens.indptr, tokens.hashes, self.hashes, usable, MAX_WORDS)
