"""Classes of characters, by which texts are split into tokens, and the code point that each folds to."""

import unicodedata
from collections.abc import Callable

import numpy as np

from querykin.compute.arrays import UInt32Array

# Character classes; UPPER is a flag on WORD. A leading vowel belongs to the cluster of the next letter.
OTHER, WORD, UNSPACED, APOSTROPHE, MARK, SENTENCE_END, LINE_END, LEADING_VOWEL = range(8)
UPPER = 8
# The names of letters in scripts that are split into clusters begin like this.
_SINGLE_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA")  # also without bigrams
_UNSPACED_SCRIPTS = (*_SINGLE_SCRIPTS, "IDEOGRAPHIC", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")
# Thai and Lao vowels are letters in Unicode, stored in the order in which they are written.
_LEADING_VOWELS = "\u0e40\u0e41\u0e42\u0e43\u0e44\u0ec0\u0ec1\u0ec2\u0ec3\u0ec4"
_TRAILING_VOWELS = "\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3"
_BLOCK_SIZE = 256


class CharacterTables:
    """Classes and lower case of all code points, filled in blocks on first use: all take a second."""

    def __init__(self, class_of: Callable[[str], int]) -> None:
        self._class_of = class_of
        self.classes = np.zeros(0x110000, np.uint8)
        self.fold = np.zeros(0x110000, np.uint32)
        self._filled = np.zeros(0x110000 // _BLOCK_SIZE, np.bool_)

    def fill(self, codepoints: UInt32Array) -> None:
        """Fill the blocks in which these code points lie."""
        blocks = codepoints // _BLOCK_SIZE
        known = self._filled[blocks]
        if known.all():
            return
        for block in np.unique(blocks[~known]):
            for point in range(int(block) * _BLOCK_SIZE, (int(block) + 1) * _BLOCK_SIZE):
                self.classes[point], self.fold[point] = self._class_of(chr(point)), _fold_of(chr(point))
            self._filled[block] = True


def _class_with_clusters(character: str) -> int:
    """The class of a character where unspaced scripts are split into clusters."""
    if character in _LEADING_VOWELS:
        return LEADING_VOWEL
    if character in _TRAILING_VOWELS:
        return MARK
    folded = chr(_fold_of(character))
    unspaced = unicodedata.name(folded, "").startswith(_UNSPACED_SCRIPTS)
    letter = unicodedata.category(folded) in ("Lo", "Lm", "Nl")
    if unspaced and letter and _class_of(character) != OTHER:
        return UNSPACED
    return _class_of(character)


def _class_of(character: str) -> int:
    """The class of a character; letters and digits are classified by what they fold to."""
    if character in "'’＇":
        return APOSTROPHE
    if character in "\n\r\u2028\u2029":
        return LINE_END
    if character in ".!?…。！？":
        return SENTENCE_END
    category = unicodedata.category(character)
    if category[0] not in "LMN":
        return OTHER
    folded = chr(_fold_of(character))
    if unicodedata.category(folded)[0] == "M":
        return MARK
    if unicodedata.category(folded) == "Lo" and unicodedata.name(folded, "").startswith(_SINGLE_SCRIPTS):
        return UNSPACED
    return WORD | (UPPER if category in ("Lu", "Lt") else 0)


def _fold_of(character: str) -> int:
    """The code point that a character folds to: always exactly one, which keeps offsets valid."""
    if character in "'’＇":
        return ord("'")
    folded = unicodedata.normalize("NFKC", character).lower()
    return ord(folded if len(folded) == 1 else character.lower()[0])


WITH_CLUSTERS, WITHOUT_CLUSTERS = CharacterTables(_class_with_clusters), CharacterTables(_class_of)
