"""Negative KL divergence of language models, as printed: the reference for `measures.language_model`."""

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import cache, cached_property
from math import log, nan

from reference.corpus import ReferenceCorpus
from reference.tokenizer import words


@cache
def expanded(corpus: ReferenceCorpus, text: str, results: int) -> list[str]:
    """QE or CE: all words of the titles and windows of the results; none where a text is not covered."""
    if not corpus.covered(text, results):
        return []
    return [word for result in corpus.expand(text, results) for word in result]


@dataclass(frozen=True)
class ReferenceLanguageModel:
    """Section 4 of Metzler et al. (2007): P(w|Q), P(w|C) and P(w|Coll) in dictionaries of words.

    `candidates` are the queries of a repository; where none is covered the collection is the corpus.
    """

    corpus: ReferenceCorpus
    results: int
    terms: int = 20
    mu_q: float = 0.0
    mu_c: float = 2500.0
    stop_words: Set[str] = frozenset()
    candidates: tuple[str, ...] = ()

    def expanded(self, text: str) -> list[str]:
        return expanded(self.corpus, text, self.results)

    @cached_property
    def collection(self) -> Counter[str]:
        """The frequency of each word in all expansions of candidates together, or in the corpus."""
        found = Counter(word for candidate in self.candidates for word in self.expanded(candidate))
        return found or self.corpus.statistics.cf

    def background(self, word: str) -> float:
        """P(w|Coll); a word that is not there counts 0.5."""
        return max(self.collection[word], 0.5) / self.collection.total()

    def surface_model(self, query: str) -> dict[str, float]:
        """tf(w,QS) / |QS|; none where the corpus has no word of the text."""
        found = words(query)
        if not any(word in self.corpus.vocabulary.numbers for word in found):
            return {}
        return {word: found.count(word) / len(found) for word in found}

    def expanded_model(self, query: str) -> dict[str, float]:
        """(tf(w,QE) + mu_Q P(w|Coll)) / (|QE| + mu_Q) of the most probable words that are not stop words."""
        found = self.expanded(query)
        model = {
            word: (tf + self.mu_q * self.background(word)) / (len(found) + self.mu_q)
            for word, tf in Counter(found).items()
            if word not in self.stop_words
        }
        numbers = self.corpus.vocabulary.numbers
        by_probability = sorted(model, key=lambda word: (-round(model[word], 12), numbers[word]))
        return {word: model[word] for word in by_probability[: self.terms]}

    def negative_kl(self, query_model: dict[str, float], candidate: str) -> float:
        """sum_w P(w|Q) (log P(w|C) - log P(w|Q)), P(w|C) = (tf(w,CE) + mu_C P(w|Coll)) / (|CE| + mu_C)."""
        found = self.expanded(candidate)
        if not query_model or not found:
            return nan
        total, counts = 0.0, Counter(found)
        for word, probability in query_model.items():
            smoothed = (counts[word] + self.mu_c * self.background(word)) / (len(found) + self.mu_c)
            total += probability * (log(smoothed) - log(probability))
        return total

    def sparse_prob(self, query: str, candidate: str) -> float:
        return self.negative_kl(self.surface_model(query), candidate)

    def dense_prob(self, query: str, candidate: str) -> float:
        return self.negative_kl(self.expanded_model(query), candidate)

    def scores(self, name: str, query: str, candidates: Iterable[str]) -> list[float]:
        """One model of the query, all candidates."""
        model = {"sparse-prob": self.surface_model, "dense-prob": self.expanded_model}[name](query)
        return [self.negative_kl(model, candidate) for candidate in candidates]
