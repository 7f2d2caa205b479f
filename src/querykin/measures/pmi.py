"""Texts compared by how much more often than by chance their words stand together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from querykin.compiled import Longs, ragged
from querykin.measures.base import measures
from querykin.measures.distributional import NeighbourMeasure
from querykin.measures.surface import distinct
from querykin.text import tokenise
from querykin.vectors import Vectors
from querykin.weighting.association import row_sums


@measures.register("pmi")
@dataclass(frozen=True)
class Pmi(NeighbourMeasure):
    """The mean pointwise mutual information of the words of two texts, where they stand near each other.

    Words that never meet, or meet less often than by chance, add 0; a word that both texts have adds what it
    tells by itself, -log P(w). Words that the corpus does not know are left out.
    """

    formula: ClassVar[str] = "mean over w in Q, v in C of max(0, log P(w, v) / (P(w) P(v)))"
    source: ClassVar[str] = "Turney 2001, named by Yih & Meek 2007"
    batch: ClassVar[int] = 16 * 64  # a query's row is long
    advice: ClassVar[str] = "A cheap sign that words belong together; best as one feature among others."

    def _words(self, texts: Sequence[str]) -> tuple[Longs, Longs]:
        """The distinct known words of each text: where texts begin, and the words."""
        tokens = tokenise(texts)
        numbers = self.known_words(tokens).astype(np.int64)
        first, kept, _ = distinct(tokens.first, numbers)
        known = numbers[kept] >= 0
        borders = ragged(known)[first]
        return borders, numbers[kept][known]

    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """Each word by its share of the text."""
        first, words = self._words(texts)
        return Vectors(first, words, 1 / np.repeat(np.diff(first), np.diff(first)), self.row_settings)

    def query_chunk(self, texts: Sequence[str]) -> Vectors:
        """For every word of the corpus its mean information with the text's words."""
        first, words = self._words(texts)
        spoken, places = np.unique(words, return_inverse=True)
        sums = row_sums(first, places, self._information(spoken), len(self.counts.margins))
        lengths = np.repeat(np.maximum(1, np.diff(first)), np.diff(sums.first))
        return replace(sums, weights=sums.weights / lengths, space=self.row_settings)

    def _information(self, words: Longs) -> Vectors:
        """Positive pointwise mutual information of words with their neighbours and with themselves."""
        counts = self.counts
        rows = counts.rows(words, phrases=False)
        own = np.repeat(words, np.diff(rows.first))
        expected = counts.margins[own] * (counts.margins[rows.features] / counts.total)
        positive = np.maximum(np.log(rows.weights / expected), 0.0)
        others = Vectors(rows.first, rows.features, positive, rows.space).only(
            (own != rows.features) & (positive > 0)
        )
        itself = -np.log(counts.margins[words] / counts.total)
        return others.plus(Vectors(np.arange(len(words) + 1), words, itself, rows.space))
