"""Deduplication: every query of a list is a canonical form, or a variant of one.

Queries are taken in the order of `by_preference`. One that has a key in common with a canonical form, and
differs from it in ways that leave the meaning, is its variant; otherwise it is a canonical form itself. So
each variant is one of the canonical form, not of another variant.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from querykin.clustering.variants.canonical_form import by_preference
from querykin.clustering.variants.comparison import Kind, differences
from querykin.clustering.variants.forms import Form, form_of, key_of, signs_of
from querykin.clustering.variants.listed_words import InDocuments, ListedWords
from querykin.clustering.variants.misspellings import is_sure_alone, misspellings
from querykin.clustering.variants.spacing import joined_words
from querykin.compute.arrays import Int64Array
from querykin.text.analyzer import Analyzer

_MAX_CORRECTIONS = 8  # of one query
_MAX_COMPARED = 16  # canonical forms with the same key


@dataclass(frozen=True)
class Deduplication:
    """The canonical form of each query of a list by position, and the reasons of those that have another."""

    canonical: Int64Array
    reasons: Mapping[int, str]


def deduplicate(
    queries: Sequence[str],
    counts: Sequence[int],
    analyzer: Analyzer,
    in_documents: InDocuments | None = None,
) -> Deduplication:
    """Find the variants among distinct queries, given how often each was asked.

    `in_documents` says whether the documents of a corpus have each of some words: those are no misspellings.

    >>> found = deduplicate(["garden hose", "hoses for garden", "rake"], [5, 2, 1], Analyzer.of("en"))
    >>> found.canonical.tolist(), found.reasons
    ([0, 0, 2], {1: 'word order, inflection, function words'})
    """
    forms = _Forms(queries, counts, analyzer, in_documents)
    canonical, reasons = np.arange(len(queries)), dict[int, str]()
    registered: dict[int, list[tuple[int, Form]]] = {}  # canonical forms by the keys of their forms
    for query in forms.by_preference().tolist():
        variant_of = _nearest(forms.of(query), registered, forms.listed)
        if variant_of is not None:
            other, kinds = variant_of
            canonical[query], reasons[query] = other, _reason(queries[query], queries[other], kinds)
            continue
        for form in forms.of_canonical(query):
            same_key = registered.setdefault(key_of(form, forms.listed), [])
            if len(same_key) < _MAX_COMPARED:
                same_key.append((query, form))
    return Deduplication(canonical, reasons)


def _nearest(
    forms: Sequence[Form], registered: Mapping[int, Sequence[tuple[int, Form]]], listed: ListedWords
) -> tuple[int, set[Kind]] | None:
    """The canonical form that differs from a query in the fewest ways, and these; None if there is none."""
    found = [
        (other, kinds)
        for form in forms
        for other, other_form in registered.get(key_of(form, listed), ())
        if (kinds := differences(form, other_form, listed)) is not None
    ]
    return min(found, key=lambda each: len(each[1]), default=None)


def _reason(query: str, canonical: str, kinds: set[Kind]) -> str:
    """The kinds of variation as people read them; two queries of the same words differ in what is between."""
    if not kinds:
        joined = {"".join(text.casefold().replace("-", " ").split()) for text in (query, canonical)}
        kinds = {Kind.SPACING if len(joined) == 1 else Kind.PUNCTUATION}
    return ", ".join(kind for kind in Kind if kind in kinds)


class _Forms:
    """The forms of the queries of a list that may be those of another query."""

    def __init__(
        self,
        queries: Sequence[str],
        counts: Sequence[int],
        analyzer: Analyzer,
        in_documents: InDocuments | None,
    ) -> None:
        self._queries, self._counts = queries, counts
        self.listed = ListedWords(queries, counts, analyzer, in_documents)
        self._misspelt = misspellings(self.listed)
        keys = np.array(
            [key_of(self._plain(number), self.listed) for number in range(len(queries))], np.int64
        )
        distinct, sizes = np.unique(keys, return_counts=True)
        self._shared = set(distinct[sizes > 1].tolist())
        self._joined, self._corrected = dict[int, list[Form]](), dict[int, list[Form]]()
        self._find_alternatives(keys.tolist())
        self._queries_to_compare = [
            number
            for number, key in enumerate(keys.tolist())
            if key in self._shared or number in self._joined or number in self._corrected
        ]

    def by_preference(self) -> Int64Array:
        """The queries that have a key in common with another one, better canonical forms first."""
        return by_preference(
            self._queries_to_compare, self._queries, self._counts, self.listed, self._misspelt
        )

    def of(self, query: int) -> list[Form]:
        """The forms of a query: as it is, with words joined, and with words corrected."""
        return [*self.of_canonical(query), *self._corrected.get(query, ())]

    def of_canonical(self, query: int) -> list[Form]:
        """The forms under which variants find a query."""
        return [self._plain(query), *self._joined.get(query, ())]

    def _plain(self, query: int) -> Form:
        words, text = self.listed.of(query), self._queries[query]
        return form_of(words, signs_of(text) if words else (text,), self.listed)

    def _find_alternatives(self, keys: Sequence[int]) -> None:
        """Keep the forms with joined and corrected words that another query has as it is."""
        present = set(keys)
        for query, own_key in enumerate(keys):
            words, text = self.listed.of(query), self._queries[query]
            misspelt = [word for word in words if word in self._misspelt]
            joined = list(joined_words(words, text, self.listed)) if len(words) > 1 else []
            for kinds, sequences, found in (
                ((Kind.SPACING,), joined, self._joined),
                ((Kind.SPELLING,), self._corrections([words], misspelt), self._corrected),
                ((Kind.SPACING, Kind.SPELLING), self._corrections(joined, misspelt), self._corrected),
            ):
                for sequence in sequences:
                    form = form_of(sequence, signs_of(text), self.listed)._replace(changes=kinds)
                    key = key_of(form, self.listed)
                    if key != own_key and key in present:
                        found.setdefault(query, []).append(form)
                        self._shared.add(key)

    def _corrections(
        self, sequences: Iterable[Sequence[int]], misspelt: Collection[int]
    ) -> Iterator[tuple[int, ...]]:
        """Sequences of words with misspelt ones replaced, each in the first few ways."""
        for words in sequences if misspelt else ():
            choices = [
                (*self._meant(word, alone=len(words) == 1), word) if word in misspelt else (word,)
                for word in words
            ]
            corrections = (each for each in product(*choices) if each != tuple(words))
            yield from islice(corrections, _MAX_CORRECTIONS)

    def _meant(self, typed: int, alone: bool) -> list[int]:
        """The words that may have been meant by a misspelt one."""
        costs = self._misspelt[typed].items()
        return [word for word, cost in costs if not alone or is_sure_alone(typed, word, cost, self.listed)]
