"""Query mining: titles and salient phrases of the corpus, as a substitute for a query log.

Phrases are word n-grams scored by normalized pointwise mutual information (NPMI, Bouma 2009).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Int64Array, UInt32Array
from querykin.compute.jit import njit
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import CorpusSegment
from querykin.text.stopwords import PHRASE_BOUNDARY_STOP_WORDS
from querykin.text.tokenizer import tokenize

BATCH_TOKENS = 1 << 23  # tokens counted at once: bounds memory
MAX_PHRASE_LENGTH = 4  # words
MAX_TITLE_LENGTH = 6  # words; longer titles are sentences rather than queries
MIN_DOCUMENTS = 3  # a phrase in fewer documents is likely a coincidence
MIN_ASSOCIATION = 0.35  # NPMI of a phrase's words
MAX_NESTED_SHARE = 0.6  # a phrase with this share of its occurrences in one longer phrase is a fragment
NAME_SHARE = 0.5  # a phrase with this share of its occurrences capitalized is a name

_TITLE_PREFIXES = ("list of ", "lists of ", "index of ", "outline of ", "deaths in ", "timeline of ")


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
class _Phrases:
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


def mine_queries(corpus: Corpus, limit: int) -> list[tuple[str, int]]:
    """Titles and salient phrases with their document frequencies, the most frequent first."""
    if not corpus.segments:
        return []
    boundary = _boundary_words(corpus)
    # One length more than is returned, to detect fragments of longer phrases.
    by_size = {size: _count(corpus, size, boundary) for size in range(2, MAX_PHRASE_LENGTH + 2)}
    queries: dict[str, int] = {}
    for size in range(2, MAX_PHRASE_LENGTH + 1):
        phrases = by_size[size]
        salient = _salient(corpus, phrases) & ~_fragments(phrases, by_size[size + 1], size)
        names = phrases.names
        for row in np.flatnonzero(salient):
            parts = [corpus.vocabulary.word(int(word)) for word in phrases.words[row]]
            if not parts[-1].endswith("'s") and (names[row] or _nominal(parts)):
                queries[" ".join(parts)] = int(phrases.documents[row])
    for title in _titles(corpus):
        queries[title] = max(queries.get(title, 0), _document_frequency(corpus, by_size, title))
    ranked = sorted(queries.items(), key=lambda item: (-item[1], item[0]))
    return ranked[:limit]


def _boundary_words(corpus: Corpus) -> BoolArray:
    """Marks the words at which no phrase begins or ends: stop words, single letters and digits."""
    marks = np.diff(corpus.vocabulary.ends) < 2
    for number in corpus.vocabulary.lookup(tokenize([" ".join(PHRASE_BOUNDARY_STOP_WORDS)])):
        if number >= 0:
            marks[number] = True
    return marks


def _count(corpus: Corpus, size: int, boundary: BoolArray) -> _Phrases:
    word_lengths = np.diff(corpus.vocabulary.ends)
    parts = [
        _count_range(segment, begin, end, corpus, size, boundary, word_lengths)
        for segment in corpus.segments
        for begin, end in _ranges(segment)
    ]
    hashes, first, inverse = np.unique(
        np.concatenate([part.hashes for part in parts]), return_index=True, return_inverse=True
    )
    documents, uses, capitalized = (
        np.bincount(inverse, np.concatenate([getattr(part, name) for part in parts])).astype(np.int64)
        for name in ("documents", "uses", "capitalized")
    )
    frequent = documents >= MIN_DOCUMENTS
    words = np.concatenate([part.words for part in parts])[first]
    return _Phrases(
        hashes[frequent], documents[frequent], uses[frequent], capitalized[frequent], words[frequent]
    )


def _ranges(segment: CorpusSegment) -> Iterator[tuple[int, int]]:
    """Ranges of documents with about BATCH_TOKENS tokens each."""
    steps = segment.indptr[1:] // BATCH_TOKENS
    bounds = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(segment)]
    return pairwise(bounds)


def _count_range(
    segment: CorpusSegment,
    begin: int,
    end: int,
    corpus: Corpus,
    size: int,
    boundary: BoolArray,
    word_lengths: Int64Array,
) -> _Phrases:
    live = segment.live(corpus.tombstones)[begin:end]
    hashes, positions, documents, capitalized = _ngrams(
        segment.tokens, segment.starts, segment.indptr[begin : end + 1], word_lengths, live, boundary, size
    )
    order = np.argsort(hashes, kind="stable")  # documents ascend within a hash, since positions do
    hashes, positions, documents = hashes[order], positions[order], documents[order]
    distinct, first, uses = np.unique(hashes, return_index=True, return_counts=True)
    new_document = np.ones(len(hashes), np.int64)
    new_document[1:] = (np.diff(hashes) != 0) | (np.diff(documents) != 0)
    if not len(hashes):
        return _Phrases(hashes, uses, uses, uses, np.zeros((0, size), np.int64))
    frequencies = np.add.reduceat(new_document, first)
    capitals = np.add.reduceat(capitalized[order].astype(np.int64), first)
    words = (segment.tokens[positions[first][:, None] + np.arange(size)] >> 2).astype(np.int64)
    return _Phrases(distinct, frequencies, uses, capitals, words)


def _salient(corpus: Corpus, phrases: _Phrases) -> BoolArray:
    """Phrases whose words are associated: NPMI above a threshold that is lower for names."""
    total = max(2, corpus.statistics.tokens)
    size = phrases.words.shape[1]
    joint = np.log(phrases.uses / total)
    independent = np.log(corpus.statistics.cf[phrases.words] / total).sum(axis=1)
    npmi = (joint - independent) / (-(size - 1) * joint)
    salient: BoolArray = npmi >= np.where(phrases.names, MIN_ASSOCIATION, MIN_ASSOCIATION + 0.1)
    return salient


def _nominal(parts: list[str]) -> bool:
    """Whether a phrase that is not a name may be a noun phrase, by the endings of its words.

    >>> _nominal(["voting", "system"]), _nominal(["narrowly", "escapes"]), _nominal(["commune", "joined"])
    (True, False, False)
    """
    return not (
        parts[0].endswith("ly") or parts[-1].endswith(("ly", "ed", "ing")) or "and" in parts or "but" in parts
    )


def _fragments(phrases: _Phrases, longer: _Phrases, size: int) -> BoolArray:
    """Phrases that mostly occur inside one longer phrase ("lake city" in "salt lake city")."""
    fragments = np.zeros(len(phrases.hashes), np.bool_)
    for begin in (0, 1):
        _, at, longer_at = np.intersect1d(
            phrases.hashes, _hashes(longer.words[:, begin : begin + size]), return_indices=True
        )
        fragments[at[longer.uses[longer_at] >= MAX_NESTED_SHARE * phrases.uses[at]]] = True
    return fragments


def _hashes(rows: NDArray[np.int64]) -> Int64Array:
    """The hash of each row of word ids, as `_ngrams` computes it."""
    value = np.zeros(len(rows), np.int64)
    with np.errstate(over="ignore"):
        for column in rows.T:
            value = (value ^ column) * np.int64(1099511628211)
    return value


def _titles(corpus: Corpus) -> Iterator[str]:
    """Titles of live documents that could be queries."""
    for segment in corpus.segments:
        short = segment.title_lengths <= MAX_TITLE_LENGTH
        for ordinal in np.flatnonzero(segment.live(corpus.tombstones) & short):
            begin = int(segment.indptr[ordinal])
            words = segment.tokens[begin : begin + int(segment.title_lengths[ordinal])] >> 2
            title = " ".join(corpus.vocabulary.word(int(word)) for word in words)
            digits_only = title.replace(" ", "").isdigit()
            if len(title) > 2 and not title.startswith(_TITLE_PREFIXES) and not digits_only:
                yield title


def _document_frequency(corpus: Corpus, by_size: dict[int, _Phrases], title: str) -> int:
    """The number of documents that contain a title as a phrase; at least 1, its own."""
    words = corpus.vocabulary.lookup(tokenize([title])).astype(np.int64)
    if len(words) == 1:
        return max(1, int(corpus.statistics.df[words[0]]))
    phrases = by_size.get(len(words))
    if phrases is None or not len(phrases.hashes):
        return 1
    value = _hashes(words[None, :])[0]
    at = min(int(np.searchsorted(phrases.hashes, value)), len(phrases.hashes) - 1)
    return int(phrases.documents[at]) if phrases.hashes[at] == value else 1
