"""Collection statistics of the indexed candidates, for language models (Metzler, Dumais & Meek 2007)."""

from typing import cast

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.corpus.corpus import Corpus
from querykin.index.builder import index_settings, source_ids
from querykin.index.catalog import IndexCatalog
from querykin.index.index import Index
from querykin.index.posting_lists import PostingLists
from querykin.measures.vector_measure import VectorMeasure
from querykin.querylog.repository import Repository


class CollectionStatistics:
    """The expansions of all candidates of a repository, treated as one collection."""

    def __init__(self, index: Index, repository: Repository) -> None:
        self._index, self._live = index, index.live_rows(repository)
        pairs = zip(index.segments, self._live, strict=True)
        self._length = sum(float(segment.candidate_stats[live].sum()) for segment, live in pairs)
        self._cache: dict[int, float] = {}

    def counts(self, words: Int64Array) -> Float64Array:
        """The collection frequency of each word; each is computed once and cached."""
        word_ids = words.tolist()
        if uncached := {word for word in word_ids if word not in self._cache}:
            missing = np.array(sorted(uncached), np.int64)
            total = np.zeros(len(missing))
            for segment, live in zip(self._index.segments, self._live, strict=True):
                total += cast(PostingLists, segment.rows).totals(missing, live)
            self._cache.update(zip(missing.tolist(), total.tolist(), strict=True))
        return np.array([self._cache[word] for word in word_ids], np.float64)

    def length(self) -> float:
        """The total number of words in all candidates."""
        return self._length


class CollectionCatalog:
    """The collection statistics of each index, kept until the index or the repository changes."""

    def __init__(self, indexes: IndexCatalog, corpus: Corpus, repository: Repository) -> None:
        self._indexes, self._corpus, self._repository = indexes, corpus, repository
        self._kept: dict[str, tuple[tuple[int, int], CollectionStatistics | None]] = {}

    def collection(self, measure: VectorMeasure) -> CollectionStatistics | None:
        """The statistics of a measure's index; None where it is not built for this measure, or empty."""
        index = self._indexes.index(measure)
        built = index.committed and (index.committed.index_settings, index.committed.source_ids)
        if built != (index_settings(measure), source_ids(self._corpus, self._repository)):
            return None
        version = index.generation, self._repository.generation
        if self._kept.get(measure.index_name, (None, None))[0] != version:
            found = CollectionStatistics(index, self._repository)
            self._kept[measure.index_name] = version, found if found.length() else None
        return self._kept[measure.index_name][1]
