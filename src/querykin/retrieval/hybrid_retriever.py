"""Exact search of a hybrid measure: parts with dense rows, and the web kernel with sparse rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import cast

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array, make_indptr
from querykin.compute.threads import thread_map
from querykin.index.ranking import Ranking, best
from querykin.measures.hybrid import HybridMeasure, on_one_scale
from querykin.measures.part_weights import COLUMNS, DENSE, STATIC, TERMS, PartWeights, of_sum_1
from querykin.querylog.repository import Repository
from querykin.retrieval.dense_sums import MANY, ListedPart, Sums, reaching_sums
from querykin.retrieval.generalizations import idf_lost
from querykin.retrieval.retrievers import IndexRetriever, Retriever
from querykin.retrieval.threshold_algorithm import MeanWeights, top_sums
from querykin.types import Contribution, Explanation
from querykin.vectors import Vectors

GENERALIZATION = 0.2  # taken off the score of a suggestion that drops all idf mass of the query
PART_OF_QUERY = "only a part of the query"  # the label of that deduction in explanations
_TOGETHER = 512  # queries encoded at once: their rows take 6 MB
# Of many queries searched together, the candidates whose web-kernel score is found first.
_LISTED, _LISTED_SCORE = 512, 0.25
_LOOKUPS = 2048  # candidates of a query whose web-kernel scores cost less than a deeper search
PARAPHRASE = 0.9  # cosine of embeddings from which on two queries count as one


@dataclass(frozen=True)
class EncodedQueries:
    """The weights of the parts for each query, and its rows in their indexes."""

    weights: Float64Array
    rows: dict[int, Vectors]  # by the column of the weights

    def __len__(self) -> int:
        return len(self.weights)

    def take(self, number: int) -> "EncodedQueries":
        """One of the queries."""
        at = np.array([number])
        return EncodedQueries(self.weights[at], {column: rows.take(at) for column, rows in self.rows.items()})


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

    @property
    def index_retrievers(self) -> Sequence[IndexRetriever]:
        """Those of the parts, and of the weights."""
        return (*self.parts.values(), self.weights)

    @cached_property
    def measure(self) -> HybridMeasure:  # type: ignore[override]
        """The measure with the statistics of the indexes."""
        parts = {column: part.measure for column, part in self.parts.items()}
        return self.hybrid.with_parts(parts, cast(PartWeights, self.weights.measure))

    @cached_property
    def _ids(self) -> range:
        """The ids of the candidates; queries added later have no row to be found by."""
        return self.weights.index.ids(self.repository)

    @cached_property
    def _candidates(self) -> Int64Array:
        """The ids as an array."""
        return np.asarray(self._ids, np.int64)

    @cached_property
    def _weights(self) -> Float64Array:
        """The weights of the parts for every candidate, in the order of their ids."""
        return np.asfortranarray(self._weights_of(self._candidates))  # read by columns

    def _weights_of(self, query_ids: Int64Array) -> Float64Array:
        index = self.weights.index
        if index.columns != COLUMNS:  # without queries it has none
            return np.zeros((len(query_ids), COLUMNS))
        return of_sum_1(index.dense_rows(query_ids, self.repository))

    def search(
        self, queries: Sequence[str], k: int, min_score: float = -np.inf, min_count: int = 1
    ) -> list[Ranking]:
        """The k nearest queries; `covered` says whether the corpus covers the query."""
        rankings: list[Ranking] = []
        for begin in range(0, len(queries), _TOGETHER):
            encoded = self._encode(queries[begin : begin + _TOGETHER])
            together = self._sums_together(encoded, k, min_score, min_count)
            search = partial(self._search, encoded, together, k, min_score, min_count)
            rankings += thread_map(search, range(len(together)))
        return rankings

    def _encode(self, queries: Sequence[str]) -> EncodedQueries:
        """The rows of queries in every index."""
        weights = self.weights.encode(queries).weights.reshape(len(queries), COLUMNS)
        rows = {column: part.encode(queries) for column, part in self.parts.items()}
        return EncodedQueries(of_sum_1(weights), rows)

    def _search(
        self,
        encoded: EncodedQueries,
        together: Sequence[Sums | None],
        k: int,
        min_score: float,
        min_count: int,
        number: int,
    ) -> Ranking:
        query, found = encoded.take(number), together[number]
        candidates, weights = self._candidates, self._weights[:, TERMS]
        if found:
            positions, first = found
            candidates, weights = candidates[positions], weights[positions]
            unscored = np.flatnonzero(np.isnan(first))
        else:
            first, unscored = self._sums_alone(query, min_count)
        factors = MeanWeights(query.weights[0, TERMS], weights)
        part, row = self.parts[TERMS], query.rows[TERMS]

        def sorted_access(depth: int) -> tuple[Int64Array, Float64Array]:
            (ranking,) = part.search_rows(row, depth, -np.inf, min_count)
            return ranking.query_ids, on_one_scale(TERMS, ranking.scores)

        def random_access(query_ids: Int64Array) -> Float64Array:
            return np.nan_to_num(on_one_scale(TERMS, self._part_scores(TERMS, query, query_ids)))

        if len(unscored):  # only the web kernel may know them
            scores = self._part_scores(TERMS, query, candidates[unscored])
            first[unscored] = np.where(np.isnan(scores), -np.inf, 0.0)
        if found and len(candidates) <= _LOOKUPS:
            allowed = np.flatnonzero(first > -np.inf)
            second = random_access(candidates[allowed])
            sums = candidates[allowed], first[allowed] + factors.at(allowed) * second
        else:
            sums = top_sums(candidates, first, factors, sorted_access, random_access, k, min_score)
        ranking = best([sums], k, self.repository, min_score)
        ranking = replace(ranking, covered=bool(row.covered[0]))
        own = self._weights[ranking.query_ids - self._ids.start]
        return self._with_probabilities(query.weights[0], own, ranking)

    def _with_probabilities(
        self, query_weights: Float64Array, weights: Float64Array, ranking: Ranking
    ) -> Ranking:
        means = np.sqrt(query_weights * weights)
        return replace(ranking, probabilities=self.measure.probabilities(ranking.scores, means))

    def as_suggestions(self, query: str, ranking: Ranking) -> Ranking:
        """Candidates that are only a part of the query are ranked down by what they drop of it."""
        deductions = self._deductions(query, self.repository.queries(ranking.query_ids))
        if not deductions.any():
            return ranking
        scores = ranking.scores - deductions
        order = np.argsort(-scores, kind="stable")
        ranking = replace(ranking, query_ids=ranking.query_ids[order], scores=scores[order])
        (query_weights,) = self.measure.weights.weights([query])
        return self._with_probabilities(query_weights, self._weights_of(ranking.query_ids), ranking)

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

    def _part_scores(self, column: int, query: EncodedQueries, query_ids: Int64Array) -> Float64Array:
        return self.parts[column].row_scores(query.rows[column], query_ids)

    @property
    def _dense_parts(self) -> dict[int, IndexRetriever]:
        return {column: part for column, part in self.parts.items() if column != TERMS}

    def _sums_together(
        self, encoded: EncodedQueries, k: int, min_score: float, min_count: int
    ) -> Sequence[Sums | None]:
        """What the dense parts add to the scores of candidates that may be among the best.

        None for a query that is to be searched alone. The sum is NaN where no dense part has a score.
        """
        if len(encoded) < MANY:
            return [None] * len(encoded)
        weights, rows = encoded.weights, encoded.rows
        dense = {
            column: part.dense_part(rows[column], weights[:, column], self._weights[:, column])
            for column, part in self._dense_parts.items()
        }
        listed = self._listed_terms(encoded, min_count)
        together = reaching_sums([*dense.values()], listed, self._eligible(min_count), k, min_score)
        for query, found in enumerate(together):
            if found:
                scored = [
                    self._filled[column][found.positions] for column in dense if rows[column].covered[query]
                ]
                found.sums[~np.any(scored, axis=0)] = np.nan
        return together

    def _listed_terms(self, encoded: EncodedQueries, min_count: int) -> ListedPart:
        """The best scores of the web kernel; they spare most other candidates a look at theirs."""
        part = self.parts[TERMS]
        found = part.search_rows(encoded.rows[TERMS], _LISTED, _LISTED_SCORE, min_count)
        bounds = [each.scores[-1] if len(each.scores) == _LISTED else _LISTED_SCORE for each in found]
        orders = [np.argsort(each.query_ids) for each in found]
        listed = [
            (each.query_ids[order] - self._ids.start, each.scores[order])
            for each, order in zip(found, orders, strict=True)
        ]
        return ListedPart(
            encoded.weights[:, TERMS],
            self._weights[:, TERMS],
            on_one_scale(TERMS, np.array(bounds)),
            make_indptr([len(order) for order in orders]),
            np.concatenate([positions for positions, _ in listed]),
            on_one_scale(TERMS, np.concatenate([scores for _, scores in listed])),
        )

    @cached_property
    def _dense_rows(self) -> dict[int, list[tuple[Int32Array, Int32Array]]]:
        """For each dense part where the rows of the candidates are."""
        return {
            column: part.index.dense_positions(self.repository, self._ids)
            for column, part in self._dense_parts.items()
        }

    @cached_property
    def _filled(self) -> dict[int, BoolArray]:
        """For each dense part the candidates that have a row which is not empty."""
        return {
            column: part.index.filled_queries(self.repository) for column, part in self._dense_parts.items()
        }

    def _sums_alone(self, query: EncodedQueries, min_count: int) -> tuple[Float64Array, Int64Array]:
        """What the dense parts add to the score of every candidate, and for which of them none has a score.

        It is -inf for candidates that may not be returned.
        """
        eligible = self._eligible(min_count)
        sums, unscored = np.where(eligible, 0.0, -np.inf), eligible
        for column, part in self._dense_parts.items():
            row, weights = query.rows[column], self._weights[:, column]
            part.index.add_weighted(row, self._dense_rows[column], query.weights[0, column], weights, sums)
            if row.covered[0]:
                unscored = unscored & ~self._filled[column][: len(sums)]
        return sums, np.flatnonzero(unscored)

    def _eligible(self, min_count: int) -> BoolArray:
        """Which candidates may be returned."""
        return (self.repository.counts[self._ids.start : self._ids.stop] >= max(1, min_count)) & self._has_row

    @cached_property
    def _has_row(self) -> BoolArray:
        """Which candidates have a row: word vectors have a weight in every row."""
        return self._weights[:, STATIC] > 0
