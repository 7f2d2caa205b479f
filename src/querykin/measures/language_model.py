"""Language models of expanded texts compared by KL divergence (Metzler, Dumais & Meek 2007).

A candidate's model is estimated from the text of its results with Dirichlet smoothing (Zhai & Lafferty 2004),
P(w|C) = (tf + mu P(w|Coll)) / (|C| + mu). The score is -KL, the sum of P(w|Q) (log P(w|C) - log P(w|Q)) over
the words of the query model. Written as

    log P(w|C) = log(1 + tf / (mu P(w|Coll))) + log(mu P(w|Coll)) - log(|C| + mu)

only the first term needs the words that both share. The others are one constant of the query and one length
penalty of the candidate, times the probability mass of the query model, which is below 1 when the model is
truncated to its most probable words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.measures.base import register
from querykin.measures.expansion_measure import ExpansionMeasure, SearchDepth
from querykin.measures.parameters import number
from querykin.measures.resources import Collection, Resources
from querykin.measures.surface import distinct_features
from querykin.search.expansion import Expansions
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.vectors import Vectors
from querykin.weighting.term_frequencies import frequencies

UNSEEN = 0.5  # the count of a word that does not occur in the collection


@dataclass(frozen=True)
class LanguageModel(ExpansionMeasure):
    """A measure over the term frequencies of a candidate's results, without truncation."""

    symmetric: ClassVar[bool] = False
    bounded: ClassVar[bool] = False
    scores_all_rows: ClassVar[bool] = True
    batch: ClassVar[int] = 16 * 64  # rows are long
    source: ClassVar[str] = "Metzler, Dumais & Meek 2007"
    results: SearchDepth = 30
    mu_c: Annotated[float, number("Dirichlet prior of a candidate's model, in words", ge=1)] = 2500.0
    # Gives the collection statistics of the indexed candidates; None before they are indexed.
    find_collection: Callable[["LanguageModel"], Collection | None] | None = field(
        default=None, repr=False, compare=False
    )

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the collection statistics of the indexed candidates, once they are indexed."""
        return cls(resources.expander, find_collection=resources.collection, **parameters)

    def pinned(self) -> Self:
        """With the collection statistics as they are now."""
        found = self.find_collection(self) if self.find_collection else None
        return replace(self, find_collection=lambda measure: found)

    @property
    def index_name(self) -> str:
        """One index for all language models that use as many results."""
        return f"expansions-{self.results}"

    @property
    def space(self) -> str:
        """Counts of words; they depend on the statistics only through the ranking of the results."""
        return f"{self.index_name} over {self.expander.corpus.statistics.version}"

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Term frequencies of a text's results."""
        return frequencies(expansions, self.expander.corpus.vocabulary.count, self.space)

    def background(self, words: Int64Array) -> Float64Array:
        """P(w|Coll)."""
        collection = self.find_collection(self) if self.find_collection else None
        if collection:
            counts, length = collection.counts(words), collection.length()
        else:
            statistics = self.expander.corpus.statistics
            counts = np.zeros(len(words))
            known = (words >= 0) & (words < len(statistics.cf))
            counts[known] = statistics.cf[words[known]]
            length = statistics.tokens
        return np.maximum(counts, UNSEEN) / max(1.0, length)

    def score_rows(
        self, queries: Vectors, rows: Int64Array, candidates: Vectors, other_rows: Int64Array
    ) -> Float64Array:
        """-KL of pairs of rows; only the rows of these candidates are read, since rows are long."""
        used, positions = np.unique(other_rows, return_inverse=True)
        return super().score_rows(queries, rows, candidates.take(used), positions)

    def tf_scaling(self, features: Int64Array) -> Float64Array:
        """1 / (mu P(w|Coll))."""
        return 1 / (self.mu_c * self.background(features))

    def query_stats(self, queries: Vectors) -> Float64Array:
        """The constant of the query, and the probability mass of its model."""
        constant = np.log(self.mu_c * self.background(queries.features)) - np.log(queries.weights)
        return np.column_stack([queries.sums(queries.weights * constant), queries.sums(queries.weights)])

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """|C|."""
        return candidates.sums(candidates.weights)

    def length_penalties(self, candidate_stats: Float64Array) -> Float64Array:
        """log(|C| + mu)."""
        return np.log(np.where(candidate_stats > 0, candidate_stats, np.nan) + self.mu_c)

    def score_from_dot(
        self, dots: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """-KL."""
        return dots + query_stats[..., 0] - query_stats[..., 1] * np.log(candidate_stats + self.mu_c)

    def tier_score(self, scores: Float64Array) -> Float64Array:
        """As a tier: the logistic function, which keeps the order."""
        from scipy.special import expit  # slow to import, and most commands do without

        return expit(scores)

    def feature_shares(
        self, query: Vectors, candidate: Vectors, score: float, features: Int64Array, parts: Float64Array
    ) -> tuple[Int64Array, Float64Array]:
        """The share of each word of the query model: P(w|Q) (log P(w|C) - log P(w|Q))."""
        words, model = query.row(0)
        if np.isnan(score):
            return words[:0], model[:0]
        candidate_words, counts = candidate.row(0)
        tf = np.zeros(len(words))
        position = np.searchsorted(candidate_words, words).clip(max=len(candidate_words) - 1)
        same = candidate_words[position] == words
        tf[same] = counts[position[same]]
        smoothed = (tf + self.mu_c * self.background(words)) / (counts.sum() + self.mu_c)
        return words, model * (np.log(smoothed) - np.log(model))

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The words themselves; a word unknown to the corpus as the text has it."""
        tokens = self.expander.corpus.analyzer.tokenize(texts)
        own = {-1 - int(value): tokens.word(i) for i, value in enumerate(tokens.hashes)}
        word = self.expander.corpus.vocabulary.word
        return [word(int(feature)) if feature >= 0 else own[int(feature)] for feature in features]


@register("sparse-prob")
@dataclass(frozen=True)
class SparseProb(LanguageModel):
    """How well the results of the candidate predict the query's own words.

    P(w|C) = (tf + mu_c P(w|Coll)) / (|C| + mu_c) over all words of the candidate's results; P(w|Coll) comes
    from the results of all candidates of the repository once they are indexed, else from the corpus.
    """

    NAME: ClassVar[str] = "sparse-prob"
    encodes_queries: ClassVar[bool] = True
    formula: ClassVar[str] = "sum over w in Q of P(w|Q) (log P(w|C) - log P(w|Q)), P(w|Q) = tf(w, Q) / |Q|"
    advice: ClassVar[str] = "Questions and long queries: only the candidate needs results."

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """Tf / |Q| over the text's own words; empty where the corpus knows none of them."""
        tokens = self.expander.corpus.analyzer.tokenize(texts)
        word_ids = self.expander.corpus.vocabulary.lookup(tokens)
        features = np.where(word_ids >= 0, word_ids, -1 - tokens.hashes)
        indptr, positions, counts = distinct_features(tokens.indptr, features)
        lengths = np.repeat(np.diff(tokens.indptr), np.diff(indptr))
        rows = Vectors(indptr, features[positions], counts / lengths, self.space)
        return rows.mask_rows(rows.sums((features[positions] >= 0).astype(np.float64)) > 0)


@register("dense-prob")
@dataclass(frozen=True)
class DenseProb(LanguageModel):
    """How well the results of the candidate predict the most probable words of the query's results.

    P(w|C) = (tf + mu_c P(w|Coll)) / (|C| + mu_c) over all words of the candidate's results; P(w|Coll) comes
    from the results of all candidates of the repository once they are indexed, else from the corpus.
    """

    NAME: ClassVar[str] = "dense-prob"
    encodes_queries: ClassVar[bool] = True
    formula: ClassVar[str] = (
        "sum over the 20 most probable w of P(w|Q) (log P(w|C) - log P(w|Q)), both expanded"
    )
    advice: ClassVar[str] = "Related queries without a word in common, ranked for one query at a time."
    terms: Annotated[int, number("most probable words of the query's model that are kept", ge=1)] = 20
    mu_q: Annotated[float, number("Dirichlet prior of the query's model, in words")] = 0.0
    stop_words: Annotated[
        str,
        Field(description="words left out of the query's model: language (the corpus's), none, or your own"),
    ] = "language"

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """(tf + mu P(w|Coll)) / (|Q| + mu), without stop words, truncated to the most probable words."""
        rows = self.encode_batch(texts)
        lengths = np.repeat(self.candidate_stats(rows), np.diff(rows.indptr))
        smoothing = self.mu_q * self.background(rows.features) if self.mu_q else 0.0
        model = Vectors(
            rows.indptr, rows.features, (rows.weights + smoothing) / (lengths + self.mu_q), rows.space
        )
        return model.select(~self._is_stop_word(rows.features)).top(self.terms)

    def _is_stop_word(self, features: Int64Array) -> BoolArray:
        vocabulary = self.expander.corpus.vocabulary
        lists = {"language": vocabulary.analyzer.function_words, "none": (), "english": ENGLISH_STOP_WORDS}
        words = sorted(lists.get(self.stop_words, self.stop_words.split()))
        word_ids = vocabulary.lookup(vocabulary.analyzer.tokenize(words))
        return np.isin(features, word_ids)
