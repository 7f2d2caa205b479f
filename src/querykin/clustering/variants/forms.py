"""The form of a query in which variants are equal: stems of its words, without those that can be left out."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from querykin.clustering.variants.listed_words import ListedWords

# Signs that change what a query asks for: C++, C#, $100, 100%, and a word that is excluded ("-used").
_SIGNS = re.compile(r"(?<=\w)[+#]+|[$€£¥₹%°]|(?<!\S)-(?=\w)")


class Form(NamedTuple):
    """The words of a query that tell it from others, those that were left out, and its signs."""

    words: tuple[int, ...]
    left_out: tuple[int, ...]
    signs: tuple[str, ...]
    changes: tuple[str, ...] = ()  # kinds of variation that were undone to get there


def signs_of(query: str) -> tuple[str, ...]:
    """The signs of a query that are not part of a word but of its meaning.

    >>> signs_of("C++ tutorial"), signs_of("jaguar -car"), signs_of("rock & roll - the best")
    (('++',), ('-',), ())
    """
    return tuple(_SIGNS.findall(query))


def form_of(words: Sequence[int], signs: tuple[str, ...], listed: ListedWords) -> Form:
    """The form of a query with these words.

    A word at the end is not left out ("log in"), and none is beside a single other word ("the office").
    """
    left_out = [number for number in words[:-1] if listed.can_be_left_out[number]]
    if len(words) - len(left_out) < 2:
        return Form(tuple(words), (), signs)
    kept = [number for number in words[:-1] if not listed.can_be_left_out[number]]
    return Form((*kept, words[-1]), tuple(left_out), signs)


def key_of(form: Form, listed: ListedWords) -> int:
    """A hash that is equal for variants; words are in any order, unless others say how they are related.

    Numbers keep their order: "windows 10 office 7" is not "windows 7 office 10".
    """
    stems = [listed.stems[word] for word in form.words]
    if is_ordered(form, listed):
        return hash((tuple(stems), form.signs))
    numbers = tuple(listed.stems[word] for word in form.words if listed.is_number[word])
    stems.sort()
    return hash((tuple(stems), numbers, form.signs))


def is_ordered(form: Form, listed: ListedWords) -> bool:
    """Whether the order of the words matters: a word says how the others are related."""
    return any(listed.fixes_order[word] or listed.can_be_left_out[word] for word in form.words)
