"""Snowball stemming (Porter 1980, 2001), after elided articles and possessives are removed."""

from collections.abc import Sequence
from functools import cache

import Stemmer

from querykin.text.elision import without_elision
from querykin.text.languages import ENGLISH, Language


@cache
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(algorithm, 0)


def stems(words: Sequence[str], language: Language = ENGLISH) -> list[str]:
    """The stem of each word in a language; the word itself where the language has no stemmer.

    Words of one or two letters are unchanged, as in Porter's own program: "us" does not become "u".

    >>> stems(["mariners", "valentine's", "valentines", "us"])
    ['marin', 'valentin', 'valentin', 'us']
    """
    bare = [without_elision(word, language.code) or word for word in words]
    if not language.stemmer:
        return bare
    stemmed = zip(_stemmer(language.stemmer).stemWords(bare), bare, strict=True)
    return [stem if stem and len(word) > 2 else word for stem, word in stemmed]
