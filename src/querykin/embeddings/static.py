"""Texts as the mean of static word-piece vectors: thousands of texts a second, no network to run."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from querykin.embeddings.base import Embed, Float32Matrix, packaged_file, plain, unit
from querykin.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama"  # MIT; two of its files are read, its code is never imported (see _packaged)


@dataclass(frozen=True)
class StaticModel:
    """A vector for each word piece, whatever stands beside it; a text's row is their mean, made a unit."""

    tokenizer: "Tokenizer"
    pieces: Float32Matrix

    def __call__(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit row per text; zeros for a text without any word piece."""
        rows = np.zeros((len(texts), self.pieces.shape[1]), np.float32)
        for row, text in zip(rows, texts, strict=True):
            # A blank text is not asked about: this tokeniser has word pieces for blanks too.
            if content := plain(text):
                found = self.tokenizer.encode(content, add_special_tokens=False)
                row[:] = self.pieces[found.ids].mean(axis=0)
        return unit(rows)


def load(model: str = "") -> Embed:
    """The word-piece vectors of the package wordllama (256 numbers a text), the only ones there are."""
    if model:
        raise InputError(f"word-piece vectors come as one model only: leave its name empty, got {model!r}")
    return _packaged()


@lru_cache
def _packaged() -> Embed:
    # Not through wordllama's own loader: it looks for its tokeniser in the wrong folder (0.4.0), asks the
    # network for it, writes to the user's home, and its import sets up the program's logging.
    missing = MissingExtra("word-piece vectors", "static")
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError:
        raise missing from None
    weights = packaged_file(PACKAGE, "weights/l2_supercat_256.safetensors", missing)
    tokenizer = packaged_file(PACKAGE, "tokenizers/l2_supercat_tokenizer_config.json", missing)
    pieces = load_file(weights)["embedding.weight"].astype(np.float32)
    return StaticModel(Tokenizer.from_file(str(tokenizer)), pieces)
