"""The lexical criteria of Metzler, Dumais & Meek (2007): exact match, phrase, subset, exact stems.

An exact match is a phrase match, and a phrase match is a subset match. Each criterion is 1 or 0; `graded`,
for use as a tier of a cascade, replaces 1 by m / (m + 1), m the number of the candidate's distinct words, so
that longer matches rank higher.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.measures.base import register
from querykin.measures.surface import SurfaceMeasure, distinct_features
from querykin.measures.word_overlap import WordSetMeasure
from querykin.text.hashing import ngram_hashes
from querykin.vectors import Vectors

MAX_PHRASE_LENGTH = 64  # words; a longer n-gram counts only if it is the whole text

_METZLER = "Metzler, Dumais & Meek 2007"
Graded = Annotated[
    bool,
    Field(description="order matches by the number of their words, m / (m + 1), instead of giving 1 to all"),
]


@dataclass(frozen=True)
class SequenceMeasure(SurfaceMeasure):
    """A measure whose only feature of a candidate is the sequence of its words."""

    source: ClassVar[str] = _METZLER
    encodes_queries: ClassVar[bool] = True
    graded: Graded = False

    @property
    def index_name(self) -> str:
        """One index for all measures over sequences."""
        return "stem-sequences" if self.over_stems else "sequences"

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """The whole sequence, weighted by its number of distinct words."""
        tokens = self.analyzer.tokenize(texts)
        features = self.features(tokens)
        lengths = np.diff(tokens.indptr)
        indptr, whole = ngram_hashes(tokens.indptr, features, lengths, max(1, int(lengths.max(initial=1))))
        sizes = np.diff(distinct_features(tokens.indptr, tokens.hashes)[0])
        return Vectors(indptr, whole, sizes[lengths > 0].astype(np.float64), self.space)

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """The whole sequence with weight 1."""
        rows = self.encode_batch(texts)
        return Vectors(rows.indptr, rows.features, np.ones(len(rows.features)), self.space)

    def score_from_dot(
        self, dots: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """1 where the sequences are the same."""
        return dots / (dots + 1) if self.graded else np.minimum(dots, 1.0)

    def as_tier(self) -> Self:
        """Longer matches first."""
        return replace(self, graded=True)

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The candidate's words: they are what both texts share."""
        return self.analyzer.tokenize(texts[-1:]).joined() * len(features)


@register("exact")
@dataclass(frozen=True)
class Exact(SequenceMeasure):
    """1 when two texts are the same words in the same order, else 0."""

    NAME: ClassVar[str] = "exact"
    formula: ClassVar[str] = "1 if Q = C else 0"
    advice: ClassVar[str] = (
        "To find out whether a query is already present, whatever its case and punctuation."
    )


@register("exact-stems")
@dataclass(frozen=True)
class ExactStems(SequenceMeasure):
    """1 when two texts are the same stems in the same order, else 0."""

    NAME: ClassVar[str] = "exact-stems"
    formula: ClassVar[str] = "1 if stems(Q) = stems(C) else 0"
    advice: ClassVar[str] = "Finds the singular for the plural: seattle mariner for seattle mariners."

    @property
    def over_stems(self) -> bool:
        """Features are stems."""
        return True


@register("phrase")
@dataclass(frozen=True)
class Phrase(SequenceMeasure):
    """1 when the candidate is a contiguous n-gram of the query's words, else 0."""

    NAME: ClassVar[str] = "phrase"
    symmetric: ClassVar[bool] = False
    chunk: ClassVar[int] = 128  # a query has many n-grams
    batch: ClassVar[int] = 64 * 128
    formula: ClassVar[str] = "1 if C = q_i q_(i+1) ... q_j for some i <= j else 0"
    advice: ClassVar[str] = "Precise broader queries: seattle mariners for seattle mariners tickets."

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """All n-grams of a query's words."""
        tokens = self.analyzer.tokenize(texts)
        one = np.ones(len(texts), np.int64)
        indptr, ngrams = ngram_hashes(tokens.indptr, self.features(tokens), one, MAX_PHRASE_LENGTH)
        distinct_indptr, positions, _ = distinct_features(indptr, ngrams)
        return Vectors(distinct_indptr, ngrams[positions], np.ones(len(positions)), self.space)


@register("subset")
@dataclass(frozen=True)
class Subset(WordSetMeasure):
    """1 when every word of the candidate is a word of the query, else 0."""

    NAME: ClassVar[str] = "subset"
    symmetric: ClassVar[bool] = False
    source: ClassVar[str] = _METZLER
    formula: ClassVar[str] = "1 if C is inside Q, as sets of words, else 0"
    advice: ClassVar[str] = "Broader queries, whatever the order of words."
    graded: Graded = False

    def score_from_dot(
        self, dots: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """1 where all words of the candidate are shared."""
        return np.where(dots < candidate_stats, 0.0, dots / (dots + 1) if self.graded else 1.0)

    def as_tier(self) -> Self:
        """Longer matches first."""
        return replace(self, graded=True)
