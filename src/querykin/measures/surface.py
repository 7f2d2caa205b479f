"""Texts compared by their own words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from querykin.compiled import Longs, ragged
from querykin.measures.base import VectorMeasure, measures
from querykin.text import Tokens, tokenise
from querykin.vectors import Vectors


def _distinct(tokens: Tokens, features: Longs) -> tuple[Longs, Longs]:
    """For each text one token per distinct feature, in rising order: where texts begin, and the tokens."""
    owners = np.repeat(np.arange(len(tokens.first) - 1), np.diff(tokens.first))
    order = np.lexsort((features, owners))
    new = np.ones(len(order), np.bool_)
    new[1:] = np.diff(owners[order]).astype(np.bool_) | np.diff(features[order]).astype(np.bool_)
    kept = order[new]
    return ragged(np.bincount(owners[kept], minlength=len(tokens.first) - 1)), kept


@measures.register("cosine")
@dataclass(frozen=True)
class Cosine(VectorMeasure):
    """The cosine of two texts' word sets: |Q & S| / sqrt(|Q| |S|)."""

    kernel: ClassVar[bool] = True
    always_scores: ClassVar[bool] = True

    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over words."""
        tokens = tokenise(texts)
        first, kept = _distinct(tokens, tokens.hashes)
        return Vectors(first, tokens.hashes[kept], np.ones(len(kept)), "words").unit()

    def label(self, features: Longs, texts: Sequence[str]) -> list[str]:
        """The words themselves."""
        tokens = tokenise(texts)
        return [tokens.word(int(np.flatnonzero(tokens.hashes == feature)[0])) for feature in features]


@measures.register("idf-cosine")
@dataclass(frozen=True)
class IdfCosine(VectorMeasure):
    """The cosine of two texts' stems, each weighted by how rare it is in the corpus."""

    kernel: ClassVar[bool] = True
    always_scores: ClassVar[bool] = True

    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems."""
        corpus = self.expander.corpus
        tokens = tokenise(texts)
        numbers, hashes = corpus.vocabulary.lookup_stems(tokens)
        first, kept = _distinct(tokens, hashes)
        idf = corpus.statistics.stem_idf_of(numbers[kept].astype(np.int64))
        return Vectors(first, hashes[kept], idf, f"stems weighted by {corpus.statistics.epoch}").unit()

    def label(self, features: Longs, texts: Sequence[str]) -> list[str]:
        """The first word of the texts that has the stem."""
        tokens = tokenise(texts)
        hashes = self.expander.corpus.vocabulary.lookup_stems(tokens)[1]
        return [tokens.word(int(np.flatnonzero(hashes == feature)[0])) for feature in features]
