"""Does a candidate say what the query says? The lexical criteria of Metzler et al. (2007).

Exact is inside phrase is inside subset; exact stems stand beside them. Each is 1 or 0; `graded`, for use in
a stack, puts m / (m + 1) in the place of 1, m the number of the candidate's distinct words: a longer match
stands higher.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.measures.base import measures, setting
from querykin.measures.word_overlap import SurfaceMeasure, WordRows, distinct
from querykin.text.hashing import ngram_hashes
from querykin.text.tokenizer import tokenize
from querykin.vectors import Vectors

MAX_PHRASE_LENGTH = 64  # words; a run that is longer counts only if it is the whole text

_METZLER = "Metzler, Dumais & Meek 2007"
_GRADED = "order matches by the number of their words, m / (m + 1), instead of giving 1 to all"


@dataclass(frozen=True)
class SequenceMeasure(SurfaceMeasure):
    """A measure whose one feature of a candidate is its words in order."""

    source: ClassVar[str] = _METZLER
    graded: bool = setting(False, _GRADED)

    @property
    def index_name(self) -> str:
        """One index for all measures over sequences."""
        return "stem-sequences" if self.stems else "sequences"

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """The whole sequence; it weighs its number of distinct words."""
        tokens = tokenize(texts)
        features = self.features(tokens)
        words = np.diff(tokens.indptr)
        indptr, whole = ngram_hashes(tokens.indptr, features, words, max(1, int(words.max(initial=1))))
        sizes = np.diff(distinct(tokens.indptr, tokens.hashes)[0])
        return Vectors(indptr, whole, sizes[words > 0].astype(np.float64), self.index_name)

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """The whole sequence; it asks for 1."""
        rows = self.encode_batch(texts)
        return Vectors(rows.indptr, rows.features, np.ones(len(rows.features)), self.index_name)

    def score_from_dot(
        self, shared: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """1 where the sequences are the same."""
        return shared / (shared + 1) if self.graded else np.minimum(shared, 1.0)

    def as_tier(self) -> Self:
        """Longer matches first."""
        return replace(self, graded=True)

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The candidate's words: they are what both texts share."""
        return [" ".join(tokenize(texts[-1:]).words())] * len(features)


@measures.register("exact")
@dataclass(frozen=True)
class Exact(SequenceMeasure):
    """1 when two texts are the same words in the same order, else 0."""

    NAME: ClassVar[str] = "exact"
    formula: ClassVar[str] = "1 if Q = C else 0"
    advice: ClassVar[str] = "To know whether a query is there already, whatever its case and punctuation."


@measures.register("exact-stems")
@dataclass(frozen=True)
class ExactStems(SequenceMeasure):
    """1 when two texts are the same stems in the same order, else 0."""

    NAME: ClassVar[str] = "exact-stems"
    stems: ClassVar[bool] = True
    formula: ClassVar[str] = "1 if stems(Q) = stems(C) else 0"
    advice: ClassVar[str] = "Finds the singular for the plural: seattle mariner for seattle mariners."


@measures.register("phrase")
@dataclass(frozen=True)
class Phrase(SequenceMeasure):
    """1 when the candidate is a contiguous run of the query's words, else 0."""

    NAME: ClassVar[str] = "phrase"
    symmetric: ClassVar[bool] = False
    chunk: ClassVar[int] = 128  # a query has many runs
    batch: ClassVar[int] = 64 * 128
    formula: ClassVar[str] = "1 if C = q_i q_(i+1) ... q_j for some i <= j else 0"
    advice: ClassVar[str] = "Precise broader queries: seattle mariners for seattle mariners tickets."

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """All runs of a query's words."""
        tokens = tokenize(texts)
        one = np.ones(len(texts), np.int64)
        indptr, runs = ngram_hashes(tokens.indptr, self.features(tokens), one, MAX_PHRASE_LENGTH)
        borders, kept, _ = distinct(indptr, runs)
        return Vectors(borders, runs[kept], np.ones(len(kept)), self.index_name)


@measures.register("subset")
@dataclass(frozen=True)
class Subset(WordRows):
    """1 when every word of the candidate is a word of the query, else 0."""

    NAME: ClassVar[str] = "subset"
    symmetric: ClassVar[bool] = False
    source: ClassVar[str] = _METZLER
    formula: ClassVar[str] = "1 if C is inside Q, as sets of words, else 0"
    advice: ClassVar[str] = "Broader queries, whatever the order of words."
    graded: bool = setting(False, _GRADED)

    def score_from_dot(
        self, shared: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """1 where all words of the candidate are shared."""
        return np.where(shared < candidate_stats, 0.0, shared / (shared + 1) if self.graded else 1.0)

    def as_tier(self) -> Self:
        """Longer matches first."""
        return replace(self, graded=True)
