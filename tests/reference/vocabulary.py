"""Word ids from a dictionary: the reference for `corpus.vocabulary`."""

from reference.tokenizer import stem


class ReferenceVocabulary:
    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def add(self, words: list[str]) -> list[int]:
        """Assign ids to words, then to their stems, then to the stems of those, until all are known."""
        pending = words
        while pending:
            new = [word for word in dict.fromkeys(pending) if word not in self.numbers]
            for word in new:
                self.numbers[word] = len(self.numbers)
            pending = [stem(word) for word in new]
        return [self.numbers[word] for word in words]

    def stem(self, word: str) -> int:
        return self.numbers[stem(word)]
