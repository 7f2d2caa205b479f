"""Distributional similarity by co-occurrence vectors, without search (Alfonseca, Hall & Hartmann 2009)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, make_indptr
from querykin.cooccurrence.association import Weighting, associated, geometric_means
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.corpus.vocabulary import Vocabulary
from querykin.measures.base import register
from querykin.measures.parameters import number
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.measures.vector_measure import VectorMeasure
from querykin.text.tokenizer import Tokens
from querykin.types import Explanation
from querykin.vectors import Vectors, concatenate


@dataclass(frozen=True)
class CooccurrenceMeasure(VectorMeasure):
    """A measure over co-occurrence counts."""

    vocabulary: Vocabulary = field(repr=False, compare=False)
    counts: CooccurrenceCounts = field(repr=False, compare=False)

    @classmethod
    def requirements(cls) -> Requirements:
        """A corpus and its co-occurrence counts."""
        return Requirements(corpus=True, derived=("cooccurrence",))

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the co-occurrence counts of the corpus."""
        return cls(resources.counted_vocabulary, resources.cooccurrence, **parameters)

    @property
    def space(self) -> str:
        """The parameters and the version of the counts."""
        return self.index_settings

    @property
    def index_settings(self) -> str:
        """The parameters and the version of the counts."""
        return f"{self!r} counted {self.counts.version}"

    def known_words(self, tokens: Tokens) -> Int32Array:
        """The id of every token's word; -1 where the word has no co-occurrences."""
        words = self.vocabulary.lookup(tokens)
        marginals = self.counts.marginals
        known = (words >= 0) & (words < len(marginals))
        known[known] = marginals[words[known]] > 0
        return np.where(known, words, -1).astype(np.int32)

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The words themselves."""
        return [self.vocabulary.word(int(feature)) for feature in features]


@register("distributional")
@dataclass(frozen=True)
class Distributional(CooccurrenceMeasure):
    """How similar the contexts of two texts' words are over the whole corpus.

    The weight of a context is the geometric mean of its co-occurrence counts with the text's words, compared
    with chance by normalized pointwise mutual information (npmi) or by the paper's chi-square statistic.
    Words that are not in the corpus are ignored; if the others have no context in common, the text is not
    covered.
    """

    NAME: ClassVar[str] = "distributional"
    kernel: ClassVar[bool] = True
    phrases: ClassVar[bool] = False
    source: ClassVar[str] = "Alfonseca, Hall & Hartmann 2009 (unigrams)"
    formula: ClassVar[str] = "cosine over contexts c of the association of (f_1c f_2c ... f_kc)^(1/k) with c"
    advice: ClassVar[str] = "Words of the same kind, without search; weak for texts of several rare words."
    weighting: Annotated[
        Weighting, Field(description="how association is measured: chi-square, root (of chi-square) or npmi")
    ] = "npmi"
    smoothing: Annotated[
        float,
        number("added to every count, so that one word that never occurs with a context does not decide"),
    ] = 0.0
    terms: Annotated[int, number("strongest contexts of a text that are kept", ge=1)] = 400

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over context words."""
        counts, tokens = self.counts, self.vocabulary.analyzer.tokenize(texts)
        indptr, _, phrases, words = self._pieces(tokens)
        known = (phrases >= 0) | (words >= 0)
        kept = make_indptr(known)[indptr]
        listed, spoken = np.unique(phrases[phrases >= 0]), np.unique(words[known & (phrases < 0)])
        rows = concatenate(
            [counts.rows(listed.astype(np.int64), True), counts.rows(spoken.astype(np.int64), False)]
        )
        places = np.where(
            phrases >= 0, np.searchsorted(listed, phrases), len(listed) + np.searchsorted(spoken, words)
        )
        means = geometric_means(kept, places[known], rows, len(counts.marginals), self.smoothing)
        strong = associated(means, counts.marginals, counts.total, self.weighting).top(self.terms)
        return replace(strong, space=self.space).unit()

    def _pieces(self, tokens: Tokens) -> tuple[Int64Array, Int64Array, Int32Array, Int32Array]:
        """Where texts begin, and of each piece: its first token, its phrase or -1, its known word or -1."""
        usable: BoolArray = (
            self.counts.frequent_phrases if self.phrases else np.zeros(len(self.counts.phrases), np.bool_)
        )
        indptr, begins, phrases = self.counts.phrases.chunk(tokens, usable)
        return indptr, begins, phrases, self.known_words(tokens)[begins]

    def explain(self, a: str, b: str) -> Explanation:
        """The contexts that both texts share, and how each text was taken apart."""
        notes = tuple(f"{side}: {note}" for side, text in (("a", a), ("b", b)) for note in self._notes(text))
        return replace(super().explain(a, b), notes=notes)

    def _notes(self, text: str) -> list[str]:
        tokens = self.vocabulary.analyzer.tokenize([text])
        _, begins, phrases, words = self._pieces(tokens)
        pieces = [tokens.run(begin, end) for begin, end in pairwise([*begins.tolist(), len(tokens.begin)])]
        left_out = [piece for piece, p, w in zip(pieces, phrases, words, strict=True) if p < 0 and w < 0]
        unknown = list(dict.fromkeys(left_out))
        used = [piece for piece in pieces if piece not in unknown]
        notes = [f"taken as {' + '.join(f'[{piece}]' for piece in used)}"] if used else []
        return notes + ([f"unknown and left out: {', '.join(unknown)}"] if unknown else [])


@register("distributional-ngrams")
@dataclass(frozen=True)
class DistributionalNgrams(Distributional):
    """How similar the contexts of two texts' phrases and words are over the whole corpus.

    The text is first segmented into listed phrases (titles, quoted phrases, repeated queries and n-grams
    that many queries contain), the longest first; a phrase has co-occurrence counts of its own.
    """

    NAME: ClassVar[str] = "distributional-ngrams"
    phrases: ClassVar[bool] = True
    source: ClassVar[str] = "Alfonseca, Hall & Hartmann 2009 (n-grams)"
    advice: ClassVar[str] = "Names and fixed phrases whose meaning is not that of their words."
