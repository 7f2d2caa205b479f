"""Statistics counted from scratch: the reference for `corpus.statistics` after additions and deletions."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import log

from reference.tokenizer import stem, words


@dataclass
class ReferenceStatistics:
    documents: int = 0
    tokens: int = 0
    cf: Counter[str] = field(default_factory=Counter)
    df: Counter[str] = field(default_factory=Counter)
    stem_df: Counter[str] = field(default_factory=Counter)

    def idf(self, word: str) -> float:
        return log(self.documents / self.df[word]) if self.df[word] else 0.0

    def stem_idf(self, root: str) -> float:
        return log((self.documents + 1) / (self.stem_df[root] + 0.5))


def recount(texts: Iterable[str], stem: Callable[[str], str] = stem) -> ReferenceStatistics:
    counts = ReferenceStatistics()
    for text in texts:
        tokens = words(text)
        counts.documents += 1
        counts.tokens += len(tokens)
        counts.cf.update(tokens)
        counts.df.update(set(tokens))
        counts.stem_df.update({stem(word) for word in tokens})
    return counts
