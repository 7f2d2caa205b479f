"""The interface of embedding models: texts in, one unit vector per text out."""

import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from querykin.errors import MissingExtra

Float32Matrix: TypeAlias = NDArray[np.float32]


class EmbeddingModel(Protocol):
    """A model: a thread-safe function from texts to vectors.

    The vector of a text does not depend on the other texts of the call; it is zero if the model knows none of
    its tokens.
    """

    @property
    def identity(self) -> str:
        """The model by name and checksum; models with equal identities give equal vectors."""

    def __call__(self, texts: Sequence[str], /) -> Float32Matrix:
        """One unit vector per text."""


_WHITESPACE = re.compile("[\\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")  # tokenizers reject lone surrogates


def plain(text: str) -> str:
    r"""The text with every run of whitespace, control characters and lone surrogates as one space.

    >>> plain("  car\0\ud83d   hire\n")
    'car hire'
    """
    return _WHITESPACE.sub(" ", text).strip()


def unit(rows: NDArray[np.floating[Any]]) -> Float32Matrix:
    """L2-normalized rows in single precision; zero rows stay zero."""
    wide = rows.astype(np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(norms > 0, norms, 1.0)).astype(np.float32)


def packaged_file(package: str, suffix: str, missing: MissingExtra) -> Path:
    """A file of an installed package, located without importing it; `missing` is raised if there is none."""
    try:
        matches = [file for file in files(package) or [] if file.as_posix().endswith(suffix)]
    except PackageNotFoundError:
        matches = []
    if not matches:
        raise missing
    return Path(str(matches[0].locate()))
