"""What each typing error costs: 1 for any letter in place of another, less for the errors people make.

A noisy channel (Kernighan, Church & Gale 1990; Brill & Moore 2000) estimates these from pairs of errors and
corrections; here there are few kinds, ordered by what such estimates have in common: letters are exchanged,
doubled, missed and hit beside the right key, vowels and like-sounding consonants are confused, and the first
letter is mostly right.
"""

import unicodedata
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Float64Array, Int8Array

ACCENT = 0.2  # e for é
APOSTROPHE = 0.3  # dont for don't
DOUBLED = 0.5  # adress for address, aple for apple
TRANSPOSED = 0.6  # teh for the
LIKELY = 0.7  # a neighbouring key, another vowel, a consonant of like sound
MISSING = 0.7  # keybord for keyboard
EXTRA = 0.8  # keyvboard for keyboard
OTHER = 1.0
FIRST_LETTER = 0.7  # on top, for a change of the first letter

_ROWS = {
    "qwerty": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "qwertz": ("qwertzuiop", "asdfghjkl", "yxcvbnm"),
    "azerty": ("azertyuiop", "qsdfghjklm", "wxcvbn"),
}
_LAYOUTS = {"de": "qwertz", "cs": "qwertz", "hu": "qwertz", "sl": "qwertz", "fr": "azerty"}  # by language
_VOWELS = "aeiouy"
_LIKE_SOUNDS = ("ck", "cs", "sz", "kq", "gj", "mn", "dt", "bp", "fv", "vw", "xz")
_LATIN = 0x250  # code points up to here have a base letter, if any


class EditCosts(NamedTuple):
    """The cost of one letter for another, and the base letter (0 to 25) of code points; -1 for none."""

    substitution: Float64Array
    base_letter: Int8Array


@cache
def edit_costs(language: str = "en") -> EditCosts:
    """The costs of typing errors on the keyboard of a language, by its code."""
    substitution = np.full((26, 26), OTHER)
    alike = [pair for letters in (_VOWELS, *_LIKE_SOUNDS) for pair in product(letters, repeat=2)]
    for a, b in (*alike, *_neighbours(_ROWS[_LAYOUTS.get(language, "qwerty")])):
        substitution[ord(a) - 97, ord(b) - 97] = substitution[ord(b) - 97, ord(a) - 97] = LIKELY
    np.fill_diagonal(substitution, ACCENT)  # letters that differ, on the same base
    return EditCosts(substitution, _base_letters())


def _neighbours(rows: tuple[str, ...]) -> list[tuple[str, str]]:
    """Adjacent keys: beside each other, and above, where a row is shifted by half a key."""
    beside = [pair for row in rows for pair in pairwise(row)]
    above = [
        pair
        for upper, row in pairwise(rows)
        for shift in (0, 1)
        for pair in zip(upper[shift:], row, strict=False)
    ]
    return beside + above


def _base_letters() -> Int8Array:
    base = np.full(_LATIN, -1, np.int8)
    for point in range(_LATIN):
        letter = unicodedata.normalize("NFD", chr(point))[0]
        if "a" <= letter <= "z":
            base[point] = ord(letter) - 97
    return base
