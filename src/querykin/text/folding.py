"""Folding: letters without their diacritics, ligatures as two letters; for matching, never for display."""

import unicodedata
from functools import cache

# Letters that Unicode does not decompose (as in Lucene's ASCIIFoldingFilter); Greek final sigma; Russian ё.
_LETTERS = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i",
    "ŋ": "n", "ŧ": "t", "ſ": "s", "ĳ": "ij", "ŀ": "l", "ĸ": "k", "ς": "σ", "ё": "е",
}  # fmt: skip
# Marks that are left out in writing: Hebrew points, Arabic vowel signs and the tatweel.
_OPTIONAL_MARKS = {*map(chr, range(0x591, 0x5C8)), *map(chr, range(0x64B, 0x660)), "\u0670", "\u0640"}
# Elsewhere a mark makes another letter: a voiced kana, a vowel of Devanagari, й.
_FOLDED_SCRIPTS = ("LATIN", "GREEK")


def fold(word: str) -> str:
    """A lower-cased word without diacritics and ligatures.

    >>> fold("gießen"), fold("œuvre"), fold("café"), fold("smørrebrød"), fold("ガラス"), fold("йод")
    ('giessen', 'oeuvre', 'cafe', 'smorrebrod', 'ガラス', 'йод')
    """
    if word.isascii():
        return word
    return "".join(map(_folded, unicodedata.normalize("NFC", word))) or word


@cache
def _folded(character: str) -> str:
    if character in _LETTERS:
        return _LETTERS[character]
    if character in _OPTIONAL_MARKS or "\u0300" <= character <= "\u036f":
        return ""
    decomposed = unicodedata.normalize("NFD", character)
    base = decomposed[0]
    if len(decomposed) > 1 and unicodedata.name(base, "").startswith(_FOLDED_SCRIPTS):
        return _LETTERS.get(base, base)
    return character
