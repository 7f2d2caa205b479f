"""Porter stemming (Porter 1980)."""

from collections.abc import Sequence
from functools import lru_cache

import Stemmer

_porter = Stemmer.Stemmer("porter", 0)


def stems(vocabulary: Sequence[str]) -> list[str]:
    """Porter's stem of each word, after a possessive 's is removed, which Porter's rules do not do.

    Words of one or two letters are unchanged, as in Porter's own program: "us" does not become "u".

    >>> stems(["mariners", "valentine's", "valentines", "us"])
    ['marin', 'valentin', 'valentin', 'us']
    """
    bare = [word[:-2] if word.endswith("'s") and len(word) > 2 else word for word in vocabulary]
    stemmed = zip(_porter.stemWords(bare), bare, strict=True)
    return [stem if stem and len(word) > 2 else word for stem, word in stemmed]


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Porter's stem of one word, cached."""
    return stems([word])[0]
