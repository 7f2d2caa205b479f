"""Mean pointwise mutual information of the words of two texts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from querykin.compute.arrays import Int64Array, make_indptr
from querykin.cooccurrence.association import row_sums
from querykin.measures.base import register
from querykin.measures.distributional import CooccurrenceMeasure
from querykin.measures.surface import distinct_features
from querykin.vectors import Vectors


@register("pmi")
@dataclass(frozen=True)
class Pmi(CooccurrenceMeasure):
    """The mean pointwise mutual information of the words of two texts, from co-occurrence counts.

    Words that co-occur no more often than by chance contribute 0; a word that both texts have contributes its
    self-information, -log P(w). Words unknown to the corpus are left out.
    """

    NAME: ClassVar[str] = "pmi"
    bounded: ClassVar[bool] = False
    encodes_queries: ClassVar[bool] = True
    formula: ClassVar[str] = "mean over w in Q, v in C of max(0, log P(w, v) / (P(w) P(v)))"
    source: ClassVar[str] = "Turney 2001, named by Yih & Meek 2007"
    batch: ClassVar[int] = 16 * 64  # a query's row is long
    advice: ClassVar[str] = "A cheap sign that words belong together; best as one feature among others."

    def _words(self, texts: Sequence[str]) -> tuple[Int64Array, Int64Array]:
        """The distinct known words of each text: indptr and word ids."""
        tokens = self.vocabulary.analyzer.tokenize(texts)
        word_ids = self.known_words(tokens).astype(np.int64)
        indptr, positions, _ = distinct_features(tokens.indptr, word_ids)
        known = word_ids[positions] >= 0
        return make_indptr(known)[indptr], word_ids[positions][known]

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Each word by its share of the text."""
        indptr, words = self._words(texts)
        return Vectors(indptr, words, 1 / np.repeat(np.diff(indptr), np.diff(indptr)), self.space)

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """For every word of the corpus its mean information with the text's words."""
        indptr, words = self._words(texts)
        spoken, places = np.unique(words, return_inverse=True)
        sums = row_sums(indptr, places, self._information(spoken), len(self.counts.marginals))
        lengths = np.repeat(np.maximum(1, np.diff(indptr)), np.diff(sums.indptr))
        return replace(sums, weights=sums.weights / lengths, space=self.space)

    def _information(self, words: Int64Array) -> Vectors:
        """Positive pointwise mutual information of words with their contexts and with themselves."""
        counts = self.counts
        rows = counts.rows(words, phrases=False)
        own = np.repeat(words, np.diff(rows.indptr))
        expected = counts.marginals[own] * (counts.marginals[rows.features] / counts.total)
        positive = np.maximum(np.log(rows.weights / expected), 0.0)
        others = Vectors(rows.indptr, rows.features, positive, rows.space).select(
            (own != rows.features) & (positive > 0)
        )
        itself = -np.log(counts.marginals[words] / counts.total)
        return others.add(Vectors(np.arange(len(words) + 1), words, itself, rows.space))
