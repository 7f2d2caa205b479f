"""Neighbours counted by walking through lists of words: proves `cooccurrence` and `phrases._chunk`."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from querykin import Document
from reference.tokenizer import feature, words

Unit = tuple[str, ...]  # the words of a phrase, or one word
DISTANCE, LONGEST, MIN_PHRASE_COOCCURRENCES = 3, 6, 30


def spoken(document: Document) -> list[str]:
    """Title and body are one run of words."""
    return words(f"{document.title}\n{document.text}")


def cooccurrence(documents: Iterable[Sequence[str]], unit: Unit, distance: int = DISTANCE) -> Counter[str]:
    """The words near every place where a unit stands, before its first and after its last word."""
    found: Counter[str] = Counter()
    for document in documents:
        for begin in range(len(document) - len(unit) + 1):
            end = begin + len(unit)
            if tuple(document[begin:end]) == unit:
                found.update(document[max(0, begin - distance) : begin])
                found.update(document[end : end + distance])
    return found


def listed(texts: Iterable[str]) -> set[Unit]:
    """The texts that are phrases."""
    return {tuple(words(text)) for text in texts if 2 <= len(words(text)) <= LONGEST}


def run_feature(phrase: Unit) -> int:
    """FNV-1a with 64 bits over the features of words, the top bit folded away."""
    value = 14695981039346656037
    for word in phrase:
        value = ((value ^ feature(word)) * 1099511628211) % 2**64
    return (value ^ (value >> 31)) % 2**63


def chunked(text: Sequence[str], phrases: Collection[Unit]) -> list[Unit]:
    """The longest phrase, of equal ones the left one, between what stands before it and what after it."""
    for length in range(LONGEST, 1, -1):
        for begin in range(len(text) - length + 1):
            phrase = tuple(text[begin : begin + length])
            if phrase in phrases:
                return [*chunked(text[:begin], phrases), phrase, *chunked(text[begin + length :], phrases)]
    return [(word,) for word in text]


@dataclass(frozen=True)
class PlainNeighbours:
    """Everything there is to know of a corpus and a list of phrases."""

    documents: Sequence[Sequence[str]]
    phrases: Collection[Unit] = frozenset()
    distance: int = DISTANCE

    @classmethod
    def over(
        cls, documents: Iterable[Document], phrases: Iterable[str] = (), distance: int = DISTANCE
    ) -> "PlainNeighbours":
        return cls([spoken(document) for document in documents], listed(phrases), distance)

    @cached_property
    def marginals(self) -> dict[str, int]:
        """How many neighbours every word of the corpus has."""
        known = {word for document in self.documents for word in document}
        return {word: self.of((word,)).total() for word in known}

    @cached_property
    def usable(self) -> set[Unit]:
        least = MIN_PHRASE_COOCCURRENCES * self.distance / DISTANCE
        return {phrase for phrase in self.phrases if self.of(phrase).total() >= least}

    def of(self, unit: Unit) -> Counter[str]:
        return cooccurrence(self.documents, unit, self.distance)
