"""Misspelt words of a list, and the words of the list that were meant.

Pairs of words within one edit are found by what is left of each when a letter is deleted, for long words two
(Garbe's symmetric deletes, 2012), and compared by the edit distance of spelling correction.
"""

from array import array
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from querykin.clustering.variants.listed_words import ListedWords
from querykin.compute.arrays import UInt32Array
from querykin.spelling.edit_costs import TRANSPOSED, edit_costs
from querykin.spelling.edit_distance import edit_distance
from querykin.text.tokenizer import starts_cluster

# The bounds were chosen by reading proposals for web queries (`python -m reproduce.query_variants sample`).
MIN_LENGTH = 5  # letters; of shorter words too many are near to another one
MAX_COST = ((6, 0.8), (8, 1.0), (64, 1.5))  # up to so many letters, the bound of the edit distance
TWO_EDITS = range(9, 21)  # letters of words in which two are looked for; a longer one has too many pairs
UNKNOWN_RATIO = 10  # how much more often a word is asked that is no known one either
LONG = 7  # letters of a word that is recognized without others
RARER = 5  # how much rarer a misspelt word is that is recognized without others
MAX_MEANT = 3  # words that one may have been meant for
_COMPARED = 8  # the most frequent words among those that share the rest


def misspellings(listed: ListedWords) -> dict[int, dict[int, float]]:
    """The words that are probably misspelt, with those that may have been meant and the cost of the edits.

    A known word is never a misspelling. An unknown one is, of a known word that is asked as often, or of any
    word that is asked ten times as often.
    """
    candidates = [number for number, word in enumerate(listed.texts) if _may_be_compared(word)]
    unspaced = starts_cluster(np.array([ord(listed.texts[number][0]) for number in candidates], np.uint32))
    candidates = [
        number for number, skipped in zip(candidates, unspaced.tolist(), strict=True) if not skipped
    ]
    costs, found = edit_costs(listed.analyzer.languages[0].code), dict[int, dict[int, float]]()
    for typed, word in _sharing_a_rest(candidates, listed):
        if not _can_mean(typed, word, listed) or word in found.get(typed, ()):
            continue
        bound = next(cost for length, cost in MAX_COST if len(listed.texts[typed]) <= length)
        cost = edit_distance(_codepoints(listed.texts[typed]), _codepoints(listed.texts[word]), costs, bound)
        if cost <= bound:
            found.setdefault(typed, {})[word] = cost
    return {typed: _most_likely(words, listed) for typed, words in found.items()}


def _most_likely(costs: dict[int, float], listed: ListedWords) -> dict[int, float]:
    words = sorted(costs, key=lambda word: (costs[word], -int(listed.counts[word]), word))
    return {word: costs[word] for word in words[:MAX_MEANT]}


def is_sure_alone(typed: int, word: int, cost: float, listed: ListedWords) -> bool:
    """Whether a misspelling needs no other words beside it: it is long, typical, or much rarer."""
    is_long = min(len(listed.texts[typed]), len(listed.texts[word])) >= LONG
    return is_long or cost <= TRANSPOSED or bool(listed.counts[word] >= RARER * listed.counts[typed])


def _may_be_compared(word: str) -> bool:
    return MIN_LENGTH <= len(word) <= MAX_COST[-1][0] and word.replace("'", "").isalpha()


def _codepoints(word: str) -> UInt32Array:
    return np.frombuffer(word.encode("utf-32-le"), np.uint32).copy()


def _can_mean(typed: int, word: int, listed: ListedWords) -> bool:
    if listed.is_known[typed] or listed.stems[typed] == listed.stems[word]:
        return False
    ratio = 1 if listed.is_known[word] else UNKNOWN_RATIO
    return bool(listed.counts[word] >= ratio * listed.counts[typed])


def _sharing_a_rest(candidates: list[int], listed: ListedWords) -> Iterator[tuple[int, int]]:
    """Pairs of words, the first one unknown, that are equal after some letters of each are deleted."""
    rests, owners = array("q"), array("i")
    for number in candidates:
        for rest in _rests(listed.texts[number]):
            rests.append(hash(rest))
            owners.append(number)
    keys, numbers = np.array(rests, np.int64), np.array(owners, np.int32)
    is_known = np.array(listed.is_known, np.bool_)
    order = np.lexsort((numbers, -listed.counts[numbers], ~is_known[numbers], keys))
    keys, numbers = keys[order], numbers[order]
    begins = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    sizes = np.diff(begins, append=len(keys))
    for begin, size in zip(begins[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        run = numbers[begin : begin + size].tolist()
        for typed in run:
            if not listed.is_known[typed]:
                yield from ((typed, word) for word in run[:_COMPARED] if word != typed)


def _rests(word: str) -> set[str]:
    """A word, and what is left of it when letters are deleted.

    >>> sorted(_rests("abc"))
    ['ab', 'abc', 'ac', 'bc']
    """
    rests = {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
    if len(word) in TWO_EDITS:
        pairs = combinations(range(len(word)), 2)
        rests |= {word[:first] + word[first + 1 : second] + word[second + 1 :] for first, second in pairs}
    return rests
