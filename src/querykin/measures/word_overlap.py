"""Word overlap of two texts: the set measures of Yih & Meek (2007), section 3.1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from querykin.compute.arrays import Float64Array
from querykin.measures.base import register
from querykin.measures.surface import SurfaceMeasure, distinct_features
from querykin.vectors import Vectors


@dataclass(frozen=True)
class WordSetMeasure(SurfaceMeasure):
    """A function of the inner product q.s of two rows and of their squared norms |q|^2 and |s|^2.

    Over sets q.s is the number of shared words and |q|^2 the number of words.
    """

    @property
    def counts_frequencies(self) -> bool:
        """Whether a row holds term frequencies instead of a set."""
        return False

    @property
    def index_name(self) -> str:
        """One index for all measures over the same rows."""
        return ("stem" if self.over_stems else "word") + ("-frequencies" if self.counts_frequencies else "s")

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Sets of words, or term frequencies."""
        tokens = self.analyzer.tokenize(texts)
        features = self.features(tokens)
        indptr, positions, counts = distinct_features(tokens.indptr, features)
        weights = counts.astype(np.float64) if self.counts_frequencies else np.ones(len(positions))
        return Vectors(indptr, features[positions], weights, self.space)

    def query_stats(self, queries: Vectors) -> Float64Array:
        """|q|^2."""
        return self.candidate_stats(queries)[:, None]

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """|s|^2."""
        return candidates.sums(candidates.weights**2)


@dataclass(frozen=True)
class WordMeasure(WordSetMeasure):
    """A measure over sets of words or term frequencies, of words or of stems.

    >>> Jaccard(stems=True).score("garden hose", ["hose for gardens"]).round(3)
    array([0.667])
    """

    source: ClassVar[str] = "Yih & Meek 2007"
    frequencies: Annotated[
        bool, Field(description="count how often a word occurs instead of whether it does")
    ] = False
    stems: bool = False  # fixed by the measure's name: NAME or NAME-stems

    @property
    def name(self) -> str:
        """The registered name: over stems it ends in -stems."""
        return f"{self.NAME}-stems" if self.stems else self.NAME

    @property
    def over_stems(self) -> bool:
        """Whether the features are stems."""
        return self.stems

    @property
    def counts_frequencies(self) -> bool:
        """Whether a row holds term frequencies."""
        return self.frequencies


@register("matching")
@register("matching-stems", stems=True)
@dataclass(frozen=True)
class Matching(WordMeasure):
    """The number of words two texts share: |Q & S|."""

    NAME: ClassVar[str] = "matching"
    bounded: ClassVar[bool] = False
    formula: ClassVar[str] = "|Q & S|"
    advice: ClassVar[str] = "As a feature beside others; alone it favors long texts."


@register("dice")
@register("dice-stems", stems=True)
@dataclass(frozen=True)
class Dice(WordMeasure):
    """Twice the shared words over all words of both texts: 2 |Q & S| / (|Q| + |S|)."""

    NAME: ClassVar[str] = "dice"
    formula: ClassVar[str] = "2 |Q & S| / (|Q| + |S|)"
    advice: ClassVar[str] = "Ranks like Jaccard, with more credit for a partial match."

    def score_from_dot(
        self, dots: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """2 q.s / (|q|^2 + |s|^2)."""
        return 2 * dots / (query_stats[..., 0] + candidate_stats)


@register("jaccard")
@register("jaccard-stems", stems=True)
@dataclass(frozen=True)
class Jaccard(WordMeasure):
    """The share of words two texts have in common: |Q & S| / |Q or S|."""

    NAME: ClassVar[str] = "jaccard"
    formula: ClassVar[str] = "|Q & S| / |Q or S|"
    advice: ClassVar[str] = "A baseline to compare with, best over stems: near-duplicates, rewordings."

    def score_from_dot(
        self, dots: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """q.s / (|q|^2 + |s|^2 - q.s)."""
        return dots / (query_stats[..., 0] + candidate_stats - dots)


@register("overlap")
@register("overlap-stems", stems=True)
@dataclass(frozen=True)
class Overlap(WordMeasure):
    """The shared words over the words of the shorter text: 1 when one contains all words of the other."""

    NAME: ClassVar[str] = "overlap"
    formula: ClassVar[str] = "|Q & S| / min(|Q|, |S|)"
    advice: ClassVar[str] = (
        "Finds broader and narrower queries; a one-word query matches all that contain it."
    )

    def score_from_dot(
        self, dots: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """q.s / min(|q|^2, |s|^2)."""
        return dots / np.minimum(query_stats[..., 0], candidate_stats)


@register("cosine")
@register("cosine-stems", stems=True)
@dataclass(frozen=True)
class Cosine(WordMeasure):
    """The cosine of two texts' word sets: |Q & S| / sqrt(|Q| |S|)."""

    NAME: ClassVar[str] = "cosine"
    kernel: ClassVar[bool] = True
    formula: ClassVar[str] = "|Q & S| / sqrt(|Q| |S|)"
    advice: ClassVar[str] = "The word-level kernel for support vector machines and clustering."

    @property
    def index_name(self) -> str:
        """An index of its own: its rows have unit norm."""
        return f"unit-{super().index_name}"

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows."""
        return super().encode_batch(texts).unit()
