"""How well does what is known about a candidate predict the query? Language models (Metzler et al. 2007).

A candidate is the text of its results, with P(w|C) = (tf + mu P(w|Coll)) / (|C| + mu). The score is -KL,
the sum over the query model's words of P(w|Q) (log P(w|C) - log P(w|Q)). Written as

    log P(w|C) = log(1 + tf / (mu P(w|Coll))) + log(mu P(w|Coll)) - log(|C| + mu)

only the first part needs the words that both share; the others are one number a query and one a candidate,
times the query model's mass, which is below 1 when it is cut to its likeliest words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.measures.base import ExpansionMeasure, measures, setting
from querykin.measures.resources import Collection, Resources
from querykin.measures.word_overlap import distinct
from querykin.search.expansion import MAX_RESULTS
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.text.tokenizer import tokenize
from querykin.vectors import Vectors
from querykin.weighting.term_frequencies import frequencies

UNSEEN = 0.5  # the count of a word that the collection does not hold


@dataclass(frozen=True)
class LanguageModel(ExpansionMeasure):
    """A measure over the words of a candidate's results, none of them left out."""

    symmetric: ClassVar[bool] = False
    scores_all_rows: ClassVar[bool] = True
    batch: ClassVar[int] = 16 * 64  # rows are long
    source: ClassVar[str] = "Metzler, Dumais & Meek 2007"
    results: int = setting(30, "documents that speak for a text", 1, MAX_RESULTS)
    mu_c: float = setting(2500.0, "how much of the collection is mixed into a candidate's model, in words", 1)
    collection: Collection | None = field(default=None, repr=False, compare=False)

    @classmethod
    def assemble(cls, sources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the collection of the repository's candidates, if there is one."""
        made = super().assemble(sources, parameters)
        return replace(made, collection=sources.collection(made))

    @property
    def index_name(self) -> str:
        """One index for all language models that use as many results."""
        return f"expansions-{self.results}"

    @property
    def space(self) -> str:
        """Counts of words; they depend on the statistics only through the ranking of the results."""
        return f"{self.index_name} over {self.expander.corpus.statistics.version}"

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """How often each word comes in a text's results."""
        expansions = self.expander.expand(texts, self.results)
        return frequencies(expansions, self.expander.corpus.vocabulary.count, self.space)

    def background(self, words: Int64Array) -> Float64Array:
        """P(w|Coll)."""
        if self.collection:
            counts, length = self.collection.counts(words), self.collection.length()
        else:
            statistics = self.expander.corpus.statistics
            counts = np.zeros(len(words))
            known = (words >= 0) & (words < len(statistics.cf))
            counts[known] = statistics.cf[words[known]]
            length = statistics.tokens
        return np.maximum(counts, UNSEEN) / max(1.0, length)

    def compare(
        self, queries: Vectors, rows: Int64Array, candidates: Vectors, other_rows: Int64Array
    ) -> Float64Array:
        """-KL of pairs of rows; only the candidates asked for are looked at, since their rows are long."""
        used, places = np.unique(other_rows, return_inverse=True)
        return super().compare(queries, rows, candidates.take(used), places)

    def tf_scaling(self, features: Int64Array) -> Float64Array:
        """1 / (mu P(w|Coll))."""
        return 1 / (self.mu_c * self.background(features))

    def query_stats(self, queries: Vectors) -> Float64Array:
        """What does not depend on the candidate, and the mass of the query's model."""
        constant = np.log(self.mu_c * self.background(queries.features)) - np.log(queries.weights)
        return np.column_stack([queries.sums(queries.weights * constant), queries.sums(queries.weights)])

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """|C|."""
        return candidates.sums(candidates.weights)

    def length_penalties(self, candidate_stats: Float64Array) -> Float64Array:
        """log(|C| + mu)."""
        return np.log(np.where(candidate_stats > 0, candidate_stats, np.nan) + self.mu_c)

    def score_from_dot(
        self, shared: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """-KL."""
        return shared + query_stats[..., 0] - query_stats[..., 1] * np.log(candidate_stats + self.mu_c)

    def tier_score(self, scores: Float64Array) -> Float64Array:
        """In a stack: the logistic function, which keeps the order."""
        return expit(scores)

    def shares(self, query: Vectors, candidate: Vectors, score: float) -> tuple[Int64Array, Float64Array]:
        """What each word of the query's model adds: P(w|Q) (log P(w|C) - log P(w|Q))."""
        words, model = query.row(0)
        if np.isnan(score):
            return words[:0], model[:0]
        held, counts = candidate.row(0)
        tf = np.zeros(len(words))
        place = np.searchsorted(held, words).clip(max=len(held) - 1)
        same = held[place] == words
        tf[same] = counts[place[same]]
        smoothed = (tf + self.mu_c * self.background(words)) / (counts.sum() + self.mu_c)
        parts = model * (np.log(smoothed) - np.log(model))
        order = np.argsort(-parts, kind="stable")
        return words[order], parts[order]

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The words themselves; one that the corpus does not know as the text has it."""
        tokens = tokenize(texts)
        own = {-1 - int(value): tokens.word(i) for i, value in enumerate(tokens.hashes)}
        word = self.expander.corpus.vocabulary.word
        return [word(int(feature)) if feature >= 0 else own[int(feature)] for feature in features]


@measures.register("sparse-prob")
@dataclass(frozen=True)
class SparseProb(LanguageModel):
    """How well the results of the candidate predict the query's own words.

    P(w|C) = (tf + mu_c P(w|Coll)) / (|C| + mu_c) over all words of the candidate's results; P(w|Coll) comes
    from the results of all candidates of the repository once they are indexed, else from the corpus.
    """

    NAME: ClassVar[str] = "sparse-prob"
    formula: ClassVar[str] = "sum over w in Q of P(w|Q) (log P(w|C) - log P(w|Q)), P(w|Q) = tf(w, Q) / |Q|"
    advice: ClassVar[str] = "Questions and long queries: only the candidate needs results."

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """Tf / |Q| over the text's own words; empty where the corpus knows none of them."""
        tokens = tokenize(texts)
        numbers = self.expander.corpus.vocabulary.lookup(tokens)
        features = np.where(numbers >= 0, numbers, -1 - tokens.hashes)
        indptr, kept, counts = distinct(tokens.indptr, features)
        lengths = np.repeat(np.diff(tokens.indptr), np.diff(indptr))
        rows = Vectors(indptr, features[kept], counts / lengths, self.space)
        return rows.mask_rows(rows.sums((features[kept] >= 0).astype(np.float64)) > 0)


@measures.register("dense-prob")
@dataclass(frozen=True)
class DenseProb(LanguageModel):
    """How well the results of the candidate predict the likeliest words of the query's results.

    P(w|C) = (tf + mu_c P(w|Coll)) / (|C| + mu_c) over all words of the candidate's results; P(w|Coll) comes
    from the results of all candidates of the repository once they are indexed, else from the corpus.
    """

    NAME: ClassVar[str] = "dense-prob"
    formula: ClassVar[str] = "sum over the 20 likeliest w of P(w|Q) (log P(w|C) - log P(w|Q)), both expanded"
    advice: ClassVar[str] = "Related queries without a word in common, ranked for one query at a time."
    terms: int = setting(20, "likeliest words of the query's model that are kept", 1)
    mu_q: float = setting(0.0, "how much of the collection is mixed into the query's model, in words")
    stop_words: str = setting("english", "words left out of the query's model: english, none, or your own")

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """(tf + mu P(w|Coll)) / (|Q| + mu), function words left out, the rest cut to the likeliest."""
        rows = self.encode_batch(texts)
        lengths = np.repeat(self.candidate_stats(rows), np.diff(rows.indptr))
        smoothing = self.mu_q * self.background(rows.features) if self.mu_q else 0.0
        model = Vectors(
            rows.indptr, rows.features, (rows.weights + smoothing) / (lengths + self.mu_q), rows.space
        )
        return model.select(~self._stopped(rows.features)).top(self.terms)

    def _stopped(self, features: Int64Array) -> BoolArray:
        lists = {"english": sorted(ENGLISH_STOP_WORDS), "none": []}
        words = lists.get(self.stop_words, self.stop_words.split())
        numbers = self.expander.corpus.vocabulary.lookup(tokenize(words))
        return np.isin(features, numbers)
