"""Collection statistics of the indexed candidates, for language models (Metzler, Dumais & Meek 2007)."""

from typing import cast

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.index.index import Index
from querykin.index.posting_lists import PostingLists
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
