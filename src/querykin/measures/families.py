"""Families of measures: what two texts are compared by."""

from enum import StrEnum


class Family(StrEnum):
    """What a measure compares two texts by; lists of measures have this order."""

    MEANING = "meaning"
    WORDS = "words"
    SPELLING = "spelling"
    EMBEDDINGS = "embeddings"
    LOGS = "logs"
    LEARNED = "learned"

    @property
    def description(self) -> str:
        """What two texts are compared by, in a phrase."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Family.MEANING: "what your documents say about both texts",
    Family.WORDS: "the words that both texts have",
    Family.SPELLING: "the letters of both texts",
    Family.EMBEDDINGS: "vectors of words, sentences and documents",
    Family.LOGS: "what people asked and clicked",
    Family.LEARNED: "weights trained on judgements or keywords",
}
