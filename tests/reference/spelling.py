"""The edit distance of spelling correction as a recursion over prefixes, and the scan as a loop."""

from functools import cache
from math import inf

from querykin.spelling.edit_costs import (
    APOSTROPHE,
    DOUBLED,
    EXTRA,
    FIRST_LETTER,
    MISSING,
    OTHER,
    TRANSPOSED,
)
from querykin.spelling.edit_distance import MAX_LENGTH_DIFFERENCE


def _letter(character, costs):
    return costs.base_letter[ord(character)] if ord(character) < len(costs.base_letter) else -1


def _indel(text, i, cost):
    if text[i] == "'":
        return APOSTROPHE
    if i > 0 and text[i] == text[i - 1]:
        return DOUBLED
    return cost + (FIRST_LETTER if i == 0 else 0)


def edit_distance(typed, word, costs):
    """The cheapest alignment of a typed word with a word, in which nothing is edited twice."""

    def substitution(i, j):
        if typed[i] == word[j]:
            return 0
        a, b = _letter(typed[i], costs), _letter(word[j], costs)
        cost = OTHER if a < 0 or b < 0 else costs.substitution[a, b]
        return cost + (FIRST_LETTER if i == j == 0 and (a < 0 or a != b) else 0)

    @cache
    def distance(i, j):
        if i == j == 0:
            return 0.0
        options = []
        if i:
            options.append(distance(i - 1, j) + _indel(typed, i - 1, EXTRA))
        if j:
            options.append(distance(i, j - 1) + _indel(word, j - 1, MISSING))
        if i and j:
            options.append(distance(i - 1, j - 1) + substitution(i - 1, j - 1))
        if i > 1 and j > 1 and typed[i - 1] == word[j - 2] and typed[i - 2] == word[j - 1]:
            first = FIRST_LETTER if i == j == 2 else 0
            options.append(distance(i - 2, j - 2) + TRANSPOSED + first)
        return min(options)

    return distance(len(typed), len(word))


def near_words(typed, words, frequencies, costs, bound):
    """The numbers of the words with a frequency that are within the bound."""
    near = {}
    for number, (word, frequency) in enumerate(zip(words, frequencies, strict=True)):
        distance = edit_distance(typed, word, costs) if frequency else inf
        if distance <= bound and abs(len(word) - len(typed)) <= MAX_LENGTH_DIFFERENCE:
            near[number] = distance
    return near
