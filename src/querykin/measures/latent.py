"""Mean word vectors learned from the corpus: PPMI, truncated SVD, smooth inverse frequency weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from querykin.cooccurrence.latent import LatentVectors
from querykin.corpus.vocabulary import Vocabulary
from querykin.embeddings.base import Float32Matrix, unit
from querykin.measures.base import register
from querykin.measures.embedding import EmbeddingMeasure
from querykin.measures.parameters import number
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources


@register("latent")
@dataclass(frozen=True)
class LatentMeasure(EmbeddingMeasure):
    """The cosine of two texts' mean word vectors, learned from the co-occurrence counts of your corpus.

    The weight of a word is a / (a + P(w)), so that frequent words count little. Words that are not among the
    most frequent of the corpus are ignored.
    """

    vocabulary: Vocabulary = field(repr=False, compare=False)
    vectors: LatentVectors = field(repr=False, compare=False)
    NAME: ClassVar[str] = "latent"
    formula: ClassVar[str] = (
        "cosine of sum of a / (a + P(w)) v(w), v from the singular values of positive PMI"
    )
    source: ClassVar[str] = "Levy, Goldberg & Dagan 2015; Arora, Liang & Ma 2017"
    advice: ClassVar[str] = "The language of your own documents, without a model from elsewhere."
    rarity: Annotated[float, number("a: how fast common words lose weight")] = 0.0001

    @classmethod
    def requirements(cls) -> Requirements:
        """A corpus, its co-occurrence counts and the vectors made of them."""
        return Requirements(corpus=True, derived=("cooccurrence", "latent"))

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the latent vectors of the corpus."""
        return cls(resources.expander.corpus.vocabulary, resources.latent, **parameters)

    @property
    def index_settings(self) -> str:
        """The parameters and the version of the vectors."""
        return f"{self!r} of {self.vectors.version}"

    def embed(self, texts: Sequence[str]) -> Float32Matrix:
        """Weighted means, made unit vectors."""
        vectors, tokens = self.vectors, self.vocabulary.analyzer.tokenize(texts)
        numbers = self.vocabulary.lookup(tokens)
        place = np.searchsorted(vectors.words, numbers).clip(max=max(0, len(vectors.words) - 1))
        known = vectors.words[place] == numbers if len(vectors.words) else np.zeros(len(numbers), np.bool_)
        rows = np.zeros((len(texts), vectors.vectors.shape[1]))
        owners = np.repeat(np.arange(len(texts)), np.diff(tokens.indptr))[known]
        weights = self.rarity / (self.rarity + vectors.probabilities[place[known]])
        np.add.at(rows, owners, weights[:, None] * vectors.vectors[place[known]].astype(np.float64))
        return unit(rows)
