"""The web kernel of Sahami & Heilman (2006), as printed and as it works best on a corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.expansion import Expansions
from querykin.measures.base import ExpandedMeasure, measures
from querykin.text import tokenise
from querykin.vectors import Vectors
from querykin.weighting.tfidf import centroid


@measures.register("web-kernel")
@dataclass(frozen=True)
class WebKernel(ExpandedMeasure):
    """How much the contexts of two texts in the corpus have in common, from 0 to 1.

    The kernel of the paper, adapted to a corpus that is smaller than the web: results count by their
    relevance, (score / best score) ^ power; term frequencies are damped, 1 + log tf; features are stems;
    the text's own words are added to its context, most of all those that its results do not hold; and heavy
    terms are damped at the end.
    """

    kernel: ClassVar[bool] = True
    results: int = 30
    power: float = 2.0
    terms: int = 30  # m: the heaviest terms of each result
    own: float = 0.5  # the weight of the text's own words beside its context
    missing: float = 1.0  # what is added to it for a word that the results do not hold
    damping: float = 0.8  # exponent on the weights, so that one shared word does not decide alone
    keep: float = 0.97  # the heaviest terms of the whole expansion hold this share of its squared length

    @property
    def lost_mass(self) -> float:
        """The most that a row may lack of its squared length."""
        return 1 - self.keep

    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems."""
        expansions = self.expander.expand(texts, self.results)
        corpus = self.expander.corpus
        shares = self._shares(expansions)
        context = centroid(expansions, shares, corpus.vocabulary.stem, corpus.statistics.stem_idf, self.terms,
                           True, self.space)  # fmt: skip
        full = context.plus(self._own_words(expansions, shares))
        damped = Vectors(full.first, full.features, full.weights**self.damping, full.space)
        return damped.heaviest(self.keep).unit()

    def _shares(self, expansions: Expansions) -> Reals:
        """What each result counts: the first result of a text is its best."""
        scores, first = expansions.results.scores, expansions.first
        best = scores[np.repeat(first[:-1], np.diff(first))]
        shares: Reals = (scores / np.maximum(best, 1e-12)) ** self.power
        return shares

    def _own_words(self, expansions: Expansions, shares: Reals) -> Vectors:
        """The text's words by idf; those its results do not hold count more: nothing else speaks for them."""
        queries = expansions.queries
        owners = np.repeat(np.arange(len(queries)), np.diff(queries.first))
        order = np.lexsort((queries.stems, owners))
        rows = Vectors(queries.first, queries.stems[order], queries.idf[order], self.space)
        unit = rows.unit()
        held = expansions.results.held_terms(queries, shares)[order]
        weights = unit.weights * (self.own + self.missing * (1 - held))
        return Vectors(unit.first, unit.features, weights, self.space).where(expansions.covered)

    def stems_of(self, features: Longs) -> Longs:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Longs, texts: Sequence[str]) -> list[str]:
        """The commonest word of each stem; a word that the corpus does not know as the texts have it."""
        corpus = self.expander.corpus
        tokens = tokenise(texts)
        hashes = corpus.vocabulary.lookup_stems(tokens)[1]
        own = {-1 - int(value): tokens.word(i) for i, value in enumerate(hashes)}
        label, word = corpus.statistics.label, corpus.vocabulary.word
        return [word(int(label[feature])) if feature >= 0 else own[int(feature)] for feature in features]


@measures.register("web-kernel-paper")
@dataclass(frozen=True)
class WebKernelPaper(ExpandedMeasure):
    """The web kernel as printed: the plain centroid of 200 results, 50 terms each.

    K(x, y) = QE(x) . QE(y), QE the unit centroid of the results' unit TF-IDF vectors, w = tf log(N / df).
    The search engine and the rule for texts that are not covered are those of all measures here.
    """

    kernel: ClassVar[bool] = True
    results: int = 200
    terms: int = 50  # m in the paper

    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over words."""
        expansions = self.expander.expand(texts, self.results)
        corpus = self.expander.corpus
        words = np.arange(corpus.vocabulary.count, dtype=np.int32)
        shares = np.ones(len(expansions.results.documents))
        return centroid(expansions, shares, words, corpus.statistics.idf, self.terms, False, self.space)
