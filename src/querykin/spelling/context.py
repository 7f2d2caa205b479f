"""How often words occur together: in the same documents, and side by side."""

from collections.abc import Callable, Sequence

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array
from querykin.corpus.segment import TokenizedDocuments
from querykin.corpus.vocabulary import Vocabulary
from querykin.search.engine import CorpusEngine
from querykin.search.expansion import MAX_RESULTS, Expander
from querykin.search.query_parser import parse_queries


class Context:
    """Counts of documents among the best 200 for some words; those that have all of them are ranked first.

    An engine elsewhere is not asked for words that nobody typed: without one over the corpus counts are 0.
    """

    def __init__(self, expander: Callable[[], Expander]) -> None:
        self._open = expander  # opens the search engine, which few corrections need

    def together(self, texts: Sequence[str]) -> Int64Array:
        """The number of documents that have all words of each text."""
        return np.array([len(documents) for documents in self._with_all_words(texts)], np.int64)

    def side_by_side(self, texts: Sequence[str]) -> Int64Array:
        """The number of documents that have the words of each text beside each other, in its order."""
        vocabulary = self._open().corpus.vocabulary
        found = zip(texts, self._with_all_words(texts), strict=True)
        return np.array([_phrase_count(text, documents, vocabulary) for text, documents in found], np.int64)

    def _with_all_words(self, texts: Sequence[str]) -> list[list[tuple[TokenizedDocuments, int]]]:
        expander = self._open()
        if not isinstance(expander.engine, CorpusEngine):
            return [[] for _ in texts]
        queries = parse_queries(texts, expander.corpus)
        results = expander.engine.search_documents(queries, MAX_RESULTS)
        found = []
        for number in range(len(texts)):
            all_terms = np.uint64((1 << len(queries.terms(number)[0])) - 1)
            begin, end = results.indptr[number], results.indptr[number + 1]
            rows = begin + np.flatnonzero(results.matched[begin:end] == all_terms)
            places = zip(results.segment_ids[rows].tolist(), results.ordinals[rows].tolist(), strict=True)
            found.append([(results.segments[segment], ordinal) for segment, ordinal in places])
        return found


def _phrase_count(
    text: str, documents: Sequence[tuple[TokenizedDocuments, int]], vocabulary: Vocabulary
) -> int:
    phrase, _ = vocabulary.lookup_stems(vocabulary.analyzer.tokenize([text]))
    return sum(_has_phrase(segment, ordinal, phrase, vocabulary.stem) for segment, ordinal in documents)


def _has_phrase(segment: TokenizedDocuments, ordinal: int, phrase: Int32Array, stem: Int32Array) -> bool:
    stems = stem[segment.tokens[segment.indptr[ordinal] : segment.indptr[ordinal + 1]] >> 2]
    count = len(stems) - len(phrase) + 1
    here = np.ones(max(0, count), np.bool_)
    for place, term in enumerate(phrase):
        here &= stems[place : place + count] == term
    return bool(here.any())
