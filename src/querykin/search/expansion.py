"""Query expansion: the titles and passage windows of a short text's search results, as token ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from weakref import WeakValueDictionary

import numpy as np
from cachetools import LRUCache

from querykin.compute.arrays import BoolArray, Int64Array, UInt32Array, make_indptr
from querykin.compute.jit import njit
from querykin.compute.threads import zeroed_scratch
from querykin.corpus.corpus import Corpus
from querykin.corpus.statistics import Statistics
from querykin.search.engine import (
    CorpusEngine,
    ParsedQueries,
    SearchEngine,
    SearchResults,
    concatenate_results,
)
from querykin.search.external_hits import tokenize_hits
from querykin.search.kernel_arrays import SegmentArrays, segment_arrays
from querykin.search.query_parser import parse_queries
from querykin.search.windows import windows

WINDOW = 1000  # characters around the query's words (Sahami & Heilman 2006)
MAX_RESULTS = 200  # results of a search that are kept for all measures (Metzler et al. 2007; Yih 2009)
MAX_DEPTH = 1000  # results that one measure may use: the deepest set overlap of Sahami & Heilman (2006)
CACHE_SIZE = 8192  # texts whose results are cached, about 8 kB each
MIN_IDF_COVERAGE = 0.4  # a text is covered when its results match this share of its idf mass


@njit
def _copy_windows(
    documents: SegmentArrays,
    ordinals: Int64Array,
    begins: Int64Array,
    ends: Int64Array,
    targets: Int64Array,
    out: UInt32Array,
) -> None:
    """Write the title and the window of each document to `out`, from `targets[r]` on."""
    tokens, indptr, title_lengths = documents.tokens, documents.indptr, documents.title_lengths
    for r in range(len(ordinals)):
        at, begin = targets[r], indptr[ordinals[r]]
        for i in range(begin, begin + title_lengths[ordinals[r]]):
            out[at] = tokens[i]
            at += 1
        for i in range(begins[r], ends[r]):
            out[at] = tokens[i]
            at += 1


@dataclass(frozen=True, slots=True)
class Expansions:
    """The search results of several texts with their tokens.

    Text t has results indptr[t] to indptr[t + 1]. Result r has `tokens[windows[r] : windows[r + 1]]`: the
    title of its document, then the window, which is tokens begins[r] to ends[r] of its segment.
    """

    queries: ParsedQueries
    results: SearchResults
    windows: Int64Array
    tokens: UInt32Array
    begins: Int64Array
    ends: Int64Array
    covered: BoolArray

    @property
    def indptr(self) -> Int64Array:
        """Offsets of each text's results; measures ignore the results of a text that is not covered."""
        return self.results.indptr


class Expander:
    """Searches for texts and cuts windows out of the results.

    Texts are searched in batches. Results are cached, so that several measures over the same texts cost one
    search.
    """

    def __init__(
        self,
        corpus: Corpus,
        engine: SearchEngine,
        window: int = WINDOW,
        idf_coverage: float = MIN_IDF_COVERAGE,
    ) -> None:
        if not isinstance(engine, CorpusEngine):
            corpus = corpus.with_statistics(corpus.statistics.with_words_seen())
        self.corpus, self.engine = corpus, engine
        self.window, self.idf_coverage = window, idf_coverage
        self._cache: LRUCache[str, SearchResults] = LRUCache(CACHE_SIZE)
        self._lock = Lock()
        self._under_statistics: WeakValueDictionary[str, Expander] = WeakValueDictionary()

    def with_statistics(self, statistics: Statistics) -> "Expander":
        """The same documents and settings with other corpus statistics; one expander a version."""
        with self._lock:
            known = self._under_statistics.get(statistics.version)
            if known is None:
                engine = self.engine
                if isinstance(engine, CorpusEngine):
                    engine = engine.with_statistics(statistics)
                corpus = self.corpus.with_statistics(statistics)
                known = Expander(corpus, engine, self.window, self.idf_coverage)
                self._under_statistics[statistics.version] = known
            return known

    def search(
        self, texts: Sequence[str], limit: int = MAX_RESULTS
    ) -> tuple[ParsedQueries, SearchResults, BoolArray]:
        """The results of each text, and whether they cover it."""
        if limit > MAX_DEPTH:
            raise ValueError(f"results must be at most {MAX_DEPTH}, got {limit}")
        queries = parse_queries(texts, self.corpus)
        if limit > MAX_RESULTS:
            results = self._search_engine(queries, limit)  # not cached: five times the size
        else:
            results = concatenate_results(self._results(queries)).top(limit)
        # Half the largest idf: one unknown word must not outweigh all known ones.
        cap = np.log(self.corpus.statistics.documents + 1) / 2
        return queries, results, results.idf_coverage(queries, cap) >= max(self.idf_coverage - 1e-9, 1e-9)

    def clear_cache(self) -> None:
        """Drop all cached results."""
        with self._lock:
            self._cache.clear()

    def _results(self, queries: ParsedQueries) -> list[SearchResults]:
        """The results of each text, from the cache or by a search."""
        with self._lock:
            known = {text: self._cache[text] for text in queries.texts if text in self._cache}
        new = {text: number for number, text in enumerate(queries.texts) if text not in known}
        if new:
            distinct = queries if len(new) == len(queries) else queries.take(list(new.values()))
            found = self._search_engine(distinct, MAX_RESULTS)
            known |= {text: found.of(number) for number, text in enumerate(new)}
            with self._lock:
                self._cache.update({text: known[text] for text in new})
        return [known[text] for text in queries.texts]

    def _search_engine(self, queries: ParsedQueries, limit: int) -> SearchResults:
        if isinstance(self.engine, CorpusEngine):
            return self.engine.search_documents(queries, limit)
        answers = self.engine.search_many(queries.texts, limit)
        return tokenize_hits(answers, self.corpus.vocabulary, queries)

    def expand(self, texts: Sequence[str], limit: int) -> Expansions:
        """Titles and windows of the best results of each text."""
        queries, results, covered = self.search(texts, limit)
        count, stem = len(results.documents), self.corpus.vocabulary.stem
        query_of = np.repeat(np.arange(len(texts)), np.diff(results.indptr))
        begins, ends, title_lengths = (np.zeros(count, np.int64) for _ in range(3))
        parts = []
        for number, segment in enumerate(results.segments):
            rows = np.flatnonzero(results.segment_ids == number)
            parts.append((segment_arrays(segment, results.ordinals[rows]), rows))
        for documents, rows in parts:
            ordinals = results.ordinals[rows]
            title_lengths[rows] = documents.title_lengths[ordinals]
            with zeroed_scratch(np.int8, len(stem)) as slots:
                begins[rows], ends[rows] = windows(
                    documents, ordinals, query_of[rows], queries.arrays, stem, self.window, slots
                )
        indptr = make_indptr(title_lengths + ends - begins)
        tokens = np.empty(indptr[-1], np.uint32)
        for documents, rows in parts:
            _copy_windows(documents, results.ordinals[rows], begins[rows], ends[rows], indptr[rows], tokens)
        return Expansions(queries, results, indptr, tokens, begins, ends, covered)
