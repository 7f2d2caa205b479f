"""Features of the terms of a text: frequencies, positions, capitalization, and use in documents and queries.

They are the input of learned term weights (Yih, Goodman & Carvalho 2006; Yih 2009), for documents and for the
results of a search as one text. Terms are stems.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import (
    BoolArray,
    Float64Array,
    Int64Array,
    UInt8Array,
    UInt32Array,
    make_indptr,
)
from querykin.compute.jit import njit
from querykin.corpus.corpus import Corpus
from querykin.querylog.document_frequencies import PER, QueryLogFrequencies
from querykin.search.expansion import Expansions
from querykin.text.tokenizer import CAPITALISED, SENTENCE_START, Tokens, tokens_of_words

FIELDS = ("title", "url", "anchor", "keywords", "description")  # parts of a page that may have the term too


class Occurrences(NamedTuple):
    """The distinct stems of texts: text t has rows indptr[t] to indptr[t + 1]."""

    indptr: Int64Array
    stems: Int64Array
    counts: Int64Array
    first_position: Int64Array
    capitalized: BoolArray
    sentence_position: Int64Array
    sentence_length: Int64Array


@njit
def _occurrences(
    indptr: Int64Array, stems: Int64Array, flags: UInt8Array, used: BoolArray, width: int
) -> Occurrences:
    """The distinct stems of each text that is used, by first occurrence; `stems` are below `width`."""
    row_of = np.full(width, -1, np.int64)
    out_indptr = np.zeros(len(indptr), np.int64)
    most = len(stems)  # only what is used of these arrays takes memory
    terms, counts = np.empty(most, np.int64), np.empty(most, np.int64)
    position, capitalized = np.empty(most, np.int64), np.empty(most, np.bool_)
    in_sentence, length = np.empty(most, np.int64), np.empty(most, np.int64)
    end = 0
    for t in range(len(indptr) - 1):
        begin = end
        if used[t]:
            sentence_row, sentence_token = end, indptr[t]  # the first row and token of the sentence
            for i in range(indptr[t], indptr[t + 1]):
                if flags[i] & SENTENCE_START:
                    for row in range(sentence_row, end):
                        length[row] = i - sentence_token
                    sentence_row, sentence_token = end, i
                row = row_of[stems[i]]
                if row < 0:
                    row = end
                    row_of[stems[i]] = row
                    terms[row], counts[row], position[row] = stems[i], 0, i - indptr[t]
                    capitalized[row], in_sentence[row] = False, i - sentence_token
                    end += 1
                counts[row] += 1
                capitalized[row] |= flags[i] & CAPITALISED != 0
            for row in range(sentence_row, end):
                length[row] = indptr[t + 1] - sentence_token
            for row in range(begin, end):
                row_of[terms[row]] = -1
        out_indptr[t + 1] = end
    return Occurrences(
        out_indptr,
        terms[:end],
        counts[:end],
        position[:end],
        capitalized[:end],
        in_sentence[:end],
        length[:end],
    )


@dataclass(frozen=True)
class TermTable:
    """The distinct terms of texts: text t has rows indptr[t] to indptr[t + 1], ascending by term."""

    indptr: Int64Array
    terms: Int64Array  # numbers of stems; distinct negative numbers for stems that the corpus does not have
    counts: Int64Array
    first_position: Int64Array  # of the term in the text
    capitalized: BoolArray  # anywhere
    sentence_position: Int64Array  # of the first occurrence, in its sentence
    sentence_length: Int64Array  # of that sentence
    length: Int64Array  # of the text
    documents: Float64Array  # with the term, per 100,000
    queries: Float64Array  # with the term, per 100,000
    in_field: Mapping[str, BoolArray] = field(default_factory=dict)  # whether a field has the term, by field
    is_query_term: BoolArray | None = None  # of results: whether the term is one of the words searched for
    number: BoolArray | None = None  # whether the term begins with a digit

    @property
    def owners(self) -> Int64Array:
        """The text of each row."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    @property
    def idf(self) -> Float64Array:
        """Inverse document frequency: about 11.5 for a term of no document, 0 for a term of all."""
        idf: Float64Array = np.log((PER + 1) / (self.documents + 1))
        return idf

    def only(self, mask: BoolArray) -> "TermTable":
        """The terms where the mask is true."""
        indptr = make_indptr(mask)[self.indptr]
        in_field = {name: values[mask] for name, values in self.in_field.items()}
        flags = {name: getattr(self, name) for name in ("is_query_term", "number")}
        columns: dict[str, Any] = {name: getattr(self, name)[mask] for name in _COLUMNS}
        columns |= {name: None if values is None else values[mask] for name, values in flags.items()}
        return replace(self, indptr=indptr, in_field=in_field, **columns)

    def features(self, names: Sequence[str]) -> Float64Array:
        """A matrix with one row per term and one column per feature named."""
        return np.array([self.feature(name) for name in names]).T.reshape(len(self.terms), len(names))

    def feature(self, name: str) -> Float64Array:
        """One feature of every term; a field that was not given is 0."""
        if name in FIELDS:
            return np.asarray(self.in_field.get(name, np.zeros(len(self.terms))), np.float64)
        return np.asarray(FEATURES[name](self), np.float64)


_COLUMNS = ("terms", *Occurrences._fields[2:], "length", "documents", "queries")


def _is_query_term(terms: TermTable) -> NDArray[Any]:
    return np.zeros(len(terms.terms)) if terms.is_query_term is None else terms.is_query_term


def _number(terms: TermTable) -> NDArray[Any]:
    return np.zeros(len(terms.terms)) if terms.number is None else terms.number


FEATURES: dict[str, Callable[[TermTable], NDArray[Any]]] = {
    "bias": lambda terms: np.ones(len(terms.terms)),
    "log tf": lambda terms: np.log1p(terms.counts),
    "log df": lambda terms: np.log1p(terms.documents),
    "log qf": lambda terms: np.log1p(terms.queries),
    "capitalized": lambda terms: terms.capitalized,
    "log position": lambda terms: np.log1p(terms.first_position),
    "position": lambda terms: terms.first_position / terms.length,
    "log length": lambda terms: np.log1p(terms.length),
    "tf": lambda terms: terms.counts / terms.length,
    "df": lambda terms: terms.documents / PER,
    "log sentence position": lambda terms: np.log1p(terms.sentence_position),
    "sentence position": lambda terms: terms.sentence_position / terms.sentence_length,
    "log sentence length": lambda terms: np.log1p(terms.sentence_length),
    "number": _number,
    "query term": _is_query_term,
    "query term idf": lambda terms: _is_query_term(terms) * terms.idf,
}


def _is_digit(codepoints: UInt32Array) -> BoolArray:
    return (codepoints >= ord("0")) & (codepoints <= ord("9"))


@dataclass(frozen=True)
class TermFeatureReader:
    """Extracts the terms of texts, with their frequencies in a corpus and in a query log."""

    corpus: Corpus
    query_frequencies: QueryLogFrequencies

    def of_results(self, expansions: Expansions) -> TermTable:
        """The terms of each text's results as one text; none where a text is not covered."""
        vocabulary, begin = self.corpus.vocabulary, expansions.windows[expansions.indptr]
        stems = vocabulary.stem[expansions.tokens >> 2].astype(np.int64)
        flags = (expansions.tokens & 3).astype(np.uint8)
        found = self._terms(begin, stems, flags, expansions.covered)
        words = expansions.tokens[begin[found.owners] + found.first_position] >> 2
        return replace(found, number=_is_digit(vocabulary.arena[vocabulary.ends[words]]))

    def with_own_words(self, terms: TermTable, expansions: Expansions) -> TermTable:
        """The terms of results and the query terms; a query term in no result has the count 0."""
        queries = expansions.queries
        owners = np.repeat(np.arange(len(queries)), np.diff(queries.indptr))
        covered = expansions.covered[owners]
        owners, stems = owners[covered], queries.stems[covered]
        distinct, inverse = np.unique(np.concatenate([terms.terms, stems]), return_inverse=True)
        table_keys = terms.owners * len(distinct) + inverse[: len(terms.terms)]
        query_keys = owners * len(distinct) + inverse[len(terms.terms) :]
        absent = ~np.isin(query_keys, table_keys)
        numbers, texts = stems[absent], owners[absent]
        length = np.diff(expansions.windows[expansions.indptr])[texts]
        zeros, false = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.bool_)
        added = TermTable(
            terms.indptr,
            numbers,
            counts=zeros,
            first_position=length,
            capitalized=false,
            sentence_position=zeros,
            sentence_length=zeros + 1,
            length=length,
            documents=self._documents(numbers),
            queries=self.query_frequencies.frequencies(self._hashes(numbers)),
        )
        order = np.lexsort((np.concatenate([terms.terms, numbers]), np.concatenate([terms.owners, texts])))
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(terms, name), getattr(added, name)])[order] for name in _COLUMNS
        }
        indptr = terms.indptr + np.concatenate([[0], np.cumsum(np.bincount(texts, minlength=len(queries)))])
        is_query_term = np.concatenate([np.isin(table_keys, query_keys), ~false])[order]
        number = None if terms.number is None else np.concatenate([terms.number, false])[order]
        return replace(
            terms, indptr=indptr.astype(np.int64), is_query_term=is_query_term, number=number, **columns
        )

    def of_texts(self, texts: Sequence[str], fields: Mapping[str, Sequence[str]] | None = None) -> TermTable:
        """The terms of texts; `fields` has, by field, the field's content for each text."""
        tokens = self.corpus.analyzer.tokenize(texts)
        found = self._terms(tokens.indptr, self.stem_ids(tokens), tokens.flags, np.ones(len(texts), np.bool_))
        in_field = {name: self._in_field(found, values) for name, values in (fields or {}).items()}
        initials = tokens.codepoints[tokens.begin[tokens.indptr[found.owners] + found.first_position]]
        return replace(found, in_field=in_field, number=_is_digit(initials))

    def function_words(self) -> Int64Array:
        """The stems of stop words."""
        return np.unique(self.stem_ids(tokens_of_words(sorted(self.corpus.analyzer.function_words))))

    def stem_ids(self, tokens: Tokens) -> Int64Array:
        """The number of every token's stem, negative where the corpus does not have it."""
        stems, hashes = self.corpus.vocabulary.lookup_stems(tokens)
        return np.where(stems >= 0, stems, -1 - hashes)

    def _in_field(self, terms: TermTable, values: Sequence[str]) -> BoolArray:
        """Which terms are in one field of their text."""
        tokens = self.corpus.analyzer.tokenize(values)
        stems = self.stem_ids(tokens)
        distinct, inverse = np.unique(np.concatenate([terms.terms, stems]), return_inverse=True)
        owners = np.repeat(np.arange(len(values)), np.diff(tokens.indptr))
        table_keys = terms.owners * len(distinct) + inverse[: len(terms.terms)]
        return np.isin(table_keys, owners * len(distinct) + inverse[len(terms.terms) :])

    def _terms(self, indptr: Int64Array, stems: Int64Array, flags: UInt8Array, used: BoolArray) -> TermTable:
        known = self.corpus.vocabulary.count
        unknown, inverse = np.unique(stems[stems < 0], return_inverse=True)
        dense = stems.copy()
        dense[stems < 0] = known + inverse
        found = _occurrences(indptr, dense, flags, used, known + len(unknown))
        numbers = found.stems
        if len(unknown):
            numbers = np.concatenate([np.arange(known), unknown])[numbers]
        owners = np.repeat(np.arange(len(used)), np.diff(found.indptr))
        order = np.lexsort((numbers, owners))
        terms = numbers[order]
        return TermTable(
            found.indptr,
            terms,
            found.counts[order],
            found.first_position[order],
            found.capitalized[order],
            found.sentence_position[order],
            found.sentence_length[order],
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
