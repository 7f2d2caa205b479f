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
from querykin.corpus.vocabulary import Vocabulary
from querykin.text.elision import without_article
from querykin.text.languages import ENGLISH
from querykin.text.tokenizer import starts_cluster, tokens_of_words

BATCH_TOKENS = 1 << 23  # tokens counted at once: bounds memory
MAX_PHRASE_LENGTH = 4  # words
MAX_TITLE_LENGTH = 6  # words; longer titles are sentences rather than queries
CLUSTERS_PER_WORD = 3  # in scripts without spaces: Chinese words have two, words in Katakana four or more
MIN_DOCUMENTS = 3  # a phrase in fewer documents is likely a coincidence
MIN_ASSOCIATION = 0.35  # NPMI of a phrase's words
MAX_NESTED_SHARE = 0.6  # a phrase with this share of its occurrences in one longer phrase is a fragment
NAME_SHARE = 0.5  # a phrase with this share of its occurrences capitalized is a name

# Titles of pages that only list others, by language.
_TITLE_PREFIXES = {
    "en": ("list of ", "lists of ", "index of ", "outline of ", "deaths in ", "timeline of "),
    "de": ("liste der ", "liste von ", "liste des ", "listen "),
    "fr": ("liste de ", "liste des ", "liste d'"),
    "es": ("anexo ", "lista de "),
    "pt": ("anexo ", "lista de "),
    "it": ("lista di ", "lista dei ", "lista delle ", "elenco "),
    "nl": ("lijst van ",),
    "pl": ("lista ",),
    "sv": ("lista över ",),
}


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
    main_language = corpus.analyzer.languages[0]
    english = main_language == ENGLISH
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
            if not parts[-1].endswith("'s") and (names[row] or not english or _nominal(parts)):
                parts[0] = without_article(parts[0], main_language.code)
                queries[" ".join(parts)] = int(phrases.documents[row])
    for title in _titles(corpus):
        queries[title] = max(queries.get(title, 0), _document_frequency(corpus, by_size, title))
    ranked = sorted(queries.items(), key=lambda item: (-item[1], item[0]))
    return ranked[:limit]


def _boundary_words(corpus: Corpus) -> BoolArray:
    """Marks the words at which no phrase begins or ends: stop words, single letters, digits and clusters."""
    marks = (np.diff(corpus.vocabulary.ends) < 2) | _clusters(corpus)
    listed = corpus.vocabulary.lookup(tokens_of_words(sorted(corpus.analyzer.phrase_boundary_words)))
    marks[listed[listed >= 0]] = True
    return marks


def _clusters(corpus: Corpus) -> BoolArray:
    """Marks the words that are clusters or bigrams: a run of them is no phrase of words."""
    vocabulary = corpus.vocabulary
    if not corpus.analyzer.bigrams:
        return np.zeros(vocabulary.count, np.bool_)
    return starts_cluster(vocabulary.arena[vocabulary.ends[: vocabulary.count]])


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
    """Titles of live documents that could be queries, in lower case and without punctuation."""
    prefixes = tuple(
        prefix for language in corpus.analyzer.languages for prefix in _TITLE_PREFIXES.get(language.code, ())
    )
    clusters, lengths = _clusters(corpus), np.diff(corpus.vocabulary.ends)
    # A run of n clusters has 2n - 1 tokens.
    token_length = np.where(clusters, 1 / (2 * CLUSTERS_PER_WORD), 1.0)
    longest = MAX_TITLE_LENGTH * (2 * CLUSTERS_PER_WORD if clusters.any() else 1)
    for segment in corpus.segments:
        short = segment.title_lengths <= longest
        for ordinal in np.flatnonzero(segment.live(corpus.tombstones) & short):
            begin = int(segment.indptr[ordinal])
            part = slice(begin, begin + int(segment.title_lengths[ordinal]))
            words = (segment.tokens[part] >> 2).astype(np.int64)
            if token_length[words].sum() > MAX_TITLE_LENGTH:
                continue
            title = _as_written(corpus.vocabulary, words, segment.starts[part], lengths)
            digits_only = title.replace(" ", "").isdigit()
            # A Chinese word may have a single character.
            long_enough = len(title) > 2 or clusters[words].any()
            if long_enough and not title.startswith(prefixes) and not digits_only:
                yield title


def _as_written(vocabulary: Vocabulary, words: Int64Array, starts: UInt32Array, lengths: Int64Array) -> str:
    """Words joined by single spaces where the text has something between them; bigrams are left out."""
    title, end = "", 0
    for word, start in zip(words.tolist(), starts.tolist(), strict=True):
        if start < end:
            continue
        title += (" " if title and start > end else "") + vocabulary.word(word)
        end = start + int(lengths[word])
    return title


def _document_frequency(corpus: Corpus, by_size: dict[int, _Phrases], title: str) -> int:
    """The number of documents that contain a title as a phrase; at least 1, its own.

    Of a title without spaces, the number of documents that contain its rarest bigram.
    """
    words = corpus.vocabulary.lookup(corpus.analyzer.tokenize([title])).astype(np.int64)
    df = corpus.statistics.df[words[words >= 0]]
    if len(words) == 1 or (corpus.analyzer.bigrams and " " not in title):
        return max(1, int(df.min(initial=len(corpus))))
    phrases = by_size.get(len(words))
    if phrases is None or not len(phrases.hashes):
        return 1
    value = _hashes(words[None, :])[0]
    at = min(int(np.searchsorted(phrases.hashes, value)), len(phrases.hashes) - 1)
    return int(phrases.documents[at]) if phrases.hashes[at] == value else 1
