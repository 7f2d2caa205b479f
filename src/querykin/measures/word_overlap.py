"""Texts compared by their own words: the measures of Yih & Meek (2007), section 3.1."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.measures.base import VectorMeasure, measures, setting
from querykin.text.tokenizer import Tokens, tokenize
from querykin.vectors import Vectors

Kind = TypeVar("Kind", bound=type["WordMeasure"])


def distinct(indptr: Int64Array, features: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """For each text its distinct features, rising: where texts begin, one place each, how often it comes."""
    owners = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((features, owners))
    new = np.ones(len(order), np.bool_)
    new[1:] = np.diff(owners[order]).astype(np.bool_) | np.diff(features[order]).astype(np.bool_)
    begins = np.flatnonzero(new)
    kept = order[begins]
    counts = np.diff(np.append(begins, len(order)))
    return make_indptr(np.bincount(owners[kept], minlength=len(indptr) - 1)), kept, counts


class SurfaceMeasure(VectorMeasure):
    """A measure over the words or, where `stems` is true, the stems of the texts themselves."""

    always_scores: ClassVar[bool] = True
    chunk: ClassVar[int] = 4096  # encoding takes no searches
    batch: ClassVar[int] = 64 * 4096
    stems: ClassVar[bool] = False

    def features(self, tokens: Tokens) -> Int64Array:
        """The feature of every token: a hash that is the same in every corpus and without one."""
        return self.expander.corpus.vocabulary.lookup_stems(tokens)[1] if self.stems else tokens.hashes

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The words themselves; for a stem the first word of the texts that has it."""
        tokens = tokenize(texts)
        hashes = self.features(tokens)
        return [tokens.word(int(np.flatnonzero(hashes == feature)[0])) for feature in features]


class WordRows(SurfaceMeasure):
    """A function of what two texts share, q.s, and of their sizes, |q|^2 and |s|^2.

    Over sets q.s is the number of shared words and |q|^2 the number of words.
    """

    frequencies: bool = False

    @property
    def index_name(self) -> str:
        """One index for all measures over the same rows."""
        return ("stem" if self.stems else "word") + ("-frequencies" if self.frequencies else "s")

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Sets of words, or how often each one comes."""
        tokens = tokenize(texts)
        features = self.features(tokens)
        indptr, kept, counts = distinct(tokens.indptr, features)
        weights = counts.astype(np.float64) if self.frequencies else np.ones(len(kept))
        return Vectors(indptr, features[kept], weights, self.index_name)

    def query_stats(self, queries: Vectors) -> Float64Array:
        """|q|^2."""
        return self.candidate_stats(queries)[:, None]

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """|s|^2."""
        return candidates.sums(candidates.weights**2)


@dataclass(frozen=True)
class WordMeasure(WordRows):
    """A measure over sets of words, or over how often each one comes."""

    source: ClassVar[str] = "Yih & Meek 2007"
    frequencies: bool = setting(False, "count how often a word comes instead of whether it does")


def also_over_stems(name: str) -> Callable[[Kind], Kind]:
    """Register a measure under its name and, over Porter's stems, under NAME-stems."""

    def register(kind: Kind) -> Kind:
        measures.register(name)(kind)
        facts = {
            "NAME": f"{name}-stems",
            "stems": True,
            "__doc__": kind.__doc__,
            "__module__": kind.__module__,
        }
        stemmed = type(f"{kind.__name__}Stems", (kind,), facts)
        measures.register(f"{name}-stems")(stemmed)
        globals()[stemmed.__name__] = stemmed  # where pickle looks for it
        return kind

    return register


@also_over_stems("matching")
@dataclass(frozen=True)
class Matching(WordMeasure):
    """The number of words two texts share: |Q & S|."""

    NAME: ClassVar[str] = "matching"
    formula: ClassVar[str] = "|Q & S|"
    advice: ClassVar[str] = "As a feature beside others; alone it favours long texts."


@also_over_stems("dice")
@dataclass(frozen=True)
class Dice(WordMeasure):
    """Twice the shared words over all words of both texts: 2 |Q & S| / (|Q| + |S|)."""

    NAME: ClassVar[str] = "dice"
    formula: ClassVar[str] = "2 |Q & S| / (|Q| + |S|)"
    advice: ClassVar[str] = "Ranks like Jaccard, with more credit for a partial match."

    def score_from_dot(
        self, shared: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """2 q.s / (|q|^2 + |s|^2)."""
        return 2 * shared / (query_stats[..., 0] + candidate_stats)


@also_over_stems("jaccard")
@dataclass(frozen=True)
class Jaccard(WordMeasure):
    """The share of words two texts have in common: |Q & S| / |Q or S|."""

    NAME: ClassVar[str] = "jaccard"
    formula: ClassVar[str] = "|Q & S| / |Q or S|"
    advice: ClassVar[str] = "A floor to compare with, best over stems: near-duplicates, rewordings."

    def score_from_dot(
        self, shared: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """q.s / (|q|^2 + |s|^2 - q.s)."""
        return shared / (query_stats[..., 0] + candidate_stats - shared)


@also_over_stems("overlap")
@dataclass(frozen=True)
class Overlap(WordMeasure):
    """The shared words over the shorter text's: 1 when one text's words all stand in the other."""

    NAME: ClassVar[str] = "overlap"
    formula: ClassVar[str] = "|Q & S| / min(|Q|, |S|)"
    advice: ClassVar[str] = "Finds broader and narrower queries; a one-word query matches all that hold it."

    def score_from_dot(
        self, shared: Float64Array, query_stats: Float64Array, candidate_stats: Float64Array
    ) -> Float64Array:
        """q.s / min(|q|^2, |s|^2)."""
        return shared / np.minimum(query_stats[..., 0], candidate_stats)


@also_over_stems("cosine")
@dataclass(frozen=True)
class Cosine(WordMeasure):
    """The cosine of two texts' word sets: |Q & S| / sqrt(|Q| |S|)."""

    NAME: ClassVar[str] = "cosine"
    kernel: ClassVar[bool] = True
    formula: ClassVar[str] = "|Q & S| / sqrt(|Q| |S|)"
    advice: ClassVar[str] = "The word-level kernel for support vectors and clustering."

    @property
    def index_name(self) -> str:
        """An index of its own: its rows are of unit length."""
        return f"unit-{super().index_name}"

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows."""
        return super().encode_batch(texts).unit()


@measures.register("idf-cosine")
@dataclass(frozen=True)
class IdfCosine(SurfaceMeasure):
    """The cosine of two texts' stems, each weighted by how rare it is in the corpus."""

    NAME: ClassVar[str] = "idf-cosine"
    kernel: ClassVar[bool] = True
    stems: ClassVar[bool] = True
    formula: ClassVar[str] = "sum of idf(t)^2 over shared stems t / (norm of Q x norm of S)"
    advice: ClassVar[str] = "The best measure of the words alone: function words hardly count."

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems."""
        corpus = self.expander.corpus
        tokens = tokenize(texts)
        numbers, hashes = corpus.vocabulary.lookup_stems(tokens)
        indptr, kept, _ = distinct(tokens.indptr, hashes)
        idf = corpus.statistics.stem_idf_of(numbers[kept].astype(np.int64))
        return Vectors(indptr, hashes[kept], idf, f"stems weighted by {corpus.statistics.version}").unit()
