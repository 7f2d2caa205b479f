"""What every model offers: texts in, one unit row per text out."""

import re
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from querykin.errors import MissingExtra

Float32Matrix: TypeAlias = NDArray[np.float32]

# A text's row does not depend on the texts beside it, and is zeros where the model knows none of its tokens.
# Threads may share it.
Embed: TypeAlias = Callable[[Sequence[str]], Float32Matrix]

_BLANKS = re.compile("[\\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")  # tokenisers refuse the last, lone surrogates


def plain(text: str) -> str:
    r"""The text with one blank for every run of blanks, control characters and broken characters.

    >>> plain("  car\0\ud83d   hire\n")
    'car hire'
    """
    return _BLANKS.sub(" ", text).strip()


def unit(rows: NDArray[np.floating[Any]]) -> Float32Matrix:
    """Rows of length 1, in single precision; a row of zeros stays one."""
    wide = rows.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def packaged_file(package: str, ending: str, missing: MissingExtra) -> Path:
    """A file of an installed package, found without importing any of its code."""
    try:
        found = [file for file in files(package) or [] if file.as_posix().endswith(ending)]
    except PackageNotFoundError:
        found = []
    if not found:
        raise missing
    return Path(str(found[0].locate()))
