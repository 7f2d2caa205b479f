"""Static embeddings: the mean of word-piece vectors, thousands of texts per second."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from querykin.embeddings.base import EmbeddingModel, Float32Matrix, packaged_file, plain, unit
from querykin.errors import InputError, MissingExtra
from querykin.storage.store import checksum

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama"  # MIT; two of its files are read, its code is not imported (see _packaged)


@dataclass(frozen=True)
class StaticModel:
    """A vector for each word piece, independent of context; a text is the normalized mean of its pieces."""

    tokenizer: "Tokenizer"
    pieces: Float32Matrix
    identity: str = ""

    def __call__(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit vector per text; zero for a text without word pieces."""
        rows = np.zeros((len(texts), self.pieces.shape[1]), np.float32)
        for row, text in zip(rows, texts, strict=True):
            # Blank texts are skipped: this tokenizer has word pieces for spaces too.
            if content := plain(text):
                encoding = self.tokenizer.encode(content, add_special_tokens=False)
                row[:] = self.pieces[encoding.ids].mean(axis=0)
        return unit(rows)


def load(model: str = "") -> EmbeddingModel:
    """The word-piece vectors of the package wordllama (256 dimensions), the only static model."""
    if model:
        raise InputError(f"word-piece vectors come as one model only: leave its name empty, got {model!r}")
    return _packaged()


@lru_cache
def _packaged() -> EmbeddingModel:
    # wordllama's own loader (0.4.0) looks for its tokenizer in the wrong folder, downloads it, writes to the
    # home directory, and configures logging when imported.
    missing = MissingExtra("word-piece vectors", "static")
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError:
        raise missing from None
    weights = packaged_file(PACKAGE, "weights/l2_supercat_256.safetensors", missing)
    tokenizer = packaged_file(PACKAGE, "tokenizers/l2_supercat_tokenizer_config.json", missing)
    pieces = load_file(weights)["embedding.weight"].astype(np.float32)
    identity = f"{PACKAGE} {checksum(weights):08x} {checksum(tokenizer):08x}"
    return StaticModel(Tokenizer.from_file(str(tokenizer)), pieces, identity)
