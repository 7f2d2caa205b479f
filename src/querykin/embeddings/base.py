"""The interface of embedding models: texts in, one unit vector per text out."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Float64Array
from querykin.text.normalization import to_nfc
from querykin.text.tokenizer import tokenize_normalized

Float32Matrix: TypeAlias = NDArray[np.float32]
UNKNOWN = {"[UNK]", "<unk>"}  # word pieces of words in an alphabet that a tokenizer does not have


class EmbeddingModel(Protocol):
    """A model that gives texts their vectors; threads may share it."""

    @property
    def identity(self) -> str:
        """The model by name and checksum; models with equal identities give equal vectors."""

    def __call__(self, texts: Sequence[str], /) -> Float32Matrix:
        """One unit vector per text, zero if the model knows none of its tokens.

        The vector of a text does not depend on the other texts of the call.
        """

    def whole_words(self, texts: Sequence[str]) -> Float64Array:
        """The share of each text's words that are one word piece each.

        A word of several pieces is one the model knows little about: names of products are spelled out.
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


def whole_words(texts: Sequence[str], is_whole: Callable[[str], bool]) -> Float64Array:
    """The share of each text's words that are whole, one word piece each; 0 for a text without words.

    An ideograph is a word.
    """
    tokens = tokenize_normalized([to_nfc(plain(text)) for text in texts], bigrams=False)
    words = [tokens.word(number) for number in range(len(tokens.begin))]
    whole = {word: is_whole(word) for word in set(words)}
    owners = np.repeat(np.arange(len(texts)), np.diff(tokens.indptr))
    counts = np.bincount(owners, [whole[word] for word in words], minlength=len(texts))
    shares: Float64Array = counts / np.maximum(1, np.diff(tokens.indptr))
    return shares
