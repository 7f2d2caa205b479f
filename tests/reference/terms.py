"""Occurrences of the distinct stems of a text, word by word: the reference for `weighting.term_features`."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Occurrence:
    """One stem of one text."""

    stem: int
    count: int
    first_position: int
    capitalized: bool
    sentence_position: int
    sentence_length: int


def occurrences(words: Sequence[tuple[int, bool, bool]]) -> list[Occurrence]:
    """The distinct stems of a text by first occurrence; a word is (stem, capitalized, starts a sentence)."""
    sentences: list[list[int]] = [[]]
    for position, (_, _, start) in enumerate(words):
        if start:
            sentences.append([])
        sentences[-1].append(position)
    found = []
    for stem in dict.fromkeys(stem for stem, _, _ in words):
        positions = [position for position, word in enumerate(words) if word[0] == stem]
        first = positions[0]
        sentence = next(sentence for sentence in sentences if first in sentence)
        capitalized = any(words[position][1] for position in positions)
        occurrence = Occurrence(
            stem, len(positions), first, capitalized, sentence.index(first), len(sentence)
        )
        found.append(occurrence)
    return found
