"""Titles of documents as queries, with the number of documents that contain them."""

from collections.abc import Iterator, Mapping

import numpy as np

from querykin.compute.arrays import Int64Array, UInt32Array
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import CorpusSegment
from querykin.corpus.vocabulary import Vocabulary
from querykin.querylog.phrase_counting import CountedPhrases, clusters, phrase_hashes

MAX_TITLE_LENGTH = 6  # words; longer titles are sentences rather than queries
CLUSTERS_PER_WORD = 3  # in scripts without spaces: Chinese words have two, words in Katakana four or more

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


def titles(corpus: Corpus, segment: CorpusSegment, begin: int, end: int) -> Iterator[str]:
    """Titles of live documents that could be queries, in lower case and without punctuation."""
    prefixes = tuple(
        prefix for language in corpus.analyzer.languages for prefix in _TITLE_PREFIXES.get(language.code, ())
    )
    marks, lengths = clusters(corpus), np.diff(corpus.vocabulary.ends)
    # A run of n clusters has 2n - 1 tokens.
    token_length = np.where(marks, 1 / (2 * CLUSTERS_PER_WORD), 1.0)
    longest = MAX_TITLE_LENGTH * (2 * CLUSTERS_PER_WORD if marks.any() else 1)
    short = segment.title_lengths[begin:end] <= longest
    for ordinal in begin + np.flatnonzero(segment.live(corpus.tombstones)[begin:end] & short):
        start = int(segment.indptr[ordinal])
        part = slice(start, start + int(segment.title_lengths[ordinal]))
        words = (segment.tokens[part] >> 2).astype(np.int64)
        if token_length[words].sum() > MAX_TITLE_LENGTH:
            continue
        title = _as_written(corpus.vocabulary, words, segment.starts[part], lengths)
        digits_only = title.replace(" ", "").isdigit()
        # A Chinese word may have a single character.
        long_enough = len(title) > 2 or marks[words].any()
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


def document_frequency(corpus: Corpus, by_size: Mapping[int, CountedPhrases], title: str) -> int:
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
    value = phrase_hashes(words[None, :])[0]
    at = min(int(np.searchsorted(phrases.hashes, value)), len(phrases.hashes) - 1)
    return int(phrases.documents[at]) if phrases.hashes[at] == value else 1
