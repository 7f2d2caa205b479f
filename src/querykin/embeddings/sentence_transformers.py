"""Texts as rows of any model of the package sentence-transformers, where the user has it."""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from querykin.embeddings.base import Embed, Float32Matrix, plain, unit
from querykin.errors import InputError, MissingExtra


@dataclass(frozen=True)
class TransformersModel:
    """A model as the package loads it, used by one thread at a time."""

    model: Any
    width: int = 0
    # Its tokeniser is changed by every call, and fails ("Already borrowed") when two threads do that at once.
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def __call__(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit row per text; zeros for a blank text."""
        rows = np.zeros((len(texts), self.width), np.float32)
        contents = [plain(text) for text in texts]
        places = [place for place, content in enumerate(contents) if content]
        if places:
            rows[places] = self.run([contents[place] for place in places])
        return rows

    def run(self, texts: list[str]) -> Float32Matrix:
        """The rows of texts that are not blank."""
        with self.lock:
            # One at a time: padding, and low precision even more, make rows depend on their neighbours.
            rows = self.model.encode(texts, batch_size=1, convert_to_numpy=True, show_progress_bar=False)
        return unit(np.asarray(rows))


def load(model: str) -> Embed:
    """The sentence-transformers model of a name or in a folder; a name is downloaded if it is new."""
    folder = os.path.expanduser(model)
    return _open(os.path.realpath(folder) if os.path.isdir(folder) else model)


@lru_cache
def _open(model: str) -> Embed:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtra(f"the sentence model {model!r}", "sentence-transformers") from None
    try:
        loaded = TransformersModel(SentenceTransformer(model))
    except (OSError, ValueError) as error:
        raise InputError(
            f"sentence-transformers has no model {model!r}; give a name that it knows, or a folder: {error}"
        ) from error
    return TransformersModel(loaded.model, loaded.run(["width"]).shape[1])
