"""The weights of the parts of a hybrid measure for each text, from the evidence about the text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.embeddings.base import EmbeddingModel
from querykin.measures.embedding import dense_rows
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.text_evidence import TRUST_SETTINGS, text_evidence
from querykin.measures.vector_measure import Layout
from querykin.search.engine import ParsedQueries, SearchResults
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors

COLUMNS = 3  # of a row: one for each part
DENSE, STATIC, TERMS = range(COLUMNS)


@dataclass(frozen=True)
class PartWeights(ExpansionMeasure):
    """A row of three weights for each text, of sum 1: sentence embedding, word vectors, web kernel.

    The weights of a text are kept in an index like rows of any measure, so that they are brought up to date
    with the documents behind them. The less the model is to be trusted with a text, the more the web kernel
    counts.
    """

    layout: ClassVar[Layout] = "dense"
    model: EmbeddingModel = field(kw_only=True, repr=False, compare=False)  # whose words are known or not
    owner: str = field(kw_only=True)  # the name of the measure that the weights belong to
    dense: float = field(kw_only=True)
    terms: float = field(kw_only=True)
    terms_alone: float = field(kw_only=True)

    @property
    def name(self) -> str:
        """The name of the measure that the weights belong to."""
        return self.owner

    @property
    def index_settings(self) -> str:
        """The parameters and the model."""
        return f"{self!r} {self.model.identity} {TRUST_SETTINGS}"

    @property
    def space(self) -> str:
        """What rows depend on, and the version of the statistics."""
        return f"{self.index_settings} over {self.expander.corpus.statistics.version}"

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """The weights of expanded texts."""
        return self._rows(expansions.queries, expansions.results, expansions.covered)

    def encode_with_results(self, texts: Sequence[str]) -> tuple[Vectors, SearchResults]:
        """The weights of a few texts and their results; no windows are needed."""
        queries, results, covered = self.expander.search(texts, self.results)
        return self._rows(queries, results, covered), results

    def _rows(self, queries: ParsedQueries, results: SearchResults, covered: BoolArray) -> Vectors:
        evidence = text_evidence(self.expander.corpus, queries, results, covered)
        trust = evidence.trust(self.model.whole_words(queries.texts))
        terms = np.where(covered, self.terms + self.terms_alone * (1 - trust), 0.0)
        weights = np.column_stack([self.dense * trust, np.ones(len(trust)), terms])
        return dense_rows(weights, self.space)

    def weights(self, texts: Sequence[str]) -> Float64Array:
        """The weights of any number of texts, one row each."""
        return of_sum_1(self.encode_candidates(texts).weights.reshape(len(texts), COLUMNS))

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The names of the parts."""
        return [("sentence embedding", "word vectors", "web kernel")[feature] for feature in features]


def of_sum_1(rows: Float64Array) -> Float64Array:
    """Rows divided by their sums; rows of zeros stay zero."""
    sums = rows.sum(axis=1, keepdims=True)
    return rows / np.where(sums > 0, sums, 1.0)
