"""Which queries of the repository are nearest? By an index, several of them, or by going through all."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import WorkspaceError
from querykin.index.builder import settings, source_ids, with_pinned_statistics
from querykin.index.index import Index
from querykin.index.posting_lists import PostingLists
from querykin.index.ranking import Ranking, best
from querykin.learning.combination.measure import Combination
from querykin.measures.base import BruteForceMeasure, Measure, VectorMeasure
from querykin.measures.cascade import Cascade
from querykin.querylog.repository import Repository
from querykin.types import Explanation

FIRST_STAGE_DEPTH = 100  # candidates of each leading measure that a combination puts in order


class CandidateScorer(ABC):
    """Scores queries of a repository under one measure."""

    measure: Measure
    repository: Repository

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """The scores of a query with some of the repository's, by number."""
        return self.measure.score(query, self.repository.queries(query_ids))


class Retriever(CandidateScorer):
    """Finds the nearest queries of a repository under one measure."""

    @abstractmethod
    def nearest(self, queries: Sequence[str], k: int, min_score: float = -np.inf) -> list[Ranking]:
        """For each query the k nearest ones that score `minimum` or more; ties by count, then by text."""

    def explain(self, query: str, candidate: str) -> Explanation:
        """Why a candidate is near."""
        return self.measure.explain(query, candidate)


@dataclass(frozen=True)
class PairwiseScorer(CandidateScorer):
    """By comparing texts: for measures that cannot search."""

    measure: Measure
    repository: Repository


@dataclass(frozen=True)
class IndexRetriever(Retriever):
    """By an index of the candidates' rows."""

    index: Index
    repository: Repository
    today: VectorMeasure  # over the corpus as it is now
    min_count: int = 1

    @cached_property
    def measure(self) -> VectorMeasure:  # type: ignore[override]
        """The measure under the statistics that the index was built with."""
        committed, wanted = self.index.committed, settings(self.today)
        owners = source_ids(self.today.expander.corpus, self.repository)
        if committed and (committed.index_settings, committed.source_ids) != (wanted, owners):
            raise WorkspaceError(
                f"the index of {self.today.name} was built with other settings, counts or documents; next: "
                f"querykin build --measures {self.today.name}, with the same --config "
                f"(built: {committed.index_settings}; now: {wanted})"
            )
        return with_pinned_statistics(self.today, self.index)

    def nearest(self, queries: Sequence[str], k: int, min_score: float = -np.inf) -> list[Ranking]:
        """Exact: what scoring every candidate would find; queries removed meanwhile are not found."""
        live, step = self.index.live(self.repository, self.min_count), max(1, self.measure.batch // 16)
        found: list[Ranking] = []
        for begin in range(0, len(queries), step):  # rows of queries may be long
            rows = self.measure.encode_queries(queries[begin : begin + step])
            found += self.index.search(self.measure, rows, k, self.repository, live, min_score)
        return found

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """From the rows of the index, which are there already."""
        return self.index.scores(
            self.measure, self.measure.encode_queries([query]), query_ids, self.repository
        )


@dataclass(frozen=True)
class CascadeRetriever(Retriever):
    """Several lists, one under the other; what stands in two of them keeps its higher place."""

    stack: Cascade
    repository: Repository
    parts: tuple[IndexRetriever, ...]

    @cached_property
    def measure(self) -> Cascade:  # type: ignore[override]
        """The stack under the statistics of the indexes."""
        return replace(self.stack, parts=tuple(part.measure for part in self.parts))

    def nearest(self, queries: Sequence[str], k: int, min_score: float = -np.inf) -> list[Ranking]:
        """The k nearest are among the k nearest of each tier."""
        tiers = [part.nearest(queries, k) for part in self.parts]
        return [self._merged(rankings, k, min_score) for rankings in zip(*tiers, strict=True)]

    def _merged(self, rankings: Sequence[Ranking], k: int, min_score: float) -> Ranking:
        highest: dict[int, float] = {}
        for tier, ranking in enumerate(rankings):
            lifted = self.stack.cascade_scores(tier, ranking.scores)
            for query_id, score in zip(ranking.query_ids.tolist(), lifted.tolist(), strict=True):
                highest.setdefault(query_id, score)
        found = np.array([*highest], np.int64), np.array([*highest.values()])
        ranking = best([found], k, self.repository, min_score)
        return replace(ranking, covered=any(part.covered for part in rankings))

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """The highest tier that matches decides."""
        tiers = [
            self.stack.cascade_scores(tier, part.scores(query, query_ids))
            for tier, part in enumerate(self.parts)
        ]
        highest: Float64Array = np.array(tiers).max(axis=0)
        return highest


@dataclass(frozen=True)
class BruteForceRetriever(Retriever):
    """By scoring every candidate: for measures that no index can serve."""

    measure: BruteForceMeasure
    repository: Repository
    min_count: int = 1

    @cached_property
    def _candidates(self) -> tuple[Int64Array, list[str]]:
        query_ids = self.repository.live_ids()
        return query_ids, self.measure.prepare(self.repository.queries(query_ids))

    def nearest(self, queries: Sequence[str], k: int, min_score: float = -np.inf) -> list[Ranking]:
        """The best of all that score above 0."""
        return [self._nearest(query, k, min_score) for query in self.measure.prepare(queries)]

    def _nearest(self, query: str, k: int, min_score: float) -> Ranking:
        query_ids, prepared = self._candidates
        if not query:
            return Ranking.none(covered=False)
        scores = self.measure.scan(query, prepared)
        kept = (scores > 0) & (self.repository.counts[query_ids] >= max(1, self.min_count))
        return best([(query_ids[kept], scores[kept])], k, self.repository, min_score)


@dataclass(frozen=True)
class RerankingRetriever(Retriever):
    """Candidates by the strongest measures of a combination, in the order of all of them together."""

    combination: Combination
    repository: Repository
    parts: tuple[CandidateScorer, ...]  # one for each measure of the combination

    @cached_property
    def measure(self) -> Combination:  # type: ignore[override]
        """The combination under the statistics of the indexes."""
        return replace(self.combination, parts=tuple(part.measure for part in self.parts))

    @cached_property
    def _first_stage(self) -> list[Retriever]:
        wanted = self.combination.model.content["first_stage"]
        return [part for part in self.parts if isinstance(part, Retriever) and part.measure.name in wanted]

    def nearest(self, queries: Sequence[str], k: int, min_score: float = -np.inf) -> list[Ranking]:
        """The best of what the leaders propose: not exact, since the others could know more."""
        depth = max(FIRST_STAGE_DEPTH, k)
        proposed = [leader.nearest(queries, depth) for leader in self._first_stage]
        if not proposed:
            raise WorkspaceError(
                f"none of the measures of {self.combination.name!r} can search a repository; train it with "
                "one that can, like web-kernel"
            )
        return [
            self._nearest(query, found, k, min_score)
            for query, *found in zip(queries, *proposed, strict=True)
        ]

    def _nearest(self, query: str, proposed: Sequence[Ranking], k: int, min_score: float) -> Ranking:
        query_ids = np.unique(np.concatenate([ranking.query_ids for ranking in proposed]))
        covered = any(ranking.covered for ranking in proposed)
        if not len(query_ids):
            return Ranking.none(covered)
        candidates = self.repository.queries(query_ids)
        scores = self.measure.combine(
            [query] * len(query_ids), candidates, [part.scores(query, query_ids) for part in self.parts]
        )
        return replace(best([(query_ids, scores)], k, self.repository, min_score), covered=covered)


def make_retriever(
    measure: Measure, repository: Repository, rows: Callable[[VectorMeasure], Index], min_count: int = 1
) -> Retriever:
    """What searches a repository by a measure; `rows` gives the index of a vector measure."""

    def indexed(part: VectorMeasure) -> IndexRetriever:
        return IndexRetriever(rows(part), repository, part, min_count)

    def judge(part: Measure) -> CandidateScorer:
        searches = bool(part.indexed_parts())
        return (
            make_retriever(part, repository, rows, min_count)
            if searches
            else PairwiseScorer(part, repository)
        )

    if isinstance(measure, VectorMeasure):
        return indexed(measure)
    if isinstance(measure, Cascade):
        return CascadeRetriever(measure, repository, tuple(map(indexed, measure.parts)))
    if isinstance(measure, BruteForceMeasure):
        return BruteForceRetriever(measure, repository, min_count)
    if isinstance(measure, Combination):
        return RerankingRetriever(measure, repository, tuple(map(judge, measure.parts)))
    raise WorkspaceError(f"measure {measure.name!r} compares pairs only; use querykin similarity or score")


class CollectionStatistics:
    """The expansions of all candidates taken together, as a language model wants them."""

    def __init__(self, index: Index, repository: Repository) -> None:
        self._index, self._live = index, index.live(repository)
        pairs = zip(index.segments, self._live, strict=True)
        self._length = sum(float(segment.candidate_stats[live].sum()) for segment, live in pairs)
        self._known: dict[int, float] = {}

    def counts(self, words: Int64Array) -> Float64Array:
        """How often each word comes; summed up once for each."""
        asked = words.tolist()
        if new := {word for word in asked if word not in self._known}:
            wanted = np.array(sorted(new), np.int64)
            total = np.zeros(len(wanted))
            for segment, live in zip(self._index.segments, self._live, strict=True):
                total += cast(PostingLists, segment.rows).totals(wanted, live)
            self._known.update(zip(wanted.tolist(), total.tolist(), strict=True))
        return np.array([self._known[word] for word in asked], np.float64)

    def length(self) -> float:
        """How many words they have together."""
        return self._length
