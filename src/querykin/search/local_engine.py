"""Engines over the corpus of the workspace: hits with passages, and documents that were deleted."""

from copy import copy
from typing import Self

import numpy as np

from querykin.compute.threads import zeroed_scratch
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.search.engine import CorpusEngine, ParsedQueries, SearchResults
from querykin.search.kernel_arrays import segment_arrays
from querykin.search.query_parser import parse_queries
from querykin.search.snippets import snippet
from querykin.search.windows import windows
from querykin.types import Hit

SNIPPET = 240  # characters


class LocalEngine(CorpusEngine):
    """Searches the corpus of the workspace; its subclasses find and rank documents."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.live = [segment.live(corpus.tombstones) for segment in corpus.segments]

    def search(self, query: str, limit: int) -> list[Hit]:
        """The best documents for a query, each with the passage that matches it best."""
        queries = parse_queries([query], self.corpus)
        results = self.search_documents(queries, limit)
        return [self._hit(queries, results, r) for r in range(len(results.documents))]

    def _hit(self, queries: ParsedQueries, results: SearchResults, r: int) -> Hit:
        segment, ordinal = results.segments[results.segment_ids[r]], int(results.ordinals[r])
        stem, ordinals, query_of = (
            self.corpus.vocabulary.stem,
            results.ordinals[r : r + 1],
            np.zeros(1, np.int64),
        )
        with zeroed_scratch(np.int8, len(stem)) as slots:
            (begin,), (end,) = windows(
                segment_arrays(segment, ordinals), ordinals, query_of, queries.arrays, stem, SNIPPET, slots
            )
        document = segment.document(ordinal)
        text = snippet(segment, ordinal, int(begin), int(end))
        return Hit(document.id, document.title, text, document.url, float(results.scores[r]))

    def with_statistics(self, statistics: Statistics) -> Self:
        """The same documents, ranked with other corpus statistics; what is open is shared."""
        other = copy(self)
        other.corpus = self.corpus.with_statistics(statistics)
        return other
