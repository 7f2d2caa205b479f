"""What every search engine offers, and the shape of its answers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from querykin.compiled import Bits, Longs, Reals, compiled, ragged
from querykin.corpus.segment import TokenisedDocuments
from querykin.corpus.statistics import Statistics
from querykin.records import Hit
from querykin.registry import Registry

engines: Registry[type["SearchEngine"]] = Registry("engine")

QUERY_TERMS = 64  # of a longer text the heaviest terms are searched: one bit each in `Results.matched`


@compiled
def _held_mass(first: Longs, matched: Bits, terms: Longs, idf: Reals) -> Reals:
    share = np.zeros(len(first) - 1)
    for t in range(len(share)):
        held = np.uint64(0)
        for r in range(first[t], first[t + 1]):
            held |= matched[r]
        mass = idf[terms[t] : terms[t + 1]].sum()
        for i in range(terms[t], terms[t + 1]):
            if mass > 0 and (held >> np.uint64(i - terms[t])) & np.uint64(1):
                share[t] += idf[i] / mass
    return share


@compiled
def _held_terms(first: Longs, matched: Bits, shares: Reals, terms: Longs) -> Reals:
    held = np.zeros(terms[-1])
    for t in range(len(first) - 1):
        total = shares[first[t] : first[t + 1]].sum()
        for i in range(terms[t], terms[t + 1]):
            for r in range(first[t], first[t + 1]):
                if total > 0 and (matched[r] >> np.uint64(i - terms[t])) & np.uint64(1):
                    held[i] += shares[r] / total
    return held


@dataclass(frozen=True, slots=True)
class Queries:
    """Texts as a search engine sees them: distinct stems with their idf, the heaviest first."""

    texts: tuple[str, ...]
    first: Longs
    stems: Longs  # below 0: a word the corpus does not know
    idf: Reals

    def __len__(self) -> int:
        return len(self.texts)

    def terms(self, text: int) -> tuple[Longs, Reals]:
        """The stems of one text and their idf."""
        part = slice(self.first[text], self.first[text + 1])
        return self.stems[part], self.idf[part]

    def take(self, texts: Sequence[int]) -> "Queries":
        """Some of the texts."""
        terms = [self.terms(text) for text in texts]
        stems = np.concatenate([np.zeros(0, np.int64), *(stems for stems, _ in terms)])
        idf = np.concatenate([np.zeros(0), *(idf for _, idf in terms)])
        return Queries(tuple(self.texts[t] for t in texts), ragged(len(idf) for _, idf in terms), stems, idf)


@dataclass(frozen=True, slots=True)
class Results:
    """The documents found for several texts, best first: text t has results first[t] to first[t + 1].

    Result r is the document at places[r] of segments[holders[r]].
    """

    first: Longs
    documents: Longs
    scores: Reals
    matched: Bits  # bit i: the document holds the text's i-th heaviest term
    holders: Longs
    places: Longs
    segments: Sequence[TokenisedDocuments]

    def top(self, limit: int) -> "Results":
        """The best results of each text only."""
        sizes = np.diff(self.first)
        kept = np.arange(len(self.documents)) - np.repeat(self.first[:-1], sizes) < limit
        first = ragged(np.minimum(sizes, limit))
        return Results(first, self.documents[kept], self.scores[kept], self.matched[kept],
                       self.holders[kept], self.places[kept], self.segments)  # fmt: skip

    def of(self, text: int) -> "Results":
        """The results of one text, copied: they do not keep those of the others in memory."""
        part = slice(self.first[text], self.first[text + 1])
        first = np.array([0, part.stop - part.start], np.int64)
        return Results(first, self.documents[part].copy(), self.scores[part].copy(),
                       self.matched[part].copy(), self.holders[part].copy(), self.places[part].copy(),
                       self.segments)  # fmt: skip

    def held_mass(self, queries: Queries, cap: float) -> Reals:
        """The share of each text's idf mass that its results hold together; no term counts above cap."""
        return _held_mass(self.first, self.matched, queries.first, np.minimum(queries.idf, cap))

    def held_terms(self, queries: Queries, shares: Reals) -> Reals:
        """For each term of the queries the share of the results, weighted, that hold it."""
        return _held_terms(self.first, self.matched, shares, queries.first)


def join_results(parts: Sequence[Results]) -> Results:
    """The results of several texts, one behind the other."""
    segments: dict[int, tuple[int, TokenisedDocuments]] = {}
    holders = [np.zeros(0, np.int64)]
    for part in parts:
        names = [segments.setdefault(id(held), (len(segments), held))[0] for held in part.segments]
        holders.append(np.array(names, np.int64)[part.holders] if names else part.holders)
    return Results(
        ragged(len(part.documents) for part in parts),
        np.concatenate([np.zeros(0, np.int64), *(part.documents for part in parts)]),
        np.concatenate([np.zeros(0), *(part.scores for part in parts)]),
        np.concatenate([np.zeros(0, np.uint64), *(part.matched for part in parts)]),
        np.concatenate(holders),
        np.concatenate([np.zeros(0, np.int64), *(part.places for part in parts)]),
        [held for _, held in segments.values()],
    )


class SearchEngine(ABC):
    """Anything that answers a query with documents."""

    @abstractmethod
    def search(self, query: str, limit: int) -> list[Hit]:
        """The best documents for a query, best first; an engine without scores gives 1.0 to all."""


class CorpusEngine(SearchEngine):
    """An engine over the workspace's own corpus: it answers with places in the token store."""

    @abstractmethod
    def search_ids(self, queries: Queries, limit: int, since: int = 0) -> Results:
        """The best documents for several texts, of those with serials from `since` on; ties by serial."""

    @abstractmethod
    def weighted_by(self, statistics: Statistics) -> Self:
        """The same documents, ranked by another table of statistics."""
