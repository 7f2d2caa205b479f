"""Exact search of a hybrid measure: parts with dense rows, and the web kernel with sparse rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.threads import thread_map
from querykin.index.ranking import Ranking, best
from querykin.measures.hybrid import HybridMeasure, on_one_scale
from querykin.measures.part_weights import DENSE, STATIC, TERMS, PartWeights, of_sum_1
from querykin.querylog.repository import Repository
from querykin.retrieval.generalizations import idf_lost
from querykin.retrieval.retrievers import IndexRetriever, Retriever
from querykin.retrieval.threshold_algorithm import top_sums
from querykin.types import Contribution, Explanation

GENERALIZATION = 0.2  # taken off the score of a suggestion that drops all idf mass of the query
PART_OF_QUERY = "only a part of the query"  # the label of that deduction in explanations
PARAPHRASE = 0.9  # cosine of embeddings from which on two queries count as one


@dataclass(frozen=True)
class HybridRetriever(Retriever):
    """Finds the nearest queries under a hybrid measure, identical to scoring every candidate.

    The dense parts score every candidate; the web kernel gives its best ones, and the threshold algorithm
    decides which others must be looked up.
    """

    hybrid: HybridMeasure
    repository: Repository
    parts: dict[int, IndexRetriever]  # by the column of their weights
    weights: IndexRetriever

    @cached_property
    def measure(self) -> HybridMeasure:  # type: ignore[override]
        """The measure with the statistics of the indexes."""
        parts = {column: part.measure for column, part in self.parts.items()}
        return self.hybrid.with_parts(parts, cast(PartWeights, self.weights.measure))

    @cached_property
    def _weights(self) -> Float64Array:
        """The weights of the parts for every candidate; queries added later have no row to be found by."""
        weights = self._weights_of(np.arange(len(self.repository.counts)))
        return np.asfortranarray(weights)  # read by columns

    def _weights_of(self, query_ids: Int64Array) -> Float64Array:
        return of_sum_1(self.weights.index.dense_rows(query_ids, self.repository))

    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """The k nearest queries; `covered` says whether the corpus covers the query."""
        return thread_map(lambda query: self._search(query, k, min_score, min_count), queries)

    def _search(self, query: str, k: int, min_score: float, min_count: int) -> Ranking:
        (query_weights,) = self.measure.weights.weights([query])
        first = self._dense_sums(query, query_weights, min_count)
        index, measure = self.parts[TERMS].index, self.parts[TERMS].measure
        row, live = measure.encode_queries([query]), index.live_rows(self.repository, min_count)

        def sorted_access(depth: int) -> tuple[Int64Array, Float64Array]:
            (ranking,) = index.search(measure, row, depth, self.repository, live)
            return ranking.query_ids, on_one_scale(TERMS, ranking.scores)

        def random_access(query_ids: Int64Array) -> Float64Array:
            scores = index.scores(measure, row, query_ids, self.repository)
            return np.nan_to_num(on_one_scale(TERMS, scores))

        factors = (query_weights[TERMS] + self._weights[:, TERMS]) / 2
        found = top_sums(first, factors, sorted_access, random_access, k, min_score)
        ranking = best([found], k, self.repository, min_score)
        return self._with_probabilities(query_weights, replace(ranking, covered=bool(row.covered[0])))

    def _with_probabilities(self, query_weights: Float64Array, ranking: Ranking) -> Ranking:
        weights = np.sqrt(query_weights * self._weights[ranking.query_ids])
        return replace(ranking, probabilities=self.measure.probabilities(ranking.scores, weights))

    def as_suggestions(self, query: str, ranking: Ranking) -> Ranking:
        """Candidates that are only a part of the query are ranked down by what they drop of it."""
        deductions = self._deductions(query, self.repository.queries(ranking.query_ids))
        if not deductions.any():
            return ranking
        scores = ranking.scores - deductions
        order = np.argsort(-scores, kind="stable")
        ranking = replace(ranking, query_ids=ranking.query_ids[order], scores=scores[order])
        (query_weights,) = self.measure.weights.weights([query])
        return self._with_probabilities(query_weights, ranking)

    def _deductions(self, query: str, candidates: Sequence[str]) -> Float64Array:
        return GENERALIZATION * idf_lost(query, candidates, self.measure.static.expander.corpus)

    def explain(self, query: str, candidate: str) -> Explanation:
        """The explanation of the measure, and what a candidate loses as a part of the query."""
        found = super().explain(query, candidate)
        deduction = float(self._deductions(query, [candidate])[0])
        if not deduction:
            return found
        contributions = (*found.contributions, Contribution(PART_OF_QUERY, -deduction))
        return replace(found, score=found.score - deduction, contributions=contributions)

    def lowest_score(self, probability: float) -> float:
        """No candidate with a lower score has this probability of being a good suggestion."""
        return self.hybrid.lowest_score(probability)

    def are_paraphrases(self, query_id: int, others: Sequence[int]) -> bool:
        """Whether the sentence embedding of a query of the repository is nearly that of one of the others.

        Means of word vectors do not tell: a text and the same text with one word more are nearly alike.
        """
        if DENSE not in self.parts:
            return False
        rows = self.parts[DENSE].index.dense_rows(np.array([query_id, *others]), self.repository)
        return bool((rows[1:] @ rows[0] >= PARAPHRASE).any())

    def scores(self, query: str, query_ids: Int64Array) -> Float64Array:
        """The scores, computed from the rows of the indexes."""
        scores = {column: part.scores(query, query_ids) for column, part in self.parts.items()}
        return self.measure.combine(
            self.measure.weights.weights([query]), self._weights_of(query_ids), scores
        )

    def _dense_sums(self, query: str, query_weights: Float64Array, min_count: int) -> Float64Array:
        """What the dense parts add to the score of every candidate; -inf for one that may not be returned."""
        size = len(self._weights)
        dense = {
            column: part.scores_of_all(query)[:size] for column, part in self.parts.items() if column != TERMS
        }
        sums = self.measure.combine(query_weights, self._weights, dense)
        has_row = self._weights[:, STATIC] > 0  # word vectors have a weight in every row
        sums[(self.repository.counts[:size] < max(1, min_count)) | ~has_row] = -np.inf
        without = np.flatnonzero(np.isnan(sums))  # only the web kernel may know them
        if len(without):
            sums[without] = np.where(np.isnan(self.parts[TERMS].scores(query, without)), -np.inf, 0.0)
        return sums
