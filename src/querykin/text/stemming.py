"""Porter stemming."""

from collections.abc import Sequence
from functools import lru_cache

import Stemmer

_porter = Stemmer.Stemmer("porter", 0)


def stems(vocabulary: Sequence[str]) -> list[str]:
    """Porter's stem (1980) of each word; a possessive 's goes first, which Porter leaves standing.

    Words of one or two letters stay as they are, as in Porter's own program: "us" is not "u".

    >>> stems(["mariners", "valentine's", "valentines", "us"])
    ['marin', 'valentin', 'valentin', 'us']
    """
    bare = [word[:-2] if word.endswith("'s") and len(word) > 2 else word for word in vocabulary]
    found = zip(_porter.stemWords(bare), bare, strict=True)
    return [stem if stem and len(word) > 2 else word for stem, word in found]


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Porter's stem of one word, remembered."""
    return stems([word])[0]
