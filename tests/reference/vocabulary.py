"""Numbers of words from a dictionary: proves `vocabulary._find`, `_insert` and `_rehash`."""

from reference.tokenizer import stem


class PlainVocabulary:
    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def add(self, words: list[str]) -> list[int]:
        """Number words as they come, then their stems, then the stems of those, until all are known."""
        fresh = words
        while fresh:
            new = [word for word in dict.fromkeys(fresh) if word not in self.numbers]
            for word in new:
                self.numbers[word] = len(self.numbers)
            fresh = [stem(word) for word in new]
        return [self.numbers[word] for word in words]

    def stem(self, word: str) -> int:
        return self.numbers[stem(word)]
