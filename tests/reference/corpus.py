"""A corpus as a list of documents, searched by scoring all of them: the reference from search to kernels."""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from querykin import Document
from reference.ranking import idf_coverage, score
from reference.statistics import ReferenceStatistics, recount
from reference.tfidf import centroid, pseudo_document
from reference.tokenizer import Token, feature, stem, tokenize
from reference.vectors import Row, plus, unit
from reference.vocabulary import ReferenceVocabulary
from reference.windows import window


class ReferenceDocument(NamedTuple):
    tokens: list[Token]
    stems: list[str]
    title: int  # number of tokens of the title


class ReferenceCorpus:
    def __init__(self, documents: Sequence[Document]) -> None:
        texts = [f"{document.title}\n{document.text}" for document in documents]
        self.vocabulary = ReferenceVocabulary()
        self.statistics: ReferenceStatistics = recount(texts)
        self.documents: list[ReferenceDocument] = []
        for document, text in zip(documents, texts, strict=True):
            tokens = tokenize(text)
            title = len(tokenize(document.title))
            self.documents.append(ReferenceDocument(tokens, [stem(token.word) for token in tokens], title))
        self.vocabulary.add([token.word for document in self.documents for token in document.tokens])

    def query(self, text: str) -> dict[str, float]:
        """The distinct stems of a text with their idf."""
        return {root: self.statistics.stem_idf(root) for root in (stem(t.word) for t in tokenize(text))}

    def scores(self, text: str) -> dict[int, float]:
        """The score of every document that contains a word of the text."""
        idf, mean = self.query(text), self.statistics.tokens / max(1, self.statistics.documents)
        scores = {}
        for doc_id, (_, stems, title) in enumerate(self.documents):
            if any(root in idf for root in stems):
                scores[doc_id] = score(stems[:title], stems[title:], idf, mean)
        return scores

    def search(self, text: str, limit: int) -> list[int]:
        """The best documents; scores are rounded so that equal ones tie, and ties are in order of arrival."""
        scores = self.scores(text)
        return sorted(scores, key=lambda doc_id: (-round(scores[doc_id], 9), doc_id))[:limit]

    def covered(self, text: str, limit: int, min_coverage: float = 0.4) -> bool:
        results = [set(self.documents[doc_id].stems) for doc_id in self.search(text, limit)]
        coverage = idf_coverage(results, self.query(text), log(self.statistics.documents + 1) / 2)
        return coverage >= min_coverage - 1e-9

    def expand(self, text: str, limit: int, width: int = 1000) -> list[list[str]]:
        """The words of the title and of the best window of every result."""
        idf, expansion = self.query(text), []
        for doc_id in self.search(text, limit):
            tokens, stems, title = self.documents[doc_id]
            begin, end = window(stems[title:], [token.start for token in tokens[title:]], idf, width)
            expansion.append([token.word for token in tokens[:title] + tokens[title + begin : title + end]])
        return expansion

    def web_kernel_vector(self, text: str) -> Row:
        """QE(x) as printed: 200 results, 50 terms of each, tf log(N / df)."""
        return centroid(self._numbered(text), self._idf(), terms=50) if self.covered(text, 200) else {}

    def pseudo_document_vector(self, text: str) -> Row:
        return pseudo_document(self._numbered(text), self._idf()) if self.covered(text, 200) else {}

    def adapted_vector(
        self, text: str, results: int, power: float, terms: int, own: float, missing: float, damping: float
    ) -> Row:
        """The adapted kernel: results weighted by relevance, 1 + log tf, stems, the query's words, damping.

        A word of the query weighs `own`, plus `missing` times the share of the results without it.
        """
        if not self.covered(text, results):
            return {}
        scores = self.scores(text)
        best = [scores[doc_id] for doc_id in self.search(text, results)]
        shares = [(score / best[0]) ** power for score in best]
        stemmed = [[self.vocabulary.stem(word) for word in words] for words in self.expand(text, results)]
        idf = [self.statistics.stem_idf(word) for word in self.vocabulary.numbers]
        context = centroid(stemmed, idf, terms, shares, log_tf=True)
        numbers = self.vocabulary.numbers
        words = {numbers.get(root, -1 - feature(root)): weight for root, weight in self.query(text).items()}
        best_documents = self.search(text, results)
        lacking = {
            root: sum(
                share
                for share, doc_id in zip(shares, best_documents, strict=True)
                if root not in self.documents[doc_id].stems
            )
            / sum(shares)
            for root in self.query(text)
        }
        raised = {
            numbers.get(root, -1 - feature(root)): own + missing * lack for root, lack in lacking.items()
        }
        whole = plus(context, {term: weight * raised[term] for term, weight in unit(words).items()}, 1)
        return unit({term: weight**damping for term, weight in whole.items()})

    def _numbered(self, text: str) -> list[list[int]]:
        return [[self.vocabulary.numbers[word] for word in words] for words in self.expand(text, 200)]

    def _idf(self) -> list[float]:
        return [self.statistics.idf(word) for word in self.vocabulary.numbers]
