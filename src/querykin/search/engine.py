"""The contract of search engines, and their results."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, UInt64Array, make_indptr
from querykin.compute.jit import njit
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import TokenizedDocuments
from querykin.corpus.statistics import Statistics
from querykin.errors import InputError, WorkspaceError
from querykin.opensearch.settings import OpenSearchSettings
from querykin.progress import SILENT, Progress
from querykin.registry import Registry
from querykin.search.engine_settings import EngineSettings
from querykin.search.kernel_arrays import QueryTerms
from querykin.types import Hit

# The module of each engine: a new engine is one file and one line here.
engines: Registry[type["SearchEngine"]] = Registry(
    "engine",
    {
        "postings": "querykin.search.postings_engine",
        "tantivy": "querykin.search.tantivy_engine",
        "opensearch": "querykin.search.opensearch_engine",
        "mediawiki": "querykin.search.external.mediawiki_engine",
        "searxng": "querykin.search.external.searxng_engine",
        "solr": "querykin.search.external.solr_engine",
        "brave": "querykin.search.external.brave_engine",
        "recorded": "querykin.search.recorded_engine",
    },
)

MAX_QUERY_TERMS = 64  # one bit each in `SearchResults.matched`; of longer texts the rarest terms are searched


@njit
def _idf_coverage(
    indptr: Int64Array, matched: UInt64Array, query_indptr: Int64Array, idf: Float64Array
) -> Float64Array:
    coverage = np.zeros(len(indptr) - 1)
    for q in range(len(coverage)):
        terms = np.uint64(0)
        for r in range(indptr[q], indptr[q + 1]):
            terms |= matched[r]
        mass = 0.0
        for i in range(query_indptr[q], query_indptr[q + 1]):
            mass += idf[i]
        for i in range(query_indptr[q], query_indptr[q + 1]):
            if mass > 0 and (terms >> np.uint64(i - query_indptr[q])) & np.uint64(1):
                coverage[q] += idf[i] / mass
    return coverage


@njit
def _term_coverage(
    indptr: Int64Array, matched: UInt64Array, weights: Float64Array, query_indptr: Int64Array
) -> Float64Array:
    coverage = np.zeros(query_indptr[-1])
    for q in range(len(indptr) - 1):
        total = 0.0
        for r in range(indptr[q], indptr[q + 1]):
            total += weights[r]
        for i in range(query_indptr[q], query_indptr[q + 1]):
            for r in range(indptr[q], indptr[q + 1]):
                if total > 0 and (matched[r] >> np.uint64(i - query_indptr[q])) & np.uint64(1):
                    coverage[i] += weights[r] / total
    return coverage


@dataclass(frozen=True, slots=True)
class ParsedQueries:
    """Queries as bags of stems: query q has terms indptr[q] to indptr[q + 1], by descending idf."""

    texts: tuple[str, ...]
    indptr: Int64Array
    stems: Int64Array  # numbers of the vocabulary; negative for a word that the corpus does not have
    idf: Float64Array

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def arrays(self) -> QueryTerms:
        """The terms, as kernels take them."""
        return QueryTerms(self.indptr, self.stems, self.idf)

    def terms(self, query: int) -> tuple[Int64Array, Float64Array]:
        """The stems of one query and their idf."""
        part = slice(self.indptr[query], self.indptr[query + 1])
        return self.stems[part], self.idf[part]

    def take(self, queries: Sequence[int]) -> "ParsedQueries":
        """The queries with these numbers."""
        terms = [self.terms(query) for query in queries]
        stems = np.concatenate([np.zeros(0, np.int64), *(stems for stems, _ in terms)])
        idf = np.concatenate([np.zeros(0), *(idf for _, idf in terms)])
        texts = tuple(self.texts[query] for query in queries)
        return ParsedQueries(texts, make_indptr(len(idf) for _, idf in terms), stems, idf)


@dataclass(frozen=True, slots=True)
class SearchResults:
    """Ranked documents for several queries: query q has results indptr[q] to indptr[q + 1], best first.

    Result r is document `ordinals[r]` of `segments[segment_ids[r]]`.
    """

    indptr: Int64Array
    documents: Int64Array  # ids that do not depend on segments
    scores: Float64Array
    matched: UInt64Array  # bit masks: bit t is set where the document matches the query's t-th term
    segment_ids: Int64Array
    ordinals: Int64Array
    segments: Sequence[TokenizedDocuments]

    def top(self, limit: int) -> "SearchResults":
        """The best `limit` results of each query."""
        sizes = np.diff(self.indptr)
        if not len(sizes) or sizes.max() <= limit:
            return self
        kept = np.arange(len(self.documents)) - np.repeat(self.indptr[:-1], sizes) < limit
        return self._select(make_indptr(np.minimum(sizes, limit)), kept)

    def of(self, query: int) -> "SearchResults":
        """The results of one query, copied, so that they do not keep those of the others in memory."""
        if len(self.indptr) == 2:  # there are no others
            return self
        chosen = np.arange(self.indptr[query], self.indptr[query + 1])
        return self._select(np.array([0, len(chosen)], np.int64), chosen)

    def _select(self, indptr: Int64Array, chosen: BoolArray | Int64Array) -> "SearchResults":
        return SearchResults(
            indptr,
            self.documents[chosen],
            self.scores[chosen],
            self.matched[chosen],
            self.segment_ids[chosen],
            self.ordinals[chosen],
            self.segments,
        )

    def idf_coverage(self, queries: ParsedQueries, cap: float) -> Float64Array:
        """The share of each query's idf mass that its results match together; idf is capped at `cap`."""
        return _idf_coverage(self.indptr, self.matched, queries.indptr, np.minimum(queries.idf, cap))

    def term_coverage(self, queries: ParsedQueries, weights: Float64Array) -> Float64Array:
        """The share of each query's results, by weight, that match each of its terms."""
        return _term_coverage(self.indptr, self.matched, weights, queries.indptr)


def concatenate_results(parts: Sequence[SearchResults]) -> SearchResults:
    """The results of several queries, each part as one query."""
    if len(parts) == 1 and len(parts[0].indptr) == 2:
        return parts[0]
    segments: dict[int, tuple[int, TokenizedDocuments]] = {}
    segment_ids = [np.zeros(0, np.int64)]
    for part in parts:
        numbers = [segments.setdefault(id(each), (len(segments), each))[0] for each in part.segments]
        segment_ids.append(np.array(numbers, np.int64)[part.segment_ids] if numbers else part.segment_ids)
    return SearchResults(
        make_indptr(len(part.documents) for part in parts),
        np.concatenate([np.zeros(0, np.int64), *(part.documents for part in parts)]),
        np.concatenate([np.zeros(0), *(part.scores for part in parts)]),
        np.concatenate([np.zeros(0, np.uint64), *(part.matched for part in parts)]),
        np.concatenate(segment_ids),
        np.concatenate([np.zeros(0, np.int64), *(part.ordinals for part in parts)]),
        [segment for _, segment in segments.values()],
    )


class EngineOutOfStep(WorkspaceError):
    """An engine with an index of its own lacks documents of the corpus, or has others."""


class SearchEngine(ABC):
    """Anything that returns ranked documents for a query."""

    @classmethod
    def for_corpus(cls, corpus: Corpus, path: str = "") -> Self:
        """The engine that `[engine]` of the settings chooses; `path` is the file it reads, if any."""
        raise InputError(f"the engine {cls.__name__} cannot be chosen by [engine] kind")

    @classmethod
    def for_settings(
        cls,
        corpus: Corpus,
        settings: EngineSettings,
        opensearch: OpenSearchSettings,
        folder: Path,
        progress: Progress = SILENT,
    ) -> "SearchEngine":
        """The same, from all of the settings; `folder` is that of the workspace."""
        return cls.for_corpus(corpus, settings.path)

    @classmethod
    def class_for(cls, settings: EngineSettings) -> "type[SearchEngine]":
        """The class of the engine under these settings, where there are several of one kind."""
        return cls

    @classmethod
    def send_documents(
        cls,
        corpus: Corpus,
        settings: EngineSettings,
        opensearch: OpenSearchSettings,
        progress: Progress,
        dry_run: bool = False,
    ) -> int:
        """Bring an engine that has an index of its own in step with the corpus.

        Returns the number of documents that were sent or deleted; with `dry_run` of those that would be.
        """
        return 0

    @abstractmethod
    def search(self, query: str, limit: int) -> list[Hit]:
        """The best documents for a query, best first; an engine without scores gives 1.0 to all."""

    def search_many(self, queries: Sequence[str], limit: int) -> list[list[Hit]]:
        """The best documents for several queries."""
        return [self.search(query, limit) for query in queries]

    def prefetch(self, queries: Sequence[str]) -> None:
        """Ask for queries that are searched for later; engines elsewhere store the replies."""
        self.search_many(queries, 1)

    reports_frequencies: ClassVar[bool] = False

    def document_frequencies(self, words: Sequence[str]) -> tuple[int, Int64Array]:
        """The number of documents that the engine has, and of those with each word, if it reports them."""
        raise NotImplementedError

    def info(self) -> dict[str, Any]:
        """What is stored of an engine that is asked over a network."""
        return {}

    def missing(self, queries: Sequence[str]) -> list[str]:
        """The queries that can be answered only over a network."""
        return []


def engine_class(settings: EngineSettings) -> type[SearchEngine]:
    """The class of the engine that the settings choose."""
    return engines[settings.kind].class_for(settings)


class CorpusEngine(SearchEngine):
    """An engine over the corpus of the workspace: its results are positions in the token store."""

    @abstractmethod
    def search_documents(self, queries: ParsedQueries, limit: int, since: int = 0) -> SearchResults:
        """The best documents for several queries, of those with ids from `since` on; ties by id."""

    @abstractmethod
    def with_statistics(self, statistics: Statistics) -> Self:
        """The same documents, ranked with other corpus statistics."""
