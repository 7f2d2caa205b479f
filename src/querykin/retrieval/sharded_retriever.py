"""Search over shards: each finds its best candidates, and merged they are those of the whole repository.

The score of a candidate does not depend on the others, and the order of the ranking is total (score, count,
text). So the k best of all shards are among the k best of each. A query is encoded once, for all shards.
Re-ranking takes the best of a first stage,
which is a property of all candidates: the first stage is merged before anything is re-ranked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.index.ranking import Ranking, best
from querykin.measures.base import Measure
from querykin.querylog.repository import Repository
from querykin.retrieval.retrievers import RerankingRetriever, Retriever
from querykin.types import Explanation
from querykin.vectors import Vectors


class ShardAnswers(NamedTuple):
    """The rankings of each shard that answered, and the names of the shards that did not."""

    rankings: Sequence[Sequence[Ranking]]
    missing: tuple[str, ...] = ()


class ShardSearch(Protocol):
    """Searches all shards under a measure; at least one of them answers."""

    def __call__(
        self,
        measure: str,
        queries: Sequence[str],
        rows: Sequence[Vectors],
        k: int,
        min_score: float,
        min_count: int,
    ) -> ShardAnswers:
        """The answers of the shards; `rows` are those of the queries in each index that is searched."""


def encode_once(retriever: Retriever, queries: Sequence[str]) -> list[Vectors]:
    """The rows of queries in each index of a retriever, kept for deeper searches."""
    rows = [part.encode(queries) for part in retriever.index_retrievers]
    keep_rows(retriever, queries, rows)
    return rows


def keep_rows(retriever: Retriever, queries: Sequence[str], rows: Sequence[Vectors]) -> None:
    """Search with rows that were encoded elsewhere, for each index of the retriever."""
    for part, encoded in zip(retriever.index_retrievers, rows, strict=True):
        part.encoded.keep(queries, encoded)


def merge_rankings(
    rankings: Sequence[Ranking], k: int, repository: Repository, min_score: float = -np.inf
) -> Ranking:
    """The k best of the rankings of several shards for one query."""
    merged = best([(each.query_ids, each.scores) for each in rankings], k, repository, min_score)
    return replace(
        merged,
        covered=any(each.covered for each in rankings),
        probabilities=_probabilities(rankings, merged.query_ids),
    )


def _probabilities(rankings: Sequence[Ranking], query_ids: Int64Array) -> Float64Array | None:
    """The probabilities of these candidates, of which each is in one of the rankings."""
    known = [(each.query_ids, each.probabilities) for each in rankings if each.probabilities is not None]
    if not known:
        return None
    ids, probabilities = map(np.concatenate, zip(*known, strict=True))
    order = np.argsort(ids)
    found: Float64Array = probabilities[order[np.searchsorted(ids[order], query_ids)]]
    return found


def search_shards(retriever: Retriever, search: ShardSearch, name: str = "") -> Retriever:
    """The same retriever with the search left to shards; `name` is that under which shards know the measure.

    Everything else (texts, the scores of given candidates, explanations) is read where the retriever is.
    """
    if isinstance(retriever, RerankingRetriever):
        parts = (
            search_shards(part, search) if isinstance(part, Retriever) else part for part in retriever.parts
        )
        return replace(retriever, parts=tuple(parts))
    return ShardedRetriever(retriever, search, name or retriever.measure.name)


@dataclass(frozen=True)
class ShardedRetriever(Retriever):
    """Merges the rankings of shards; all but the search is that of the retriever over the whole."""

    whole: Retriever
    search_all: ShardSearch
    name: str

    @cached_property
    def measure(self) -> Measure:  # type: ignore[override]
        """The measure with the statistics of the indexes."""
        return self.whole.measure

    @cached_property
    def repository(self) -> Repository:  # type: ignore[override]
        """The past queries, of all shards."""
        return self.whole.repository

    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """The k nearest queries of all shards that answered; each ranking names those that did not."""
        if not queries:
            return []
        rows = encode_once(self.whole, queries)
        answers = self.search_all(self.name, queries, rows, k, min_score, min_count)
        return [
            replace(merge_rankings(found, k, self.repository, min_score), missing_shards=answers.missing)
            for found in zip(*answers.rankings, strict=True)
        ]

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """The scores of candidates, computed from rows of the whole indexes."""
        return self.whole.scores(query, query_ids)

    def as_suggestions(self, query: str, ranking: Ranking) -> Ranking:
        """The ranking of candidates as suggestions."""
        return self.whole.as_suggestions(query, ranking)

    def lowest_score(self, probability: float) -> float:
        """No candidate with a lower score has this probability of being a good suggestion."""
        return self.whole.lowest_score(probability)

    def are_paraphrases(self, query_id: int, others: Sequence[int]) -> bool:
        """Whether a query of the repository says the same as one of the others."""
        return self.whole.are_paraphrases(query_id, others)

    def explain(self, query: str, candidate: str) -> Explanation:
        """The explanation of a candidate's score as a suggestion."""
        return self.whole.explain(query, candidate)
