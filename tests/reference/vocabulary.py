"""Word ids from a dictionary: the reference for `corpus.vocabulary`."""

from reference.tokenizer import stem, without_diacritics


class ReferenceVocabulary:
    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.roots: dict[str, str] = {}

    def add(self, words: list[str]) -> list[int]:
        """Assign ids to words, then to their stems, until all are known; then to the folded words."""
        before = set(self.numbers)
        pending = words
        while pending:
            new = [word for word in dict.fromkeys(pending) if word not in self.numbers]
            for word in new:
                self.numbers[word] = len(self.numbers)
                self.roots[word] = stem(word)
            pending = [stem(word) for word in new]
        folded = {word: without_diacritics(word) for word in words if word not in before}
        settled = before
        for word, form in folded.items():
            if form == word:
                continue
            self.numbers.setdefault(form, len(self.numbers))
            if form in settled:
                self.roots[word] = self.roots[form]
            else:
                self.roots[form] = self.roots[word]
                settled.add(form)
        return [self.numbers[word] for word in words]

    def root(self, word: str) -> str:
        """The stem of a word that has been added."""
        return self.roots[word]

    def stem(self, word: str) -> int:
        return self.numbers[self.roots[word]]
