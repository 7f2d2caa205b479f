"""What every search engine offers, and the shape of its answers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, UInt64Array, make_indptr
from querykin.compute.jit import njit
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import TokenizedDocuments
from querykin.corpus.statistics import Statistics
from querykin.errors import InputError
from querykin.registry import Registry
from querykin.types import Hit

# The module of each engine: a new engine is one file and one line here.
engines: Registry[type["SearchEngine"]] = Registry(
    "engine",
    {"tantivy": "querykin.search.tantivy_engine", "recorded": "querykin.search.recorded_engine"},
)

QUERY_TERMS = 64  # of a longer text the heaviest terms are searched: one bit each in `Results.matched`


@njit
def _held_mass(
    indptr: Int64Array, matched: UInt64Array, terms: Int64Array, idf: Float64Array
) -> Float64Array:
    share = np.zeros(len(indptr) - 1)
    for t in range(len(share)):
        held = np.uint64(0)
        for r in range(indptr[t], indptr[t + 1]):
            held |= matched[r]
        mass = idf[terms[t] : terms[t + 1]].sum()
        for i in range(terms[t], terms[t + 1]):
            if mass > 0 and (held >> np.uint64(i - terms[t])) & np.uint64(1):
                share[t] += idf[i] / mass
    return share


@njit
def _held_terms(
    indptr: Int64Array, matched: UInt64Array, shares: Float64Array, terms: Int64Array
) -> Float64Array:
    held = np.zeros(terms[-1])
    for t in range(len(indptr) - 1):
        total = shares[indptr[t] : indptr[t + 1]].sum()
        for i in range(terms[t], terms[t + 1]):
            for r in range(indptr[t], indptr[t + 1]):
                if total > 0 and (matched[r] >> np.uint64(i - terms[t])) & np.uint64(1):
                    held[i] += shares[r] / total
    return held


@dataclass(frozen=True, slots=True)
class Queries:
    """Texts as a search engine sees them: distinct stems with their idf, the heaviest first."""

    texts: tuple[str, ...]
    indptr: Int64Array
    stems: Int64Array  # below 0: a word the corpus does not know
    idf: Float64Array

    def __len__(self) -> int:
        return len(self.texts)

    def terms(self, text: int) -> tuple[Int64Array, Float64Array]:
        """The stems of one text and their idf."""
        part = slice(self.indptr[text], self.indptr[text + 1])
        return self.stems[part], self.idf[part]

    def take(self, texts: Sequence[int]) -> "Queries":
        """Some of the texts."""
        terms = [self.terms(text) for text in texts]
        stems = np.concatenate([np.zeros(0, np.int64), *(stems for stems, _ in terms)])
        idf = np.concatenate([np.zeros(0), *(idf for _, idf in terms)])
        return Queries(
            tuple(self.texts[t] for t in texts), make_indptr(len(idf) for _, idf in terms), stems, idf
        )


@dataclass(frozen=True, slots=True)
class Results:
    """The documents found for several texts, best first: text t has results first[t] to first[t + 1].

    Result r is the document at places[r] of segments[holders[r]].
    """

    indptr: Int64Array
    documents: Int64Array
    scores: Float64Array
    matched: UInt64Array  # bit i: the document holds the text's i-th heaviest term
    segment_ids: Int64Array
    ordinals: Int64Array
    segments: Sequence[TokenizedDocuments]

    def top(self, limit: int) -> "Results":
        """The best results of each text only."""
        sizes = np.diff(self.indptr)
        kept = np.arange(len(self.documents)) - np.repeat(self.indptr[:-1], sizes) < limit
        indptr = make_indptr(np.minimum(sizes, limit))
        return Results(
            indptr,
            self.documents[kept],
            self.scores[kept],
            self.matched[kept],
            self.segment_ids[kept],
            self.ordinals[kept],
            self.segments,
        )

    def of(self, text: int) -> "Results":
        """The results of one text, copied: they do not keep those of the others in memory."""
        part = slice(self.indptr[text], self.indptr[text + 1])
        indptr = np.array([0, part.stop - part.start], np.int64)
        return Results(
            indptr,
            self.documents[part].copy(),
            self.scores[part].copy(),
            self.matched[part].copy(),
            self.segment_ids[part].copy(),
            self.ordinals[part].copy(),
            self.segments,
        )

    def idf_coverage(self, queries: Queries, cap: float) -> Float64Array:
        """The share of each text's idf mass that its results hold together; no term counts above cap."""
        return _held_mass(self.indptr, self.matched, queries.indptr, np.minimum(queries.idf, cap))

    def term_coverage(self, queries: Queries, shares: Float64Array) -> Float64Array:
        """For each term of the queries the share of the results, weighted, that hold it."""
        return _held_terms(self.indptr, self.matched, shares, queries.indptr)


def concatenate_results(parts: Sequence[Results]) -> Results:
    """The results of several texts, one behind the other."""
    segments: dict[int, tuple[int, TokenizedDocuments]] = {}
    segment_ids = [np.zeros(0, np.int64)]
    for part in parts:
        names = [segments.setdefault(id(held), (len(segments), held))[0] for held in part.segments]
        segment_ids.append(np.array(names, np.int64)[part.segment_ids] if names else part.segment_ids)
    return Results(
        make_indptr(len(part.documents) for part in parts),
        np.concatenate([np.zeros(0, np.int64), *(part.documents for part in parts)]),
        np.concatenate([np.zeros(0), *(part.scores for part in parts)]),
        np.concatenate([np.zeros(0, np.uint64), *(part.matched for part in parts)]),
        np.concatenate(segment_ids),
        np.concatenate([np.zeros(0, np.int64), *(part.ordinals for part in parts)]),
        [held for _, held in segments.values()],
    )


class SearchEngine(ABC):
    """Anything that answers a query with documents."""

    @classmethod
    def for_corpus(cls, corpus: Corpus, path: str = "") -> Self:
        """The engine as `[engine]` of the settings chooses it; `path` is the file it reads, if it reads one."""
        raise InputError(f"the engine {cls.__name__} cannot be chosen by [engine] kind")

    @abstractmethod
    def search(self, query: str, limit: int) -> list[Hit]:
        """The best documents for a query, best first; an engine without scores gives 1.0 to all."""


class CorpusEngine(SearchEngine):
    """An engine over the workspace's own corpus: it answers with places in the token store."""

    @abstractmethod
    def search_documents(self, queries: Queries, limit: int, since: int = 0) -> Results:
        """The best documents for several texts, of those with serials from `since` on; ties by serial."""

    @abstractmethod
    def with_statistics(self, statistics: Statistics) -> Self:
        """The same documents, ranked by another table of statistics."""
