"""The optimal string alignment distance with costs by kind of error, and a scan of a vocabulary by it.

OSA is Damerau's distance (1964) in which no part of a word is edited twice. The scan compares the letters of
every word as sets first, which leaves few words to align, and stops an alignment once a whole row is beyond
the bound. Unlike the deletions of SymSpell it needs no index on disk beside the vocabulary.
"""

import numpy as np

from querykin.compute.arrays import Float64Array, Int8Array, Int64Array, UInt32Array
from querykin.compute.jit import njit
from querykin.spelling.edit_costs import (
    APOSTROPHE,
    DOUBLED,
    EXTRA,
    FIRST_LETTER,
    LIKELY,
    MISSING,
    OTHER,
    TRANSPOSED,
    EditCosts,
)

_APOSTROPHE = ord("'")
MAX_LENGTH_DIFFERENCE = 2  # letters more or fewer


@njit
def _indel(word: UInt32Array, i: int, cost: float) -> float:
    """The cost of letter i of a word that the other word does not have."""
    if word[i] == _APOSTROPHE:
        return APOSTROPHE
    if i > 0 and word[i] == word[i - 1]:
        return DOUBLED
    return cost + (FIRST_LETTER if i == 0 else 0.0)


@njit
def _letter(codepoint: int, base_letter: Int8Array) -> int:
    return base_letter[codepoint] if codepoint < len(base_letter) else -1


@njit
def _distance(
    typed: UInt32Array,
    word: UInt32Array,
    substitution: Float64Array,
    base_letter: Int8Array,
    bound: float,
    rows: Float64Array,
) -> float:
    before, above, row = rows[0], rows[1], rows[2]
    above[0] = 0.0
    for j in range(len(word)):
        above[j + 1] = above[j] + _indel(word, j, MISSING)
    least_above = 0.0
    for i in range(len(typed)):
        extra = _indel(typed, i, EXTRA)
        letter = _letter(typed[i], base_letter)
        row[0] = least = above[0] + extra
        for j in range(len(word)):
            changed = above[j]
            if typed[i] != word[j]:
                other = _letter(word[j], base_letter)
                changed += OTHER if letter < 0 or other < 0 else substitution[letter, other]
                if i == 0 and j == 0 and (letter < 0 or letter != other):
                    changed += FIRST_LETTER
            best = min(changed, above[j + 1] + extra, row[j] + _indel(word, j, MISSING))
            if i > 0 and j > 0 and typed[i] == word[j - 1] and typed[i - 1] == word[j]:
                first = FIRST_LETTER if i == 1 and j == 1 else 0.0
                best = min(best, before[j - 1] + TRANSPOSED + first)
            row[j + 1] = best
            least = min(least, best)
        if min(least, least_above + TRANSPOSED) > bound:
            return np.inf
        least_above = least
        before, above, row = above, row, before
    return above[len(word)] if above[len(word)] <= bound else np.inf


@njit
def edit_distance(typed: UInt32Array, word: UInt32Array, costs: EditCosts, bound: float) -> float:
    """The cost of typing one word for another; infinite above the bound."""
    rows = np.empty((3, len(word) + 1))
    return _distance(typed, word, costs.substitution, costs.base_letter, bound, rows)


@njit
def letter_sets(arena: UInt32Array, ends: Int64Array, base_letter: Int8Array) -> UInt32Array:
    """The letters of each word as a set of bits, by base letter; other characters share six bits."""
    sets = np.zeros(len(ends) - 1, np.uint32)
    for word in range(len(sets)):
        for i in range(ends[word], ends[word + 1]):
            if arena[i] != _APOSTROPHE:
                letter = _letter(arena[i], base_letter)
                bit = letter if letter >= 0 else 26 + arena[i] % 6
                sets[word] |= np.uint32(1) << np.uint32(bit)
    return sets


@njit
def _size(bits: np.int64) -> np.int64:
    """The number of bits that are set."""
    bits = bits - ((bits >> 1) & 0x55555555)
    bits = (bits & 0x33333333) + ((bits >> 2) & 0x33333333)
    return (((bits + (bits >> 4)) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


@njit
def near_words(
    typed: UInt32Array,
    arena: UInt32Array,
    ends: Int64Array,
    sets: UInt32Array,
    frequencies: Float64Array,
    costs: EditCosts,
    bound: float,
) -> tuple[Int64Array, Float64Array]:
    """The ids of words with a frequency that are within the bound of a typed one, and their costs."""
    ids, distances = np.empty(len(frequencies), np.int64), np.empty(len(frequencies))
    substitution, base_letter = costs.substitution, costs.base_letter
    typed_set = np.int64(letter_sets(typed, np.array([0, len(typed)]), base_letter)[0])
    rows = np.empty((3, len(typed) + MAX_LENGTH_DIFFERENCE + 1))
    count = 0
    for word in range(len(frequencies)):
        # A letter that only one of the words has was inserted or substituted.
        word_set = np.int64(sets[word])
        more, fewer = _size(typed_set & ~word_set), _size(word_set & ~typed_set)
        if LIKELY * max(more, fewer) > bound or frequencies[word] <= 0:
            continue
        begin, end = ends[word], ends[word + 1]
        if abs(end - begin - len(typed)) > MAX_LENGTH_DIFFERENCE:
            continue
        distance = _distance(typed, arena[begin:end], substitution, base_letter, bound, rows)
        if distance <= bound:
            ids[count], distances[count] = word, distance
            count += 1
    return ids[:count].copy(), distances[:count].copy()
