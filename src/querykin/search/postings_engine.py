"""The search engine over the posting lists of the corpus: two kernels, one after the other, for each segment.

The documents that are ranked are those that tantivy would propose.
"""

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.corpus.corpus import Corpus
from querykin.corpus.field_norms import K1
from querykin.corpus.postings import Postings, TermLists
from querykin.opensearch.settings import OpenSearchSettings
from querykin.progress import SILENT, Progress
from querykin.search.engine import ParsedQueries, SearchEngine, SearchResults, engines
from querykin.search.engine_settings import EngineSettings
from querykin.search.first_stage import QueryLists, first_stage
from querykin.search.local_engine import LocalEngine
from querykin.search.posting_ranking import rank_postings
from querykin.search.proposing_engine import first_stage_depth

_MIN_WEIGHT = np.float32(1e-27)  # what is found has a score above 0, also by a word of all documents
_Found: TypeAlias = tuple[NDArray[Any], ...]  # queries, segments, ordinals, ids, scores and matched terms


@engines.register("postings")
class PostingsEngine(LocalEngine):
    """Searches the corpus of the workspace in its own posting lists."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._postings = [
            Postings(segment.folder, segment.indptr, segment.title_lengths) for segment in corpus.segments
        ]

    @classmethod
    def for_corpus(cls, corpus: Corpus, path: str = "") -> "PostingsEngine":
        """The engine over the posting lists of the corpus's segments."""
        return cls(corpus)

    @classmethod
    def for_settings(
        cls,
        corpus: Corpus,
        settings: EngineSettings,
        opensearch: OpenSearchSettings,
        folder: Path,
        progress: Progress = SILENT,
    ) -> SearchEngine:
        """The same; where segments of an earlier version have no posting lists, tantivy."""
        if not corpus.lacks_postings:
            return cls(corpus)
        from querykin.search.tantivy_engine import TantivyEngine

        return TantivyEngine(corpus)

    def search_documents(self, queries: ParsedQueries, limit: int, since: int = 0) -> SearchResults:
        """The best documents for several queries, of those with ids from `since` on; ties by id."""
        found = [
            self._search_segment(number, queries, first_stage_depth(limit), since)
            for number, segment in enumerate(self.corpus.segments)
            if segment.doc_ids[-1] >= since
        ]
        none = (*(np.zeros(0, np.int64) for _ in range(4)), np.zeros(0), np.zeros(0, np.uint64))
        query_of, segment_ids, ordinals, doc_ids, scores, matched = (
            np.concatenate(values) for values in zip(none, *found, strict=True)
        )
        order = np.lexsort((doc_ids, -scores, query_of))
        indptr = make_indptr(np.bincount(query_of, minlength=len(queries)))
        best = order[np.arange(len(order)) - np.repeat(indptr[:-1], np.diff(indptr)) < limit]
        return SearchResults(
            make_indptr(np.minimum(np.diff(indptr), limit)),
            doc_ids[best],
            scores[best],
            matched[best],
            segment_ids[best],
            ordinals[best],
            self.corpus.segments,
        )

    def _search_segment(self, number: int, queries: ParsedQueries, depth: int, since: int) -> _Found:
        """The candidates of a segment with their scores."""
        segment, postings, statistics = (
            self.corpus.segments[number],
            self._postings[number],
            self.corpus.statistics,
        )
        lists = query_lists(queries.indptr, postings.lists(queries.stems), len(segment))
        arrays = postings.arrays(lists.begins, lists.ends)
        indptr, ordinals = first_stage(lists, arrays, self.live[number], depth)
        mean_length = statistics.tokens / max(1, statistics.documents)
        scores, matched = rank_postings(
            indptr,
            ordinals,
            lists,
            queries.idf,
            arrays,
            segment.indptr,
            segment.title_lengths,
            mean_length,
        )
        query_of, doc_ids = np.repeat(np.arange(len(queries)), np.diff(indptr)), segment.doc_ids[ordinals]
        found = query_of, np.full(len(ordinals), number), ordinals, doc_ids, scores, matched
        if since <= segment.doc_ids[0]:
            return found
        new = doc_ids >= since
        return tuple(values[new] for values in found)


def query_lists(indptr: Int64Array, terms: TermLists, documents: int) -> QueryLists:
    """The lists of queries with their weights, idf (k1 + 1) in a segment, in the precision of tantivy."""
    half, one = np.float32(0.5), np.float32(1)
    df = (terms.ends - terms.begins).astype(np.float32)
    weights = np.log(one + (np.float32(documents) - df + half) / (df + half)) * (np.float32(K1) + one)
    weights = np.fmax(weights, _MIN_WEIGHT)
    bounds: Float64Array = weights.astype(np.float64) * terms.maxima
    return QueryLists(indptr, terms.begins, terms.ends, weights, bounds)
