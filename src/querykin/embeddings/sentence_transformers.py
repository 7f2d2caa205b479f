"""Models of the package sentence-transformers, if it is installed."""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from querykin.embeddings.base import EmbeddingModel, Float32Matrix, plain, unit
from querykin.errors import InputError, MissingExtra


@dataclass(frozen=True)
class TransformersModel:
    """A loaded model, used by one thread at a time."""

    model: Any
    identity: str
    width: int = 0
    # Every call changes its tokenizer, which fails ("Already borrowed") in concurrent calls.
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def __call__(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit vector per text; zero for a blank text."""
        rows = np.zeros((len(texts), self.width), np.float32)
        contents = [plain(text) for text in texts]
        filled = [row for row, content in enumerate(contents) if content]
        if filled:
            rows[filled] = self.run([contents[row] for row in filled])
        return rows

    def run(self, texts: list[str]) -> Float32Matrix:
        """The vectors of texts that are not blank."""
        with self.lock:
            # One at a time: padding and low precision make vectors depend on the rest of the batch.
            rows = self.model.encode(texts, batch_size=1, convert_to_numpy=True, show_progress_bar=False)
        return unit(np.asarray(rows))


def load(model: str) -> EmbeddingModel:
    """The model with a name or in a folder; by name it is downloaded if necessary."""
    folder = os.path.expanduser(model)
    return _open(os.path.realpath(folder) if os.path.isdir(folder) else model)


@lru_cache
def _open(model: str) -> EmbeddingModel:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtra(f"the sentence model {model!r}", "sentence-transformers") from None
    try:
        loaded = TransformersModel(SentenceTransformer(model), f"sentence-transformers {model}")
    except (OSError, ValueError) as error:
        raise InputError(
            f"sentence-transformers has no model {model!r}; give a name that it knows, or a folder: {error}"
        ) from error
    return replace(loaded, width=loaded.run(["width"]).shape[1])
