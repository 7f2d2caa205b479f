"""Steps from the embedded engine to a search engine elsewhere: each changes one thing.

Between the two lie which documents are found, how they are ranked, what of them is read, and whose document frequencies
weigh the words.
"""

from collections.abc import Callable

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, UInt64Array, make_indptr
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.search.bm25 import rank
from querykin.search.engine import CorpusEngine, ParsedQueries, SearchEngine, SearchResults
from querykin.search.external.external_engine import relaxations
from querykin.types import Hit

Choice = Callable[[str], Int64Array]  # the numbers of a text's documents, counted over all segments
_MOST = 200  # results of a search elsewhere


class ChosenDocuments(CorpusEngine):
    """Documents of the corpus that something else chooses: in its order, or ranked by BM25 as always."""

    def __init__(self, corpus: Corpus, choose: Choice, ranked: bool) -> None:
        self.corpus, self._choose, self._ranked = corpus, choose, ranked
        sizes = [len(segment) for segment in corpus.segments]
        self._segment_ids = np.repeat(np.arange(len(sizes)), sizes)
        self._ordinals = np.concatenate([np.arange(size) for size in sizes])
        self._doc_ids = np.concatenate([np.asarray(segment.doc_ids) for segment in corpus.segments])

    def search(self, query: str, limit: int) -> list[Hit]:
        """Not needed: measures read the token store."""
        raise NotImplementedError

    def with_statistics(self, statistics: Statistics) -> "ChosenDocuments":
        """The same choice, ranked with other statistics."""
        return ChosenDocuments(self.corpus.with_statistics(statistics), self._choose, self._ranked)

    def search_documents(self, queries: ParsedQueries, limit: int, since: int = 0) -> SearchResults:
        """The chosen documents of several texts; without a ranking all have the score 1."""
        found = [self._results(queries, number, limit) for number in range(len(queries))]
        chosen = np.concatenate([np.zeros(0, np.int64), *(numbers for numbers, _, _ in found)])
        return SearchResults(
            make_indptr(len(numbers) for numbers, _, _ in found),
            self._doc_ids[chosen],
            np.concatenate([np.zeros(0), *(scores for _, scores, _ in found)]),
            np.concatenate([np.zeros(0, np.uint64), *(matched for _, _, matched in found)]),
            self._segment_ids[chosen],
            self._ordinals[chosen],
            self.corpus.segments,
        )

    def _results(
        self, queries: ParsedQueries, number: int, limit: int
    ) -> tuple[Int64Array, Float64Array, UInt64Array]:
        chosen, (stems, idf) = self._choose(queries.texts[number]), queries.terms(number)
        scores, matched = np.zeros(len(chosen)), np.zeros(len(chosen), np.uint64)
        statistics = self.corpus.statistics
        for segment_id, segment in enumerate(self.corpus.segments):
            rows = np.flatnonzero(self._segment_ids[chosen] == segment_id)
            scores[rows], matched[rows] = rank(
                segment,
                self.corpus.vocabulary,
                self._ordinals[chosen[rows]],
                stems,
                idf,
                statistics.tokens / statistics.documents,
            )
        if not self._ranked:
            return chosen[:limit], np.ones(len(chosen[:limit])), matched[:limit]
        best = np.lexsort((self._doc_ids[chosen], -scores))[:limit]
        return chosen[best], scores[best], matched[best]


class AllWords:
    """The documents that have all words of a text, as they are written; if there are none, of its longest words."""

    def __init__(self, corpus: Corpus, relaxed: bool = True) -> None:
        self._corpus, self._relaxed = corpus, relaxed
        self._documents: dict[int, set[int]] = {}
        begin = 0
        for segment in corpus.segments:
            owner = begin + np.repeat(np.arange(len(segment)), np.diff(segment.indptr))
            pairs = np.unique(np.stack([segment.tokens.whole() >> 2, owner]), axis=1).tolist()
            for word, document in zip(*pairs, strict=True):
                self._documents.setdefault(word, set()).add(document)
            begin += len(segment)

    def __call__(self, text: str) -> Int64Array:
        """The numbers of the documents."""
        lowered = text.lower()
        attempts = [lowered, *relaxations(lowered)] if self._relaxed else [lowered]
        return next((found for each in attempts if len(found := self._having(each))), np.zeros(0, np.int64))

    def _having(self, text: str) -> Int64Array:
        corpus = self._corpus
        words = corpus.vocabulary.lookup(corpus.analyzer.tokenize([text])).tolist()
        sets = [self._documents.get(word, set[int]()) for word in words]
        return np.array(sorted(set.intersection(*sets)) if sets else [], np.int64)


class FoundElsewhere:
    """The documents that an engine elsewhere finds, by their titles, in its order."""

    def __init__(self, corpus: Corpus, engine: SearchEngine, title_of: Callable[[str], str]) -> None:
        self._engine, self._title_of = engine, title_of
        titles = [title_of(document.title) for document in corpus.documents()]
        self._number_of = {title: number for number, title in enumerate(titles)}
        self.results = self.known = 0  # hits so far, and those that are documents of the corpus

    def __call__(self, text: str) -> Int64Array:
        """The numbers of the documents."""
        titles = [self._title_of(hit.title) for hit in self._engine.search(text, _MOST)]
        numbers = [self._number_of[title] for title in titles if title in self._number_of]
        self.results, self.known = self.results + len(titles), self.known + len(numbers)
        return np.array(numbers, np.int64)
