"""Cosine of pretrained embeddings: static word-piece vectors or sentence embeddings."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.scalar_quantization import scalar_quantize
from querykin.embeddings import static
from querykin.embeddings.base import Float32Matrix
from querykin.embeddings.encoder_support import ENCODER_PACKAGES
from querykin.embeddings.sentence_models import sentence_model
from querykin.measures.base import register
from querykin.measures.families import Family
from querykin.measures.requirements import Requirements
from querykin.measures.vector_measure import Layout, VectorMeasure
from querykin.text.tokenizer import words
from querykin.types import Explanation
from querykin.vectors import Vectors, dense_vectors

PIECES = 16  # of a text that are left out in turn to explain a score: each costs an embedding
LABEL = 70  # characters shown of a piece
TOGETHER = "(all words together)"


def dense_rows(matrix: NDArray[np.floating[Any]], space: str) -> Vectors:
    """A matrix as rows that hold every feature, quantized to 8 bits; a row of zeros is empty."""
    return dense_vectors(*scalar_quantize(matrix.astype(np.float64)), space)


def leave_one_out(text: str) -> tuple[list[str], list[str]]:
    """The words of a text, and the text without each of them; a long text is taken in stretches of words.

    >>> leave_one_out("cheap car hire")
    (['cheap', 'car', 'hire'], ['car hire', 'cheap hire', 'cheap car'])
    """
    own = words(text)
    step = max(1, -(-len(own) // PIECES))
    begins = range(0, len(own), step)
    pieces = [shorten(" ".join(own[i : i + step]), LABEL, placeholder=" ...") for i in begins]
    return pieces, [" ".join(own[:i] + own[i + step :]) for i in begins]


@dataclass(frozen=True)
class EmbeddingMeasure(VectorMeasure):
    """The cosine of two texts' vectors, from -1 to 1; a text without a known token has no vector."""

    family: ClassVar[Family] = Family.EMBEDDINGS
    scores_all_rows: ClassVar[bool] = True
    layout: ClassVar[Layout] = "dense"

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit vector a text, zeros where the model knows none of its words."""

    @property
    def space(self) -> str:
        """The model and its parameters."""
        return self.index_settings

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """The vectors as rows that hold every feature."""
        return dense_rows(self.embed(texts), self.space)

    def candidate_stats(self, candidates: Vectors) -> Float64Array:
        """1, or 0 for a text without a vector."""
        return candidates.covered.astype(np.float64)

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """Dimensions have no names."""
        return [f"dimension {feature}" for feature in features]

    def explain(self, a: str, b: str) -> Explanation:
        """What each word of the first text adds: the score with it less the score without it."""
        pieces, without = leave_one_out(a)
        score, *others = self.score_pairs([a, *without], [b] * (1 + len(without))).tolist()
        if np.isnan(score):
            return self.explanation(a, b, score, [], np.zeros(0))
        shares = score - np.nan_to_num(np.array(others))
        names, shares = [*pieces, TOGETHER], np.append(shares, score - shares.sum())
        order = np.argsort(-shares, kind="stable")
        return self.explanation(a, b, score, [names[i] for i in order], shares[order])


@register("static")
@dataclass(frozen=True)
class Static(EmbeddingMeasure):
    """The cosine of two texts' mean word vectors: what general language knows, at next to no cost."""

    NAME: ClassVar[str] = "static"
    formula: ClassVar[str] = "cosine of the mean of each text's word-piece vectors"
    source: ClassVar[str] = "the package wordllama (MIT)"
    advice: ClassVar[str] = "Everyday words and synonyms; it knows nothing of your own names and products."

    @classmethod
    def requirements(cls) -> Requirements:
        """Packages of the base installation, which may still be absent."""
        return Requirements(packages=("wordllama", "tokenizers", "safetensors"))

    def embed(self, texts: Sequence[str]) -> Float32Matrix:
        """The mean of word-piece vectors."""
        return static.load()(texts)


@register("dense")
@dataclass(frozen=True)
class Dense(EmbeddingMeasure):
    """The cosine of two texts' sentence embeddings, by default those of all-MiniLM-L6-v2."""

    NAME: ClassVar[str] = "dense"
    formula: ClassVar[str] = "cosine of the embeddings of both texts"
    source: ClassVar[str] = "all-MiniLM-L6-v2 (Apache-2.0), or a model of your own"
    advice: ClassVar[str] = (
        "The strongest single opinion on general language; a hundred times slower than static."
    )
    model: Annotated[
        str, Field(description="a folder with model.onnx and tokenizer.json, or a sentence-transformers name")
    ] = ""

    @classmethod
    def requirements(cls) -> Requirements:
        """The packages of the extra `dense`."""
        return Requirements(packages=ENCODER_PACKAGES)

    def embed(self, texts: Sequence[str]) -> Float32Matrix:
        """The model's embeddings."""
        return sentence_model(self.model)(texts)
