"""The web kernel of Sahami & Heilman (2006): as printed, and adapted to a corpus smaller than the web."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.corpus.corpus import Corpus
from querykin.measures.base import register
from querykin.measures.expansion_measure import ExpansionMeasure, SearchDepth, relevance_weights
from querykin.measures.parameters import number
from querykin.measures.vector_measure import Layout
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors
from querykin.weighting.tfidf import centroid

MAX_ROW_TERMS = 4096  # quantized rows of more terms would no longer have unit norm


def stem_labels(corpus: Corpus, features: Int64Array, texts: Sequence[str]) -> list[str]:
    """Labels of stems: the most frequent word of each, or the word of the texts where the corpus lacks it."""
    tokens = corpus.analyzer.tokenize(texts)
    hashes = corpus.vocabulary.lookup_stems(tokens)[1]
    own = {-1 - int(value): tokens.word(i) for i, value in enumerate(hashes)}
    label, word = corpus.statistics.label, corpus.vocabulary.word
    return [word(int(label[feature])) if feature >= 0 else own[int(feature)] for feature in features]


@register("web-kernel")
@dataclass(frozen=True)
class WebKernel(ExpansionMeasure):
    """How much the contexts of two texts in the corpus have in common, from 0 to 1.

    The kernel of the paper, adapted to a corpus smaller than the web: results are weighted by relevance,
    (score / best score) ^ power; term frequencies are damped, 1 + log tf; features are stems; the text's own
    terms are added to its context, with more weight where its results do not contain them; and the final
    weights are damped.
    """

    NAME: ClassVar[str] = "web-kernel"
    kernel: ClassVar[bool] = True
    layout: ClassVar[Layout] = "block-max"
    source: ClassVar[str] = "Sahami & Heilman 2006, adapted"
    formula: ClassVar[str] = "K(x, y) = QE(x) . QE(y), QE the weighted centroid of the results"
    advice: ClassVar[str] = (
        "Related queries without a word in common, explained term by term; names that only the corpus knows."
    )
    results: SearchDepth = 30
    power: Annotated[float, number("a result counts (score / best score) to this power")] = 2.0
    terms: Annotated[int, number("heaviest terms of each document: m in the paper", ge=1)] = 30
    own: Annotated[float, number("weight of the text's own terms beside its context")] = 0.5
    missing: Annotated[float, number("added to that weight for a term that the results do not contain")] = 1.0
    damping: Annotated[
        float, number("exponent on the final weights, so that no single shared term decides alone")
    ] = 0.8
    keep: Annotated[float, number("share of a row's squared norm that its heaviest terms keep", le=1)] = 0.97
    row_terms: Annotated[
        int, number("maximum number of terms in a row; 0: as many as keep asks for, up to 4,096")
    ] = 128

    @property
    def truncation_error(self) -> float:
        """The largest share of a row's squared norm that truncation drops."""
        return 1 - self.keep if not self.row_terms else 1.0

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Quantized unit rows over stems."""
        corpus = self.expander.corpus
        shares = relevance_weights(expansions.results, self.power)
        context = centroid(
            expansions,
            shares,
            corpus.vocabulary.stem,
            corpus.statistics.stem_idf,
            self.terms,
            True,
            self.space,
        )
        return self.truncate(context.add(self._query_terms(expansions, shares))).quantize()

    def truncate(self, full: Vectors) -> Vectors:
        """Unit rows of the heaviest terms, after damping."""
        damped = Vectors(full.indptr, full.features, full.weights**self.damping, full.space)
        return damped.keep_norm_share(self.keep, self.row_terms or MAX_ROW_TERMS).unit()

    def query_stats(self, queries: Vectors) -> Float64Array:
        """The norm of each row: about 1, since its weights are quantized."""
        return queries.norms()[:, None]

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """The norm of each row."""
        return candidates.norms()

    def score_from_dot(
        self, dots: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """The cosine of quantized rows."""
        return super().score_from_dot(
            dots / (query_stats[..., 0] * candidate_stats), query_stats, candidate_stats
        )

    def _query_terms(self, expansions: Expansions, shares: Float64Array) -> Vectors:
        """The text's own terms by idf; terms that its results do not contain weigh more."""
        queries = expansions.queries
        owners = np.repeat(np.arange(len(queries)), np.diff(queries.indptr))
        order = np.lexsort((queries.stems, owners))
        rows = Vectors(queries.indptr, queries.stems[order], queries.idf[order], self.space)
        unit = rows.unit()
        covered = expansions.results.term_coverage(queries, shares)[order]
        weights = unit.weights * (self.own + self.missing * np.maximum(1 - covered, 0))  # rounding
        return Vectors(unit.indptr, unit.features, weights, self.space).mask_rows(expansions.covered)

    def stems_of(self, features: Int64Array) -> Int64Array:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The most frequent word of each stem; a word unknown to the corpus as the texts have it."""
        return stem_labels(self.expander.corpus, features, texts)


@register("web-kernel-paper")
@dataclass(frozen=True)
class WebKernelPaper(ExpansionMeasure):
    """The web kernel of the paper: the plain centroid of n results, 50 terms each.

    The paper prints no n for its kernel; the default is the number of Metzler et al. (2007) and Yih (2009).
    Over a corpus smaller than the web fewer results are better: 20 or 30.

    K(x, y) = QE(x) . QE(y), QE the unit centroid of the results' unit TF-IDF vectors, w = tf log(N / df).
    The search engine and the rule for texts that are not covered are those of all measures here.
    """

    NAME: ClassVar[str] = "web-kernel-paper"
    kernel: ClassVar[bool] = True
    source: ClassVar[str] = "Sahami & Heilman 2006"
    formula: ClassVar[str] = (
        "K(x, y) = QE(x) . QE(y), QE = C / |C|, C = 1/n sum of v_i / |v_i|, w = tf log(N / df)"
    )
    advice: ClassVar[str] = (
        "To compare with the literature; over a corpus smaller than the web prefer web-kernel."
    )
    results: SearchDepth = 200  # n: a stated choice, docs/decisions/0095
    terms: Annotated[int, number("heaviest terms of each document: m in the paper", ge=1)] = 50

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows over words."""
        corpus = self.expander.corpus
        words = np.arange(corpus.vocabulary.count, dtype=np.int32)
        shares = np.ones(len(expansions.results.documents))
        return centroid(expansions, shares, words, corpus.statistics.idf, self.terms, False, self.space)
