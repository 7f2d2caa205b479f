"""Retrieval of the nearest queries: by an index, a cascade of indexes, brute force, or re-ranking."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.corpus.corpus import Corpus
from querykin.errors import WorkspaceError
from querykin.index.builder import index_settings, source_ids, with_pinned_statistics
from querykin.index.index import Index
from querykin.index.quantized_matrix import levels_of
from querykin.index.ranking import Ranking, best, union_of_missing
from querykin.index.shard import Shard
from querykin.measures.base import BruteForceMeasure, Measure, RerankingMeasure
from querykin.measures.cascade import Cascade
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.vector_measure import VectorMeasure
from querykin.querylog.repository import Repository
from querykin.retrieval.dense_sums import MANY, DensePart, nothing_listed, reaching_sums
from querykin.retrieval.row_cache import RowCache
from querykin.types import Explanation
from querykin.vectors import Vectors, concatenate

FIRST_STAGE_DEPTH = 100  # candidates of each first-stage retriever that a combination re-ranks


class CandidateScorer(ABC):
    """Scores queries of a repository under one measure."""

    measure: Measure
    repository: Repository

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """The scores of a query against queries of the repository, given by id."""
        return self.measure.score(query, self.repository.queries(query_ids))


class Retriever(CandidateScorer):
    """Finds the nearest queries of a repository under one measure."""

    @abstractmethod
    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """For each query, the k nearest that score `min_score` or more and were asked `min_count` times.

        Ties are ordered by count, then text.
        """

    @property
    def index_retrievers(self) -> Sequence["IndexRetriever"]:
        """Those of its parts that search an index, in an order that depends on the measure only."""
        return ()

    def as_suggestions(self, query: str, ranking: Ranking) -> Ranking:
        """The ranking of candidates as suggestions, which may differ from that of the measure."""
        return ranking

    def lowest_score(self, probability: float) -> float:
        """No candidate with a lower score has this probability of being a good suggestion."""
        return -np.inf

    def are_paraphrases(self, query_id: int, others: Sequence[int]) -> bool:
        """Whether a query of the repository says the same as one of the others; here it is not known."""
        return False

    def explain(self, query: str, candidate: str) -> Explanation:
        """The explanation of a candidate's score as a suggestion."""
        return self.measure.explain(query, candidate)


@dataclass(frozen=True)
class PairwiseScorer(CandidateScorer):
    """Scores pairs of texts, for measures that have no index."""

    measure: Measure
    repository: Repository


@dataclass(frozen=True)
class IndexRetriever(Retriever):
    """Exact search of an index of the candidates' rows."""

    index: Index
    corpus: Corpus
    repository: Repository
    current: VectorMeasure  # over the current corpus

    @cached_property
    def measure(self) -> VectorMeasure:  # type: ignore[override]
        """The measure with the statistics that the index was built with."""
        measure, committed = self.current, self.index.committed
        corpus = measure.expander.corpus if isinstance(measure, ExpansionMeasure) else self.corpus
        settings, sources = index_settings(measure), source_ids(corpus, self.repository)
        if committed and (committed.index_settings, committed.source_ids) != (settings, sources):
            raise WorkspaceError(
                f"the index of {measure.name} was built with other settings, counts or documents; next: "
                f"querykin build --measures {measure.name}, with the same --config "
                f"(built: {committed.index_settings}; now: {settings})"
            )
        return with_pinned_statistics(measure, self.index, corpus).pinned()

    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """The k nearest queries, identical to scoring every candidate; removed queries are excluded."""
        step = max(1, self.measure.batch // 16)
        rankings: list[Ranking] = []
        for begin in range(0, len(queries), step):  # bounds the memory of encoded queries
            rows = self.encode(queries[begin : begin + step])
            search = self._search_together if self._multiplies(rows) else self.search_rows
            rankings += search(rows, k, min_score, min_count)
        return rankings

    def search_rows(self, rows: Vectors, k: int, min_score: float, min_count: int) -> list[Ranking]:
        """The same for encoded queries."""
        live = self.index.live_rows(self.repository, min_count)
        return self.index.search(self.measure, rows, k, self.repository, live, min_score)

    def _multiplies(self, rows: Vectors) -> bool:
        """Whether scores are inner products of dense rows with every candidate, and queries are many."""
        measure, plain = self.measure, type(self.measure).score_from_dot is VectorMeasure.score_from_dot
        products = measure.layout == "dense" and measure.scores_all_rows and not measure.kernel and plain
        return products and len(rows) >= MANY

    def _search_together(self, rows: Vectors, k: int, min_score: float, min_count: int) -> list[Ranking]:
        """The same for many queries over dense rows."""
        eligible, first = self.index.filled_queries(self.repository, min_count), self._first_id
        part = self.dense_part(rows, np.ones(len(rows)), np.ones(len(eligible)))
        none = nothing_listed(len(rows), len(eligible))
        rankings = []
        for row, found in enumerate(reaching_sums([part], none, eligible, k, min_score)):
            if not part.scales[row]:
                rankings.append(Ranking.none(covered=False))
            elif found is None:
                rankings += self.search_rows(rows.take(np.array([row])), k, min_score, min_count)
            else:
                rankings.append(best([(first + found.positions, found.sums)], k, self.repository, min_score))
        return rankings

    @property
    def _first_id(self) -> int:
        """The id of the first candidate."""
        return self.index.ids(self.repository).start

    def dense_part(self, rows: Vectors, weights: Float64Array, candidate_weights: Float64Array) -> DensePart:
        """The rows of queries and candidates as a part of a sum."""
        columns, (levels, scales), first = self.index.columns, levels_of(rows), self._first_id
        fitted = np.zeros((len(rows), columns), np.int8)
        fitted[:, : levels.shape[1]] = levels[:, :columns]
        return DensePart(
            fitted,
            scales,
            weights,
            lambda positions: self.index.quantized_rows(first + positions, self.repository),
            candidate_weights,
        )

    @cached_property
    def encoded(self) -> RowCache:
        """Rows of queries that need not be encoded again."""
        return RowCache()

    @property
    def index_retrievers(self) -> Sequence["IndexRetriever"]:
        """Itself."""
        return (self,)

    def encode(self, queries: Sequence[str]) -> Vectors:
        """The rows of queries; those of the repository are read from the index, where they are up to date."""
        known = self.encoded.find(queries)
        return self._encode(queries) if known is None else known

    def _encode(self, queries: Sequence[str]) -> Vectors:
        ids = self.repository.ids_of(queries) if self._keeps_queries else np.zeros(0, np.int64)
        if not (ids >= 0).any():
            return self.measure.encode_queries(queries)
        same, found = np.zeros(len(ids), np.bool_), np.flatnonzero(ids >= 0)
        stored = zip(found.tolist(), self.repository.queries(ids[found]), strict=True)
        same[found] = [queries[number] == text for number, text in stored]
        known, rows = self.index.find_rows(np.where(same, ids, -1), self.repository)
        others = np.setdiff1d(np.arange(len(queries)), known)
        if len(others):
            rows = concatenate([rows, self.measure.encode_queries([queries[number] for number in others])])
        return rows.take(np.argsort(np.concatenate([known, others])))

    @property
    def _keeps_queries(self) -> bool:
        """Whether the index holds rows that encoding a query of the repository again would give."""
        measure, committed = self.current, self.index.committed
        if committed is None or measure.encodes_queries or measure.layout == "postings":
            return False
        if not isinstance(measure, ExpansionMeasure):
            return True
        return committed.corpus_version == measure.expander.corpus.statistics.version

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """The scores, computed from the rows of the index."""
        return self.row_scores(self.encode([query]), query_ids)

    def row_scores(self, row: Vectors, query_ids: Int64Array) -> Float64Array:
        """The same for an encoded query."""
        return self.index.scores(self.measure, row, query_ids, self.repository)


@dataclass(frozen=True)
class CascadeRetriever(Retriever):
    """Concatenates the results of several tiers; a candidate of two tiers keeps its higher rank."""

    cascade: Cascade
    repository: Repository
    parts: tuple[IndexRetriever, ...]

    @property
    def index_retrievers(self) -> Sequence[IndexRetriever]:
        """Those of the tiers."""
        return self.parts

    @cached_property
    def measure(self) -> Cascade:  # type: ignore[override]
        """The cascade with the statistics of the indexes."""
        return replace(self.cascade, parts=tuple(part.measure for part in self.parts))

    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """The k nearest, merged from the k nearest of each tier."""
        tiers = [part.search(queries, k, min_count=min_count) for part in self.parts]
        return [self._merged(rankings, k, min_score) for rankings in zip(*tiers, strict=True)]

    def _merged(self, rankings: Sequence[Ranking], k: int, min_score: float) -> Ranking:
        highest: dict[int, float] = {}
        for tier, ranking in enumerate(rankings):
            scores = self.cascade.cascade_scores(tier, ranking.scores)
            for query_id, score in zip(ranking.query_ids.tolist(), scores.tolist(), strict=True):
                highest.setdefault(query_id, score)
        candidates = np.array([*highest], np.int64), np.array([*highest.values()])
        ranking = best([candidates], k, self.repository, min_score)
        return replace(ranking, covered=any(part.covered for part in rankings))

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """The score of the highest tier that matches."""
        tiers = [
            self.cascade.cascade_scores(tier, part.scores(query, query_ids))
            for tier, part in enumerate(self.parts)
        ]
        highest: Float64Array = np.array(tiers).max(axis=0)
        return highest


@dataclass(frozen=True)
class BruteForceRetriever(Retriever):
    """Scores every candidate, for measures that cannot be indexed; with `shard`, those of that shard."""

    measure: BruteForceMeasure
    repository: Repository
    shard: Shard | None = None

    @cached_property
    def _candidates(self) -> tuple[Int64Array, list[str]]:
        query_ids = self.repository.live_ids()
        if self.shard:
            ids = self.shard.ids(len(self.repository.counts))
            query_ids = query_ids[slice(*query_ids.searchsorted([ids.start, ids.stop]))]
        return query_ids, self.measure.preprocess(self.repository.queries(query_ids))

    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """The k best of all candidates that score above 0."""
        return [self._search(query, k, min_score, min_count) for query in self.measure.preprocess(queries)]

    def _search(self, query: str, k: int, min_score: float, min_count: int) -> Ranking:
        query_ids, candidates = self._candidates
        if not query:
            return Ranking.none(covered=False)
        scores = self.measure.score_preprocessed(query, candidates)
        eligible = (scores > 0) & (self.repository.counts[query_ids] >= max(1, min_count))
        return best([(query_ids[eligible], scores[eligible])], k, self.repository, min_score)


@dataclass(frozen=True)
class RerankingRetriever(Retriever):
    """Retrieves candidates by components of a measure and re-ranks them by the measure itself."""

    reranker: RerankingMeasure
    repository: Repository
    parts: tuple[CandidateScorer, ...]  # one for each component

    @cached_property
    def measure(self) -> RerankingMeasure:  # type: ignore[override]
        """The measure with the statistics of the indexes."""
        return self.reranker.with_components([part.measure for part in self.parts])

    @cached_property
    def _first_stage(self) -> list[Retriever]:
        names = self.reranker.first_stage
        return [part for part in self.parts if isinstance(part, Retriever) and part.measure.name in names]

    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """The k best first-stage candidates; approximate, since other candidates are not scored."""
        depth = max(FIRST_STAGE_DEPTH, k)
        candidates = [
            retriever.search(queries, depth, min_count=min_count) for retriever in self._first_stage
        ]
        if not candidates:
            raise WorkspaceError(
                f"none of the measures of {self.reranker.name!r} can search a repository; train it with "
                "one that can, like web-kernel"
            )
        return [
            self._rerank(query, rankings, k, min_score)
            for query, *rankings in zip(queries, *candidates, strict=True)
        ]

    def _rerank(self, query: str, rankings: Sequence[Ranking], k: int, min_score: float) -> Ranking:
        query_ids = np.unique(np.concatenate([ranking.query_ids for ranking in rankings]))
        found = Ranking.none(covered=False)
        if len(query_ids):
            scores = self.scores(query, query_ids)
            found = best([(query_ids, scores)], k, self.repository, min_score)
        return replace(
            found,
            covered=any(ranking.covered for ranking in rankings),
            missing_shards=union_of_missing(rankings),
        )

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """The scores, combined from those of the components."""
        candidates = self.repository.queries(query_ids)
        scores = [part.scores(query, query_ids) for part in self.parts]
        return self.measure.combine([query] * len(query_ids), candidates, scores)
