"""Static embeddings: the mean of word-piece vectors, thousands of texts per second."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Float64Array
from querykin.embeddings.base import EmbeddingModel, Float32Matrix, plain, unit, whole_words
from querykin.embeddings.packaged_files import WORD_VECTORS, WORD_VECTORS_TOKENIZER
from querykin.errors import InputError, MissingPackage

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MANY = 16  # texts, from which on it pays to convert all vectors rather than those of each text


@dataclass(frozen=True)
class StaticModel:
    """A vector for each word piece, independent of context; a text is the normalized mean of its pieces."""

    tokenizer: "Tokenizer"
    vectors: NDArray[np.float16]  # one row per word piece
    identity: str = ""

    def __call__(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit vector per text; zero for a text without word pieces."""
        vectors = self.vectors if len(texts) < _MANY else self._converted
        rows = np.zeros((len(texts), vectors.shape[1]), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if tokens := self._tokens(plain(text)):
                row[:] = vectors[tokens].astype(np.float32, copy=False).mean(axis=0)
        return unit(rows)

    @cached_property
    def _converted(self) -> Float32Matrix:
        return self.vectors.astype(np.float32)

    def whole_words(self, texts: Sequence[str]) -> Float64Array:
        """The share of each text's words that are one word piece each."""
        return whole_words(texts, lambda word: len(self._tokens(word)) == 1)

    def _tokens(self, text: str) -> list[int]:
        # The empty text is left out: this tokenizer has word pieces for spaces too.
        return self.tokenizer.encode(text, add_special_tokens=False).ids if text else []


def load(model: str = "") -> EmbeddingModel:
    """The word-piece vectors of the package wordllama (256 dimensions), the only static model."""
    if model:
        raise InputError(f"word-piece vectors come as one model only: leave its name empty, got {model!r}")
    return _packaged()


@lru_cache
def _packaged() -> EmbeddingModel:
    # Not by wordllama's own loader: it looks for its tokenizer in the wrong folder, downloads it, writes to
    # the home directory, and configures logging when imported.
    purpose = "word-piece vectors"
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingPackage(purpose, str(error.name).partition(".")[0]) from None
    missing = MissingPackage(purpose, WORD_VECTORS.requirement)
    weights, tokenizer = WORD_VECTORS.verified(missing), WORD_VECTORS_TOKENIZER.verified(missing)
    vectors = load_file(weights)["embedding.weight"]
    identity = f"{WORD_VECTORS.package} {WORD_VECTORS.sha256[0][:16]}"
    return StaticModel(Tokenizer.from_file(str(tokenizer)), vectors, identity)
