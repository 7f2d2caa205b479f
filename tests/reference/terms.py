"""Where each different stem of a text stands, word by word: proves `terms._occurrences`."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Occurrence:
    """What is known of one stem in one text."""

    stem: int
    count: int
    at: int
    capital: bool
    inside: int
    sentence: int


def occurrences(words: Sequence[tuple[int, bool, bool]]) -> list[Occurrence]:
    """The different stems of a text, as they come first; a word is (stem, capital, starts a sentence)."""
    sentences: list[list[int]] = [[]]
    for place, (_, _, start) in enumerate(words):
        if start:
            sentences.append([])
        sentences[-1].append(place)
    found = []
    for stem in dict.fromkeys(stem for stem, _, _ in words):
        places = [place for place, word in enumerate(words) if word[0] == stem]
        own = next(sentence for sentence in sentences if places[0] in sentence)
        capital = any(words[place][1] for place in places)
        found.append(Occurrence(stem, len(places), places[0], capital, own.index(places[0]), len(own)))
    return found
