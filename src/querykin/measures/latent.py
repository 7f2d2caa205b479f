"""Texts as means of word vectors that were learned from the corpus itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from querykin.cooccurrence.latent import LatentVectors
from querykin.embeddings.base import Float32Matrix, unit
from querykin.errors import InputError
from querykin.measures.base import measures, setting
from querykin.measures.embedding import EmbeddingMeasure
from querykin.measures.resources import Resources
from querykin.text.tokenizer import tokenize


@measures.register("latent")
@dataclass(frozen=True)
class LatentMeasure(EmbeddingMeasure):
    """The cosine of two texts' mean word vectors, learned from which words stand near which in your corpus.

    A word counts a / (a + P(w)), so that common words hardly do. Words that are not among the corpus's
    commonest are left out.
    """

    NAME: ClassVar[str] = "latent"
    needs_corpus: ClassVar[bool] = True
    learns: ClassVar[tuple[str, ...]] = ("cooccurrence", "latent")
    formula: ClassVar[str] = (
        "cosine of sum of a / (a + P(w)) v(w), v from the singular values of positive PMI"
    )
    source: ClassVar[str] = "Levy, Goldberg & Dagan 2015; Arora, Liang & Ma 2017"
    advice: ClassVar[str] = "The language of your own documents, without a model from elsewhere."
    rarity: float = setting(0.0001, "a: how fast common words lose weight")
    vectors: LatentVectors | None = field(default=None, repr=False, compare=False)

    @classmethod
    def assemble(cls, sources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the vectors learnt so far."""
        return cls(sources.expander, vectors=sources.latent, **parameters)

    @property
    def index_settings(self) -> str:
        """The parameters, and the state of the vectors."""
        return f"{self!r} of {self._learned.state}"

    @property
    def _learned(self) -> LatentVectors:
        if self.vectors is None:
            raise InputError("latent needs vectors of words; take it from a Workspace")
        return self.vectors

    def embed(self, texts: Sequence[str]) -> Float32Matrix:
        """Weighted means, made unit vectors."""
        learned, tokens = self._learned, tokenize(texts)
        numbers = self.expander.corpus.vocabulary.lookup(tokens)
        place = np.searchsorted(learned.words, numbers).clip(max=max(0, len(learned.words) - 1))
        known = learned.words[place] == numbers if len(learned.words) else np.zeros(len(numbers), np.bool_)
        rows = np.zeros((len(texts), learned.vectors.shape[1]))
        owners = np.repeat(np.arange(len(texts)), np.diff(tokens.indptr))[known]
        weights = self.rarity / (self.rarity + learned.probabilities[place[known]])
        np.add.at(rows, owners, weights[:, None] * learned.vectors[place[known]].astype(np.float64))
        return unit(rows)
