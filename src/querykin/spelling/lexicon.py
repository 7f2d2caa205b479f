"""The known words: those of the documents and those of past queries, with their relative frequencies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from querykin.compute.arrays import (
    Float64Array,
    Int32Array,
    Int64Array,
    UInt32Array,
    gather_indices,
    make_indptr,
)
from querykin.corpus.corpus import Corpus
from querykin.corpus.word_table import WordTable
from querykin.querylog.repository import Repository
from querykin.spelling.edit_costs import EditCosts, edit_costs
from querykin.spelling.edit_distance import letter_sets, near_words
from querykin.text.hashing import ngram_hashes
from querykin.text.tokenizer import Tokens, decode

_WAITING = 1 << 20  # n-grams that are merged at once, at least
_LONGEST = 3  # words side by side that are counted: the parts of "x50b"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known word, its relative frequency, and what it costs to type another word for it."""

    word: str
    frequency: float
    cost: float
    stem: int  # equal for forms of one word


@dataclass(frozen=True, slots=True)
class _Words:
    """Words as code points, with a relative frequency: word i is arena[ends[i] : ends[i + 1]]."""

    arena: UInt32Array
    ends: Int64Array
    frequencies: Float64Array
    letter_sets: UInt32Array

    @classmethod
    def make(cls, arena: UInt32Array, ends: Int64Array, frequencies: Float64Array) -> "_Words":
        """The words with a frequency, each with the set of its letters."""
        ends = ends[: len(frequencies) + 1]
        return cls(arena, ends, frequencies, letter_sets(arena, ends, edit_costs().base_letter))

    def near(self, typed: UInt32Array, costs: EditCosts, bound: float) -> list[tuple[str, float, float]]:
        """The words within a bound of a typed one, their frequencies and costs."""
        ids, distances = near_words(
            typed, self.arena, self.ends, self.letter_sets, self.frequencies, costs, bound
        )
        return [
            (decode(self.arena[self.ends[i] : self.ends[i + 1]]), float(self.frequencies[i]), cost)
            for i, cost in zip(ids.tolist(), distances.tolist(), strict=True)
        ]


class Lexicon:
    """The words of a corpus and of past queries, read when the first one is looked for.

    The frequency of a word is its share of the documents or of the past queries, whichever is greater: a
    small corpus is not drowned by a long query log, nor the reverse.
    """

    def __init__(self, corpus: Corpus, repository: Repository) -> None:
        self._corpus, self._repository, self._analyzer = corpus, repository, corpus.analyzer

    def document_frequencies(self, words: Sequence[str]) -> Int64Array:
        """The number of documents that have each word, in this or another form of the same stem."""
        tokens = self._analyzer.tokenize(words)
        stems, _ = self._corpus.vocabulary.lookup_stems(tokens)
        by_stem = self._corpus.statistics.stem_df
        known = (stems >= 0) & (stems < len(by_stem))
        of_tokens = np.zeros(len(stems) + 1, np.int64)
        of_tokens[:-1][known] = by_stem[stems[known]]
        single = np.diff(tokens.indptr) == 1  # ideographs in a row are not one word
        return np.where(single, of_tokens[tokens.indptr[:-1]], 0)

    @property
    def documents(self) -> int:
        """The number of documents."""
        return self._corpus.statistics.documents

    @cached_property
    def unseen(self) -> float:
        """The probability that a word is new: the share of words that occur once (Good & Turing 1953)."""
        statistics = self._corpus.statistics
        return (int((statistics.cf == 1).sum()) + 1) / (statistics.tokens + 1)

    def near(self, word: str, costs: EditCosts, bound: float) -> list[Candidate]:
        """The known words within a bound of a typed one; itself too, where it was asked before."""
        typed = self._analyzer.tokenize([word]).codepoints
        found = [each for words in self._words for each in words.near(typed, costs, bound)]
        tokens = self._analyzer.tokenize([word for word, _, _ in found])
        _, stems = self._corpus.vocabulary.lookup_stems(tokens)
        single = np.flatnonzero(np.diff(tokens.indptr) == 1)  # what is not one word is no correction of one
        return [Candidate(*found[i], int(stems[tokens.indptr[i]])) for i in single]

    def asked_side_by_side(self, text: str) -> float:
        """How often past queries have two or three words beside each other, divided by their number.

        Longer texts are not counted.
        """
        tokens = self._analyzer.tokenize([text])
        if not 2 <= len(tokens.hashes) <= _LONGEST:
            return 0.0
        (wanted,) = _ngrams(tokens, len(tokens.hashes))
        hashes, counts = self._asked_ngrams
        at = int(hashes.searchsorted(wanted))
        known = at < len(hashes) and hashes[at] == wanted
        return int(counts[at]) / len(self._repository) if known else 0.0

    def _asked(self) -> Iterator[tuple[Int64Array, Tokens]]:
        """The ids of past queries and their tokens; not kept: they take several times the memory of texts."""
        for ids, queries in self._repository.batches():
            yield ids, self._analyzer.tokenize_normalized(queries)

    @cached_property
    def _asked_ngrams(self) -> tuple[Int64Array, Int32Array]:
        """The hashes of the n-grams of past queries, ascending, and how often each occurs."""
        hashes, counts = np.zeros(0, np.int64), np.zeros(0, np.int32)
        waiting = [hashes]
        for _, tokens in self._asked():
            waiting.append(_ngrams(tokens, 2))
            if sum(map(len, waiting)) > max(_WAITING, len(hashes)):  # so that each is merged a few times
                hashes, counts = _merged(hashes, counts, np.concatenate(waiting))
                waiting = []
        return _merged(hashes, counts, np.concatenate([hashes[:0], *waiting]))

    @cached_property
    def _words(self) -> tuple[_Words, _Words]:
        """The words of documents, and those that only past queries have."""
        vocabulary, statistics = self._corpus.vocabulary, self._corpus.statistics
        frequencies = statistics.df / max(1, statistics.documents)
        asked, shares = self._asked_words()
        ids = vocabulary.lookup(asked)
        of_documents = (ids >= 0) & (ids < len(frequencies))
        known = ids[of_documents]
        frequencies[known] = np.maximum(frequencies[known], shares[of_documents])
        indptr = make_indptr(asked.length[~of_documents])
        arena = asked.codepoints[gather_indices(asked.begin[~of_documents], indptr)]
        return (
            _Words.make(vocabulary.arena, vocabulary.ends, frequencies),
            _Words.make(arena, indptr, shares[~of_documents]),
        )

    def _asked_words(self) -> tuple[Tokens, Float64Array]:
        """The distinct words of past queries, and the share of the queries, by count, that have each."""
        words, totals = WordTable.empty(), np.zeros(0)
        for query_ids, tokens in self._asked():
            ids = words.add_words(tokens)
            weights = np.repeat(self._repository.counts[query_ids], np.diff(tokens.indptr))
            totals = np.concatenate([totals, np.zeros(words.count - len(totals))])
            totals += np.bincount(ids, weights, words.count)
        return words.tokens(), totals / max(1, int(self._repository.counts.sum()))


def _ngrams(tokens: Tokens, shortest: int) -> Int64Array:
    """The hashes of the n-grams of texts, of so many words and more; a text ends where two words touch."""
    ends = tokens.begin + tokens.length
    touching = 1 + np.flatnonzero(tokens.begin[1:] <= ends[:-1])  # such as bigrams of ideographs
    indptr = np.union1d(tokens.indptr, touching)
    begins, hashes = ngram_hashes(indptr, tokens.hashes, np.full(len(indptr), shortest), _LONGEST)
    longer = begins[:-1][np.diff(indptr) > _LONGEST]
    return np.delete(hashes, longer + _LONGEST - shortest + 1)  # the hashes of whole texts


def _merged(hashes: Int64Array, counts: Int32Array, added: Int64Array) -> tuple[Int64Array, Int32Array]:
    """Distinct hashes and their counts, ascending, with those of more occurrences."""
    new, new_counts = np.unique(added, return_counts=True)
    places = np.searchsorted(hashes, new)
    known = np.zeros(len(new), np.bool_)
    inside = places < len(hashes)
    known[inside] = hashes[places[inside]] == new[inside]
    counts[places[known]] += new_counts[known].astype(np.int32)
    merged_counts = np.insert(counts, places[~known], new_counts[~known].astype(np.int32))
    return np.insert(hashes, places[~known], new[~known]), merged_counts
