"""What can be said of a term in a text: how often and where it stands, how it is written, who else uses it.

The features that learned term weights are made of (Yih, Goodman & Carvalho 2006; Yih 2009), for the results
of a search taken as one text and for documents. Terms are stems.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import (
    BoolArray,
    Float64Array,
    Int64Array,
    UInt8Array,
    UInt32Array,
    grow,
    make_indptr,
)
from querykin.compute.jit import njit
from querykin.corpus.corpus import Corpus
from querykin.querylog.document_frequencies import PER, QueryLogFrequencies
from querykin.search.expansion import Expansions
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.text.tokenizer import CAPITALISED, SENTENCE_START, Tokens, tokenize

FIELDS = ("title", "url", "anchor", "keywords", "description")  # places of a page where a term may stand too


@njit
def _occurrences(
    indptr: Int64Array, stems: Int64Array, flags: UInt8Array, used: BoolArray, width: int
) -> tuple[
    Int64Array,
    Int64Array,
    Int64Array,
    Int64Array,
    BoolArray,
    Int64Array,
    Int64Array,
]:
    """One row for every different stem of each text, in the order of first occurrence.

    `stems` are below `width`. Rows hold the stem, how often it comes, where it stands first, whether it is
    capitalised anywhere, where it stands first in its sentence, and how long that sentence is.
    """
    row_of = np.full(width, -1, np.int64)
    borders = np.zeros(len(indptr), np.int64)
    terms, counts, at = np.empty(1 << 14, np.int64), np.empty(1 << 14, np.int64), np.empty(1 << 14, np.int64)
    capital = np.empty(1 << 14, np.bool_)
    inside, sentence = np.empty(1 << 14, np.int64), np.empty(1 << 14, np.int64)
    end = 0
    for t in range(len(indptr) - 1):
        begin = end
        if used[t]:
            size = end + indptr[t + 1] - indptr[t]
            terms, counts, at = grow(terms, size), grow(counts, size), grow(at, size)
            capital, inside, sentence = grow(capital, size), grow(inside, size), grow(sentence, size)
            opened, started = end, indptr[t]  # the first row and the first token of the current sentence
            for i in range(indptr[t], indptr[t + 1]):
                if flags[i] & SENTENCE_START:
                    sentence[opened:end] = i - started
                    opened, started = end, i
                row = row_of[stems[i]]
                if row < 0:
                    row = end
                    row_of[stems[i]] = row
                    terms[row], counts[row], at[row] = stems[i], 0, i - indptr[t]
                    capital[row], inside[row] = False, i - started
                    end += 1
                counts[row] += 1
                capital[row] |= flags[i] & CAPITALISED != 0
            sentence[opened:end] = indptr[t + 1] - started
            for row in range(begin, end):
                row_of[terms[row]] = -1
        borders[t + 1] = end
    return borders, terms[:end], counts[:end], at[:end], capital[:end], inside[:end], sentence[:end]


@dataclass(frozen=True)
class Terms:
    """The different terms of several texts: text t has rows first[t] to first[t + 1], terms rising."""

    indptr: Int64Array
    terms: (
        Int64Array  # numbers of stems; a stem that the corpus does not know has a negative number of its own
    )
    counts: Int64Array
    at: Int64Array  # where the term stands first
    capital: BoolArray  # capitalised anywhere
    inside: Int64Array  # where it stands first in its sentence
    sentence: Int64Array  # how long that sentence is
    length: Int64Array  # of the text
    documents: Float64Array  # how many of 100,000 documents hold the term
    queries: Float64Array  # how many of 100,000 queries hold it
    held: Mapping[str, BoolArray] = field(default_factory=dict)  # by field: whether the term stands there too
    own: BoolArray | None = None  # of results: whether the term is one of the words that were searched
    number: BoolArray | None = None  # whether the term begins with a digit

    @property
    def owners(self) -> Int64Array:
        """The text of each row."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    @property
    def idf(self) -> Float64Array:
        """How rare each term is: about 11.5 for one that no document holds, 0 for one that all do."""
        rarity: Float64Array = np.log((PER + 1) / (self.documents + 1))
        return rarity

    def only(self, kept: BoolArray) -> "Terms":
        """Only the terms where the mask is true."""
        indptr = make_indptr(kept)[self.indptr]
        held = {name: values[kept] for name, values in self.held.items()}
        own, number = (None if mask is None else mask[kept] for mask in (self.own, self.number))
        columns: dict[str, Any] = {name: getattr(self, name)[kept] for name in _COLUMNS}
        return replace(self, indptr=indptr, held=held, own=own, number=number, **columns)

    def features(self, names: Sequence[str]) -> Float64Array:
        """One line for every term, one column for every feature named."""
        return np.array([self.feature(name) for name in names]).T.reshape(len(self.terms), len(names))

    def feature(self, name: str) -> Float64Array:
        """One feature of every term; a field that no text has is 0."""
        if name in FIELDS:
            return np.asarray(self.held.get(name, np.zeros(len(self.terms))), np.float64)
        return np.asarray(FEATURES[name](self), np.float64)


_COLUMNS = ("terms", "counts", "at", "capital", "inside", "sentence", "length", "documents", "queries")


def _own(terms: Terms) -> NDArray[Any]:
    return np.zeros(len(terms.terms)) if terms.own is None else terms.own


def _number(terms: Terms) -> NDArray[Any]:
    return np.zeros(len(terms.terms)) if terms.number is None else terms.number


FEATURES: dict[str, Callable[[Terms], NDArray[Any]]] = {
    "bias": lambda terms: np.ones(len(terms.terms)),
    "log tf": lambda terms: np.log1p(terms.counts),
    "log df": lambda terms: np.log1p(terms.documents),
    "log qf": lambda terms: np.log1p(terms.queries),
    "capitalized": lambda terms: terms.capital,
    "log position": lambda terms: np.log1p(terms.at),
    "position": lambda terms: terms.at / terms.length,
    "log length": lambda terms: np.log1p(terms.length),
    "tf": lambda terms: terms.counts / terms.length,
    "df": lambda terms: terms.documents / PER,
    "log sentence position": lambda terms: np.log1p(terms.inside),
    "sentence position": lambda terms: terms.inside / terms.sentence,
    "log sentence length": lambda terms: np.log1p(terms.sentence),
    "number": _number,
    "query term": _own,
    "query term idf": lambda terms: _own(terms) * terms.idf,
}


def _digits(letters: UInt32Array) -> BoolArray:
    return (letters >= ord("0")) & (letters <= ord("9"))


@dataclass(frozen=True)
class TermFeatureReader:
    """Reads terms out of texts, with what a corpus and past queries know of them."""

    corpus: Corpus
    query_frequencies: QueryLogFrequencies

    def of_results(self, expansions: Expansions) -> Terms:
        """The terms of each text's results, taken as one text; none where a text is not covered."""
        vocabulary, begin = self.corpus.vocabulary, expansions.windows[expansions.indptr]
        stems = vocabulary.stem[expansions.tokens >> 2].astype(np.int64)
        flags = (expansions.tokens & 3).astype(np.uint8)
        found = self._terms(begin, stems, flags, expansions.covered)
        words = expansions.tokens[begin[found.owners] + found.at] >> 2
        return replace(found, number=_digits(vocabulary.arena[vocabulary.ends[words]]))

    def with_own_words(self, terms: Terms, expansions: Expansions) -> Terms:
        """The terms of results and the words that were searched; a word in no result comes 0 times."""
        queries = expansions.queries
        owners = np.repeat(np.arange(len(queries)), np.diff(queries.indptr))
        covered = expansions.covered[owners]
        asked, stems = owners[covered], queries.stems[covered]
        distinct, place = np.unique(np.concatenate([terms.terms, stems]), return_inverse=True)
        mine = terms.owners * len(distinct) + place[: len(terms.terms)]
        theirs = asked * len(distinct) + place[len(terms.terms) :]
        absent = ~np.isin(theirs, mine)
        numbers, texts = stems[absent], asked[absent]
        length = np.diff(expansions.windows[expansions.indptr])[texts]
        none, never = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.bool_)
        added = Terms(
            terms.indptr,
            numbers,
            none,
            length,
            never,
            none,
            none + 1,
            length,
            self._documents(numbers),
            self.query_frequencies.frequencies(self._hashes(numbers)),
        )
        order = np.lexsort((np.concatenate([terms.terms, numbers]), np.concatenate([terms.owners, texts])))
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(terms, name), getattr(added, name)])[order] for name in _COLUMNS
        }
        indptr = terms.indptr + np.concatenate([[0], np.cumsum(np.bincount(texts, minlength=len(queries)))])
        own = np.concatenate([np.isin(mine, theirs), np.ones(len(numbers), np.bool_)])[order]
        number = None if terms.number is None else np.concatenate([terms.number, never])[order]
        return replace(terms, indptr=indptr.astype(np.int64), own=own, number=number, **columns)

    def of_texts(self, texts: Sequence[str], fields: Mapping[str, Sequence[str]] | None = None) -> Terms:
        """The terms of texts; `fields` gives, by field, the words that stand there for each text."""
        tokens = tokenize(texts)
        found = self._terms(tokens.indptr, self.stem_ids(tokens), tokens.flags, np.ones(len(texts), np.bool_))
        held = {name: self._holding(found, values) for name, values in (fields or {}).items()}
        initials = tokens.codepoints[tokens.begin[tokens.indptr[found.owners] + found.at]]
        return replace(found, held=held, number=_digits(initials))

    def function_words(self) -> Int64Array:
        """The numbers of stems that tell nothing of what a text is about."""
        return np.unique(self.stem_ids(tokenize(sorted(ENGLISH_STOP_WORDS))))

    def stem_ids(self, tokens: Tokens) -> Int64Array:
        """The number of every token's stem, negative where the corpus does not know it."""
        stems, hashes = self.corpus.vocabulary.lookup_stems(tokens)
        return np.where(stems >= 0, stems, -1 - hashes)

    def _holding(self, terms: Terms, values: Sequence[str]) -> BoolArray:
        """Which terms stand in one field of their own text."""
        tokens = tokenize(values)
        numbers = self.stem_ids(tokens)
        distinct, place = np.unique(np.concatenate([terms.terms, numbers]), return_inverse=True)
        theirs = np.repeat(np.arange(len(values)), np.diff(tokens.indptr))
        mine = terms.owners * len(distinct) + place[: len(terms.terms)]
        return np.isin(mine, theirs * len(distinct) + place[len(terms.terms) :])

    def _terms(self, indptr: Int64Array, stems: Int64Array, flags: UInt8Array, used: BoolArray) -> Terms:
        known = self.corpus.vocabulary.count
        strange, place = np.unique(stems[stems < 0], return_inverse=True)
        dense = stems.copy()
        dense[stems < 0] = known + place
        borders, numbers, counts, at, capital, inside, sentence = _occurrences(
            indptr, dense, flags, used, known + len(strange)
        )
        if len(strange):
            numbers = np.concatenate([np.arange(known), strange])[numbers]
        owners = np.repeat(np.arange(len(used)), np.diff(borders))
        order = np.lexsort((numbers, owners))
        terms = numbers[order]
        return Terms(
            borders,
            terms,
            counts[order],
            at[order],
            capital[order],
            inside[order],
            sentence[order],
            length=np.diff(indptr)[owners],
            documents=self._documents(terms),
            queries=self.query_frequencies.frequencies(self._hashes(terms)),
        )

    def _documents(self, terms: Int64Array) -> Float64Array:
        statistics = self.corpus.statistics
        known = terms >= 0
        counts = np.zeros(len(terms))
        counts[known] = statistics.stem_df[terms[known]]
        return counts * (PER / max(1, statistics.documents))

    def _hashes(self, terms: Int64Array) -> Int64Array:
        known = terms >= 0
        hashes = -1 - terms
        hashes[known] = self.corpus.vocabulary.hashes[terms[known]]
        return hashes
