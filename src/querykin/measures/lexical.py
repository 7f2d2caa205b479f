"""Does a candidate say what the query says? The lexical criteria of Metzler et al. (2007).

Exact is inside phrase is inside subset; exact stems stand beside them. Each is 1 or 0; `graded`, for use in
a stack, puts m / (m + 1) in the place of 1, m the number of the candidate's distinct words: a longer match
stands higher.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.measures.base import measures, setting
from querykin.measures.surface import SurfaceMeasure, WordRows, distinct
from querykin.text import run_hashes, tokenise
from querykin.vectors import Vectors

LONGEST_PHRASE = 64  # words; a run that is longer counts only if it is the whole text

_METZLER = "Metzler, Dumais & Meek 2007"
_GRADED = "order matches by the number of their words, m / (m + 1), instead of giving 1 to all"


@dataclass(frozen=True)
class SequenceMeasure(SurfaceMeasure):
    """A measure whose one feature of a candidate is its words in order."""

    source: ClassVar[str] = _METZLER
    graded: bool = setting(False, _GRADED)

    @property
    def rows(self) -> str:
        """One index for all measures over sequences."""
        return "stem-sequences" if self.stems else "sequences"

    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """The whole sequence; it weighs its number of distinct words."""
        tokens = tokenise(texts)
        features = self.features(tokens)
        words = np.diff(tokens.first)
        first, whole = run_hashes(tokens.first, features, words, max(1, int(words.max(initial=1))))
        sizes = np.diff(distinct(tokens.first, tokens.hashes)[0])
        return Vectors(first, whole, sizes[words > 0].astype(np.float64), self.rows)

    def query_chunk(self, texts: Sequence[str]) -> Vectors:
        """The whole sequence; it asks for 1."""
        rows = self.encode_chunk(texts)
        return Vectors(rows.first, rows.features, np.ones(len(rows.features)), self.rows)

    def finish(self, shared: Reals, about: Reals, sizes: Reals) -> Reals:
        """1 where the sequences are the same."""
        return shared / (shared + 1) if self.graded else np.minimum(shared, 1.0)

    def as_tier(self) -> Self:
        """Longer matches first."""
        return replace(self, graded=True)

    def label(self, features: Longs, texts: Sequence[str]) -> list[str]:
        """The candidate's words: they are what both texts share."""
        return [" ".join(tokenise(texts[-1:]).words())] * len(features)


@measures.register("exact")
@dataclass(frozen=True)
class Exact(SequenceMeasure):
    """1 when two texts are the same words in the same order, else 0."""

    formula: ClassVar[str] = "1 if Q = C else 0"
    advice: ClassVar[str] = "To know whether a query is there already, whatever its case and punctuation."


@measures.register("exact-stems")
@dataclass(frozen=True)
class ExactStems(SequenceMeasure):
    """1 when two texts are the same stems in the same order, else 0."""

    stems: ClassVar[bool] = True
    formula: ClassVar[str] = "1 if stems(Q) = stems(C) else 0"
    advice: ClassVar[str] = "Finds the singular for the plural: seattle mariner for seattle mariners."


@measures.register("phrase")
@dataclass(frozen=True)
class Phrase(SequenceMeasure):
    """1 when the candidate is a contiguous run of the query's words, else 0."""

    symmetric: ClassVar[bool] = False
    chunk: ClassVar[int] = 128  # a query has many runs
    batch: ClassVar[int] = 64 * 128
    formula: ClassVar[str] = "1 if C = q_i q_(i+1) ... q_j for some i <= j else 0"
    advice: ClassVar[str] = "Precise broader queries: seattle mariners for seattle mariners tickets."

    def query_chunk(self, texts: Sequence[str]) -> Vectors:
        """All runs of a query's words."""
        tokens = tokenise(texts)
        one = np.ones(len(texts), np.int64)
        first, runs = run_hashes(tokens.first, self.features(tokens), one, LONGEST_PHRASE)
        borders, kept, _ = distinct(first, runs)
        return Vectors(borders, runs[kept], np.ones(len(kept)), self.rows)


@measures.register("subset")
@dataclass(frozen=True)
class Subset(WordRows):
    """1 when every word of the candidate is a word of the query, else 0."""

    symmetric: ClassVar[bool] = False
    source: ClassVar[str] = _METZLER
    formula: ClassVar[str] = "1 if C is inside Q, as sets of words, else 0"
    advice: ClassVar[str] = "Broader queries, whatever the order of words."
    graded: bool = setting(False, _GRADED)

    def finish(self, shared: Reals, about: Reals, sizes: Reals) -> Reals:
        """1 where all words of the candidate are shared."""
        return np.where(shared < sizes, 0.0, shared / (shared + 1) if self.graded else 1.0)

    def as_tier(self) -> Self:
        """Longer matches first."""
        return replace(self, graded=True)
