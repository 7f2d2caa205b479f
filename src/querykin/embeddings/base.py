"""The interface of embedding models: texts in, one unit vector per text out."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Int64Array
from querykin.text.normalization import to_nfc
from querykin.text.tokenizer import tokenize_normalized

Float32Matrix: TypeAlias = NDArray[np.float32]


class Embed(Protocol):
    """A model: a thread-safe function from texts to vectors.

    The vector of a text does not depend on the other texts of the call; it is zero if the model knows none of
    its tokens.
    """

    def __call__(self, texts: Sequence[str], /) -> Float32Matrix:
        """One unit vector per text."""

    def pieces(self, texts: Sequence[str]) -> Int64Array:
        """One row per text: its number of word pieces and its number of words.

        The more pieces a word has, the less the model knows it: names of products are spelled out.
        """


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


def pieces_and_words(pieces: Iterable[int], texts: Sequence[str]) -> Int64Array:
    """Numbers of word pieces beside the numbers of words of the same plain texts; an ideograph is a word."""
    words = np.diff(tokenize_normalized([to_nfc(text) for text in texts], bigrams=False).indptr)
    return np.column_stack([np.fromiter(pieces, np.int64, len(texts)), words])
