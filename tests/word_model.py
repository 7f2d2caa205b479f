"""A small embedding model without files: the mean of word vectors that are made from hashes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.embeddings.base import Float32Matrix, unit, whole_words

WIDTH = 12


def word_vector(word: str) -> list[float]:
    """A vector for a word in any case; none for words in z, which the model does not know."""
    digest = blake2b(word.casefold().encode("utf-8", "replace"), digest_size=WIDTH).digest()
    return [] if word.casefold().startswith("z") else [byte - 127.5 for byte in digest]


@dataclass
class WordModel:
    """Counts the texts that it embeds."""

    identity: str = "words"
    embedded: list[str] = field(default_factory=list)

    def __call__(self, texts: Sequence[str], /) -> Float32Matrix:
        self.embedded.extend(texts)
        rows = np.zeros((len(texts), WIDTH))
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row += word_vector(word) or 0
        return unit(rows)

    def whole_words(self, texts: Sequence[str]) -> Float64Array:
        """Words in q are spelled out in pieces, and words in z are unknown."""
        return whole_words(texts, lambda word: word[0].casefold() not in "qz")
