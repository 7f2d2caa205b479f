"""Co-occurrences counted by walking through lists of words: the reference for `querykin.cooccurrence`."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from querykin import Document
from reference.tokenizer import feature, words

Unit = tuple[str, ...]  # the words of a phrase, or one word
DISTANCE, MAX_WORDS, MIN_PHRASE_COOCCURRENCES = 3, 6, 30


def words_of(document: Document) -> list[str]:
    """The words of the title, then those of the body."""
    return words(f"{document.title}\n{document.text}")


def cooccurrence(documents: Iterable[Sequence[str]], unit: Unit, distance: int = DISTANCE) -> Counter[str]:
    """The words around every occurrence of a unit, before its first and after its last word."""
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
    return {tuple(words(text)) for text in texts if 2 <= len(words(text)) <= MAX_WORDS}


def phrase_hash(phrase: Unit) -> int:
    """64-bit FNV-1a over the hashes of the words, with the top bit folded away."""
    value = 14695981039346656037
    for word in phrase:
        value = ((value ^ feature(word)) * 1099511628211) % 2**64
    return (value ^ (value >> 31)) % 2**63


def chunked(text: Sequence[str], phrases: Collection[Unit]) -> list[Unit]:
    """The longest phrase, leftmost among equals, between the chunks before it and those after it."""
    for length in range(MAX_WORDS, 1, -1):
        for begin in range(len(text) - length + 1):
            phrase = tuple(text[begin : begin + length])
            if phrase in phrases:
                return [*chunked(text[:begin], phrases), phrase, *chunked(text[begin + length :], phrases)]
    return [(word,) for word in text]


@dataclass(frozen=True)
class ReferenceCooccurrence:
    """The co-occurrence counts of a corpus and a list of phrases."""

    documents: Sequence[Sequence[str]]
    phrases: Collection[Unit] = frozenset()
    distance: int = DISTANCE

    @classmethod
    def over(
        cls, documents: Iterable[Document], phrases: Iterable[str] = (), distance: int = DISTANCE
    ) -> "ReferenceCooccurrence":
        return cls([words_of(document) for document in documents], listed(phrases), distance)

    @cached_property
    def marginals(self) -> dict[str, int]:
        """The number of co-occurrences of every word of the corpus."""
        known = {word for document in self.documents for word in document}
        return {word: self.of((word,)).total() for word in known}

    @cached_property
    def frequent_phrases(self) -> set[Unit]:
        minimum = MIN_PHRASE_COOCCURRENCES * self.distance / DISTANCE
        return {phrase for phrase in self.phrases if self.of(phrase).total() >= minimum}

    def of(self, unit: Unit) -> Counter[str]:
        return cooccurrence(self.documents, unit, self.distance)
