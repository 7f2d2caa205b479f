"""Engines whose index proposes candidates; `bm25.rank` scores them from the token store."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, UInt64Array, make_indptr
from querykin.search.bm25 import rank
from querykin.search.engine import ParsedQueries, SearchResults
from querykin.search.local_engine import LocalEngine

FIRST_STAGE_DEPTH = 300  # candidates of an index; docs/decisions/0005 says why


def first_stage_depth(limit: int) -> int:
    """How many candidates of each segment are ranked: 300, or half as many again as results are wanted.

    >>> first_stage_depth(30), first_stage_depth(1000)
    (300, 1500)
    """
    return max(FIRST_STAGE_DEPTH, limit * 3 // 2)


class ProposingEngine(LocalEngine):
    """Searches the corpus of the workspace; scores of the proposing index are not used."""

    @abstractmethod
    def propose(self, queries: Sequence[Int64Array], since: int, depth: int) -> Iterable[list[Int64Array]]:
        """For each query, given as stems of the vocabulary, the live candidates of each segment as ordinals.

        The index gives `depth` of them; only documents with ids from `since` on are proposed.
        """

    def search_documents(self, queries: ParsedQueries, limit: int, since: int = 0) -> SearchResults:
        """The best documents for several queries, of those with ids from `since` on; ties by id."""
        terms = [queries.terms(number) for number in range(len(queries))]
        stems_of = [stems[stems >= 0] for stems, _ in terms]
        proposed = self.propose(stems_of, since, first_stage_depth(limit))
        found = [
            self._best(candidates, stems, idf, limit)
            for candidates, (stems, idf) in zip(proposed, terms, strict=True)
        ]
        none = (
            np.zeros(0, np.int64),
            np.zeros(0),
            np.zeros(0, np.uint64),
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
        )
        doc_ids, scores, matched, segment_ids, ordinals = (
            np.concatenate(values) for values in zip(none, *found, strict=True)
        )
        indptr = make_indptr(len(values[0]) for values in found)
        return SearchResults(indptr, doc_ids, scores, matched, segment_ids, ordinals, self.corpus.segments)

    def _best(
        self, candidates: list[Int64Array], stems: Int64Array, idf: Float64Array, limit: int
    ) -> tuple[Int64Array, Float64Array, UInt64Array, Int64Array, Int64Array]:
        segment_ids = np.repeat(np.arange(len(candidates)), [len(ordinals) for ordinals in candidates])
        ordinals = np.concatenate([np.zeros(0, np.int64), *candidates])
        doc_ids, scores, matched = self._rank(candidates, stems, idf)
        best = np.lexsort((doc_ids, -scores))[:limit]
        return doc_ids[best], scores[best], matched[best], segment_ids[best], ordinals[best]

    def _rank(
        self, candidates: list[Int64Array], stems: Int64Array, idf: Float64Array
    ) -> tuple[Int64Array, Float64Array, UInt64Array]:
        corpus = self.corpus
        mean_length = corpus.statistics.tokens / max(1, corpus.statistics.documents)
        doc_ids, scores, matched = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0, np.uint64)]
        for segment, ordinals in zip(corpus.segments, candidates, strict=True):
            segment_scores, bits = rank(segment, corpus.vocabulary, ordinals, stems, idf, mean_length)
            doc_ids.append(segment.doc_ids[ordinals])
            scores.append(segment_scores)
            matched.append(bits)
        return np.concatenate(doc_ids), np.concatenate(scores), np.concatenate(matched)
