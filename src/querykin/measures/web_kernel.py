"""The web kernel of Sahami & Heilman (2006), as printed and as it works best on a corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.corpus.corpus import Corpus
from querykin.measures.base import ExpansionMeasure, Layout, measures, setting
from querykin.search.expansion import MAX_RESULTS, Expansions
from querykin.text.tokenizer import tokenize
from querykin.vectors import Vectors
from querykin.weighting.tfidf import centroid

MOST_TERMS = 4096  # of a row: more would not be of length 1 any more, rounded as they are


def stem_labels(corpus: Corpus, features: Int64Array, texts: Sequence[str]) -> list[str]:
    """What people read for stems: the commonest word of each, or the word of the texts that it stands for."""
    tokens = tokenize(texts)
    hashes = corpus.vocabulary.lookup_stems(tokens)[1]
    own = {-1 - int(value): tokens.word(i) for i, value in enumerate(hashes)}
    label, word = corpus.statistics.label, corpus.vocabulary.word
    return [word(int(label[feature])) if feature >= 0 else own[int(feature)] for feature in features]


@measures.register("web-kernel")
@dataclass(frozen=True)
class WebKernel(ExpansionMeasure):
    """How much the contexts of two texts in the corpus have in common, from 0 to 1.

    The kernel of the paper, adapted to a corpus that is smaller than the web: results count by their
    relevance, (score / best score) ^ power; term frequencies are damped, 1 + log tf; features are stems;
    the text's own words are added to its context, most of all those that its results do not hold; and heavy
    terms are damped at the end.
    """

    NAME: ClassVar[str] = "web-kernel"
    kernel: ClassVar[bool] = True
    layout: ClassVar[Layout] = "block-max"
    source: ClassVar[str] = "Sahami & Heilman 2006, adapted"
    formula: ClassVar[str] = "K(x, y) = QE(x) . QE(y), QE the weighted centroid of what the results say"
    advice: ClassVar[str] = "The default: related queries without a word in common, explained term by term."
    results: int = setting(30, "documents that speak for a text", 1, MAX_RESULTS)
    power: float = setting(2.0, "a result counts (score / best score) to this power")
    terms: int = setting(30, "heaviest terms of each document: m in the paper", 1)
    own: float = setting(0.5, "weight of the text's own words beside its context")
    missing: float = setting(1.0, "added to that weight for a word that the results do not hold")
    damping: float = setting(0.8, "exponent on the final weights: one shared word shall not decide alone")
    keep: float = setting(0.97, "share of a row's squared length that its heaviest terms hold", 0, 1)
    row_terms: int = setting(128, "terms of a row at most; 0: as many as keep asks for, up to 4,096")

    @property
    def truncation_error(self) -> float:
        """The most that a row may lack of its squared length."""
        return 1 - self.keep if not self.row_terms else 1.0

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems."""
        expansions = self.expander.expand(texts, self.results)
        corpus = self.expander.corpus
        shares = self._shares(expansions)
        context = centroid(
            expansions,
            shares,
            corpus.vocabulary.stem,
            corpus.statistics.stem_idf,
            self.terms,
            True,
            self.space,
        )
        return self.shortened(context.add(self._own_words(expansions, shares))).quantize()

    def shortened(self, full: Vectors) -> Vectors:
        """Unit rows of the terms that are worth keeping, the heavy ones damped."""
        damped = Vectors(full.indptr, full.features, full.weights**self.damping, full.space)
        return damped.keep_norm_share(self.keep).top(self.row_terms or MOST_TERMS).unit()

    def query_stats(self, queries: Vectors) -> Float64Array:
        """The length of each row: about 1, since its weights are rounded."""
        return queries.norms()[:, None]

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """The length of each row."""
        return candidates.norms()

    def score_from_dot(
        self, shared: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """The cosine of rounded rows."""
        return super().score_from_dot(
            shared / (query_stats[..., 0] * candidate_stats), query_stats, candidate_stats
        )

    def _shares(self, expansions: Expansions) -> Float64Array:
        """What each result counts: the first result of a text is its best."""
        scores, indptr = expansions.results.scores, expansions.indptr
        best = scores[np.repeat(indptr[:-1], np.diff(indptr))]
        shares: Float64Array = (scores / np.maximum(best, 1e-12)) ** self.power
        return shares

    def _own_words(self, expansions: Expansions, shares: Float64Array) -> Vectors:
        """The text's words by idf; those its results do not hold count more: nothing else speaks for them."""
        queries = expansions.queries
        owners = np.repeat(np.arange(len(queries)), np.diff(queries.indptr))
        order = np.lexsort((queries.stems, owners))
        rows = Vectors(queries.indptr, queries.stems[order], queries.idf[order], self.space)
        unit = rows.unit()
        held = expansions.results.term_coverage(queries, shares)[order]
        weights = unit.weights * (self.own + self.missing * np.maximum(1 - held, 0))  # 1 up to the last bit
        return Vectors(unit.indptr, unit.features, weights, self.space).mask_rows(expansions.covered)

    def stems_of(self, features: Int64Array) -> Int64Array:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The commonest word of each stem; a word that the corpus does not know as the texts have it."""
        return stem_labels(self.expander.corpus, features, texts)


@measures.register("web-kernel-paper")
@dataclass(frozen=True)
class WebKernelPaper(ExpansionMeasure):
    """The web kernel as printed: the plain centroid of 200 results, 50 terms each.

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
    results: int = setting(200, "documents that speak for a text: n in the paper", 1, MAX_RESULTS)
    terms: int = setting(50, "heaviest terms of each document: m in the paper", 1)

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over words."""
        expansions = self.expander.expand(texts, self.results)
        corpus = self.expander.corpus
        words = np.arange(corpus.vocabulary.count, dtype=np.int32)
        shares = np.ones(len(expansions.results.documents))
        return centroid(expansions, shares, words, corpus.statistics.idf, self.terms, False, self.space)
