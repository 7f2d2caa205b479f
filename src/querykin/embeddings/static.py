"""Static embeddings: the mean of word-piece vectors, thousands of texts per second."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.embeddings.base import Embed, Float32Matrix, pieces_and_words, plain, unit
from querykin.embeddings.packaged_files import WORD_VECTORS, WORD_VECTORS_TOKENIZER
from querykin.errors import InputError, MissingPackage

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class StaticModel:
    """A vector for each word piece, independent of context; a text is the normalized mean of its pieces."""

    tokenizer: "Tokenizer"
    vectors: Float32Matrix  # one row per word piece

    def __call__(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit vector per text; zero for a text without word pieces."""
        rows = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if tokens := self._tokens(plain(text)):
                row[:] = self.vectors[tokens].mean(axis=0)
        return unit(rows)

    def pieces(self, texts: Sequence[str]) -> Int64Array:
        """One row per text: its number of word pieces and its number of words."""
        contents = [plain(text) for text in texts]
        return pieces_and_words((len(self._tokens(text)) for text in contents), contents)

    def _tokens(self, text: str) -> list[int]:
        # The empty text is left out: this tokenizer has word pieces for spaces too.
        return self.tokenizer.encode(text, add_special_tokens=False).ids if text else []


def load(model: str = "") -> Embed:
    """The word-piece vectors of the package wordllama (256 dimensions), the only static model."""
    if model:
        raise InputError(f"word-piece vectors come as one model only: leave its name empty, got {model!r}")
    return _packaged()


@lru_cache
def _packaged() -> Embed:
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
    vectors = load_file(weights)["embedding.weight"].astype(np.float32)
    return StaticModel(Tokenizer.from_file(str(tokenizer)), vectors)
