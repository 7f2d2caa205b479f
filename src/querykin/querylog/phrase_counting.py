"""Counting of phrases: word n-grams with their document frequencies, in runs of documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Int64Array, UInt32Array
from querykin.compute.jit import njit
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import CorpusSegment
from querykin.storage.array_files import at_least, load, load_ascending, save
from querykin.text.tokenizer import starts_cluster, tokens_of_words

BATCH_TOKENS = 1 << 23  # tokens counted at once: bounds memory
MIN_DOCUMENTS = 3  # a phrase in fewer documents is likely a coincidence
NAME_SHARE = 0.5  # a phrase with this share of its occurrences capitalized is a name


@njit
def _ngrams(
    tokens: UInt32Array,
    starts: UInt32Array,
    indptr: Int64Array,
    word_lengths: Int64Array,
    live: BoolArray,
    boundary: BoolArray,
    size: int,
) -> tuple[Int64Array, Int64Array, Int64Array, BoolArray]:
    """Runs of `size` words, one character apart: hash, position, document, whether capitalized."""
    count, capacity = 0, indptr[-1] - indptr[0]
    hashes = np.empty(capacity, np.int64)
    positions = np.empty(capacity, np.int64)
    documents = np.empty(capacity, np.int64)
    capitalized = np.empty(capacity, np.bool_)
    for document in range(len(indptr) - 1):
        if not live[document]:
            continue
        for i in range(indptr[document], indptr[document + 1] - size + 1):
            if boundary[tokens[i] >> 2] or boundary[tokens[i + size - 1] >> 2]:
                continue
            adjacent, capital, value = True, True, np.int64(0)
            for j in range(i, i + size):
                word = np.int64(tokens[j] >> 2)
                value = (value ^ word) * np.int64(1099511628211)
                if j > i:
                    gap = np.int64(starts[j]) - np.int64(starts[j - 1]) - word_lengths[tokens[j - 1] >> 2]
                    adjacent = adjacent and gap == 1 and tokens[j] & 2 == 0
                capital = capital and (tokens[j] & 1 == 1 or boundary[word])
            if adjacent:
                hashes[count], positions[count] = value, i
                documents[count], capitalized[count] = document, capital
                count += 1
    return hashes[:count], positions[:count], documents[:count], capitalized[:count]


@dataclass
class CountedPhrases:
    """Phrases of one length with their document frequency, occurrences and capitalized occurrences."""

    hashes: Int64Array
    documents: Int64Array
    uses: Int64Array
    capitalized: Int64Array
    words: NDArray[np.int64]  # one row of word ids for each phrase

    @property
    def names(self) -> BoolArray:
        """Which phrases are names, by their capitals."""
        names: BoolArray = self.capitalized >= NAME_SHARE * self.uses
        return names

    @classmethod
    def open(cls, folder: Path, size: int) -> "CountedPhrases":
        """Memory-map the saved phrases of a length."""
        hashes = load_ascending(folder, f"hashes-{size}", np.int64)
        documents, uses, capitalized = (
            load(folder, f"{name}-{size}", at_least(0), len(hashes), np.int64)
            for name in ("documents", "uses", "capitalized")
        )
        words = load(folder, f"words-{size}", at_least(0), len(hashes), np.int64, dimensions=2)
        return cls(hashes, documents, uses, capitalized, words)

    def save(self, folder: Path) -> None:
        """Write the phrases as arrays."""
        size = self.words.shape[1]
        save(folder, **{f"{name}-{size}": values for name, values in vars(self).items()})

    def between(self, first: int, last: int) -> "CountedPhrases":
        """The phrases whose hashes are in a range, which must be sorted."""
        begin = int(np.searchsorted(self.hashes, first))
        end = int(np.searchsorted(self.hashes, last, side="right"))
        return CountedPhrases(*(values[begin:end] for values in vars(self).values()))


def frequent_phrases(parts: Sequence[CountedPhrases]) -> CountedPhrases:
    """The phrases of several runs of documents, sorted by hash, without those in too few documents."""
    hashes, first, inverse = np.unique(
        np.concatenate([part.hashes for part in parts]), return_index=True, return_inverse=True
    )
    documents, uses, capitalized = (
        np.bincount(inverse, np.concatenate([getattr(part, name) for part in parts])).astype(np.int64)
        for name in ("documents", "uses", "capitalized")
    )
    frequent = documents >= MIN_DOCUMENTS
    words = np.concatenate([part.words for part in parts])[first]
    return CountedPhrases(
        hashes[frequent], documents[frequent], uses[frequent], capitalized[frequent], words[frequent]
    )


def document_runs(segment: CorpusSegment, tokens: int) -> Iterator[tuple[int, int]]:
    """Ranges of documents with about so many tokens each."""
    steps = segment.indptr[1:] // tokens
    bounds = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(segment)]
    return pairwise(bounds)


def count_phrases(
    corpus: Corpus, segment: CorpusSegment, begin: int, end: int, size: int, boundary: BoolArray
) -> CountedPhrases:
    """The phrases of a run of documents, sorted by hash."""
    word_lengths = np.diff(corpus.vocabulary.ends[: corpus.vocabulary.count + 1])
    live = segment.live(corpus.tombstones)[begin:end]
    run = np.arange(begin, end)
    tokens, starts = segment.tokens_of(run), segment.starts_of(run)
    hashes, positions, documents, capitalized = _ngrams(
        tokens, starts, segment.indptr[begin : end + 1], word_lengths, live, boundary, size
    )
    order = np.argsort(hashes, kind="stable")  # documents ascend within a hash, since positions do
    hashes, positions, documents = hashes[order], positions[order], documents[order]
    distinct, first, uses = np.unique(hashes, return_index=True, return_counts=True)
    new_document = np.ones(len(hashes), np.int64)
    new_document[1:] = (np.diff(hashes) != 0) | (np.diff(documents) != 0)
    if not len(hashes):
        return CountedPhrases(hashes, uses, uses, uses, np.zeros((0, size), np.int64))
    frequencies = np.add.reduceat(new_document, first)
    capitals = np.add.reduceat(capitalized[order].astype(np.int64), first)
    words = (tokens[positions[first][:, None] + np.arange(size)] >> 2).astype(np.int64)
    return CountedPhrases(distinct, frequencies, uses, capitals, words)


def boundary_words(corpus: Corpus) -> BoolArray:
    """Marks the words at which no phrase begins or ends: stop words, single letters, digits and clusters."""
    marks = (np.diff(corpus.vocabulary.ends[: corpus.vocabulary.count + 1]) < 2) | clusters(corpus)
    listed = corpus.vocabulary.lookup(tokens_of_words(sorted(corpus.analyzer.phrase_boundary_words)))
    marks[listed[listed >= 0]] = True
    return marks


def clusters(corpus: Corpus) -> BoolArray:
    """Marks the words that are clusters or bigrams: a run of them is no phrase of words."""
    vocabulary = corpus.vocabulary
    if not corpus.analyzer.bigrams:
        return np.zeros(vocabulary.count, np.bool_)
    return starts_cluster(vocabulary.arena[vocabulary.ends[: vocabulary.count]])


def phrase_hashes(rows: NDArray[np.int64]) -> Int64Array:
    """The hash of each row of word ids, as `_ngrams` computes it."""
    value = np.zeros(len(rows), np.int64)
    with np.errstate(over="ignore"):
        for column in rows.T:
            value = (value ^ column) * np.int64(1099511628211)
    return value
