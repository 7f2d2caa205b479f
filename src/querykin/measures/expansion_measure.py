"""Measures over query expansion: the features of a text come from its search results."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.corpus.statistics import Statistics
from querykin.measures.passages import choose_passages
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.measures.vector_measure import VectorMeasure
from querykin.search.engine import SearchResults
from querykin.search.expansion import MAX_DEPTH, Expander, Expansions
from querykin.types import Explanation, Passage
from querykin.vectors import Vectors

SearchDepth = Annotated[int, Field(ge=1, le=MAX_DEPTH, description="search results used for a text")]


def relevance_weights(results: SearchResults, power: float) -> Float64Array:
    """The weight of each result: (score / best score) ^ power; the first result of a text is its best."""
    best = results.scores[np.repeat(results.indptr[:-1], np.diff(results.indptr))]
    weights: Float64Array = (results.scores / np.maximum(best, 1e-12)) ** power
    return weights


@dataclass(frozen=True)
class ExpansionMeasure(VectorMeasure):
    """A vector measure over the search results of a text; its features are words or stems."""

    expander: Expander = field(repr=False, compare=False)
    results: int

    @classmethod
    def requirements(cls) -> Requirements:
        """A corpus."""
        return Requirements(corpus=True)

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the expander of the corpus."""
        return cls(resources.expander, **parameters)

    @abstractmethod
    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """The rows of expanded texts."""

    def encode_with_results(self, texts: Sequence[str]) -> tuple[Vectors, SearchResults]:
        """The rows of a few texts, and the search results behind them."""
        expansions = self.expander.expand(texts, self.results)
        return self.encode_expansions(expansions), expansions.results

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """The rows of a few texts."""
        return self.encode_with_results(texts)[0]

    def with_statistics(self, statistics: Statistics) -> Self:
        """The measure whose expander ranks and weights by another version of the statistics."""
        return replace(self, expander=self.expander.with_statistics(statistics))

    @property
    def space(self) -> str:
        """The parameters and the version of the statistics."""
        return f"{self!r} over {self.expander.corpus.statistics.version}"

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The words themselves."""
        vocabulary = self.expander.corpus.vocabulary
        return [vocabulary.word(int(feature)) for feature in features]

    def explain(self, a: str, b: str) -> Explanation:
        """The features two texts share and passages that hold them; both texts are expanded once."""
        expansions = self.expander.expand([a, b], self.results)
        rows = self.encode_expansions(expansions)
        query = self.encode_query_batch([a]) if self.encodes_queries else rows.take(np.array([0]))
        return self.explain_rows(
            a,
            b,
            query,
            rows.take(np.array([1])),
            lambda features, parts: self.choose_passages(expansions, features, parts),
        )

    def choose_passages(
        self, expansions: Expansions, features: Int64Array, parts: Float64Array
    ) -> list[Passage]:
        """The results of both texts that contain most of what they share."""
        known = features >= 0
        return choose_passages(self.expander, expansions, self.stems_of(features[known]), parts[known])

    def passages(self, a: str, b: str, features: Int64Array, parts: Float64Array) -> list[Passage]:
        """The results of both texts that contain most of what they share."""
        return self.choose_passages(self.expander.expand([a, b], self.results), features, parts)

    def stems_of(self, features: Int64Array) -> Int64Array:
        """The stems by which features are found in documents; here features are words."""
        return self.expander.corpus.vocabulary.stem[features].astype(np.int64)
