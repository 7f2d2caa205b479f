"""Scores of many pairs: a text that occurs repeatedly is encoded once, within a memory limit."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.vectors import Vectors, concatenate

if TYPE_CHECKING:
    from querykin.measures.vector_measure import VectorMeasure

CACHE_BYTES = 256 << 20  # of encoded rows
_ENTRY_BYTES = 16  # of one weight and its feature


class RowCache:
    """Encoded rows of texts, emptied when they exceed the memory limit."""

    def __init__(self, encode: Callable[[Sequence[str]], Vectors], space: str) -> None:
        self._encode, self._space = encode, space
        self._clear()

    def _clear(self) -> None:
        self.rows = Vectors(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), self._space)
        self._row_of: dict[str, int] = {}

    def add(self, texts: Sequence[str]) -> None:
        """Encode the texts that are not cached yet."""
        new = [text for text in dict.fromkeys(texts) if text not in self._row_of]
        if new:
            self._row_of |= {text: len(self.rows) + number for number, text in enumerate(new)}
            self.rows = concatenate([self.rows, self._encode(new)])

    def rows_of(self, texts: Sequence[str]) -> Int64Array:
        """The rows of cached texts."""
        return np.array([self._row_of[text] for text in texts], np.int64)

    def evict(self) -> None:
        """Empty the cache when it is over its limit."""
        if len(self.rows.features) * _ENTRY_BYTES > CACHE_BYTES:
            self._clear()


class PairScorer:
    """Scores pairs by a vector measure in batches, with rows cached from batch to batch."""

    def __init__(self, measure: "VectorMeasure") -> None:
        self._measure = measure
        self._candidates = RowCache(measure.encode_candidates, measure.space)
        self._queries = self._candidates
        if measure.encodes_queries:
            self._queries = RowCache(measure.encode_queries, measure.space)

    def score(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The score of each query with the candidate beside it."""
        step = self._measure.batch // 4
        starts = range(0, len(queries), step)
        parts = [self._score_batch(queries[i : i + step], candidates[i : i + step]) for i in starts]
        return np.concatenate([np.zeros(0), *parts])

    def _score_batch(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        if self._queries is self._candidates:
            self._candidates.add([*queries, *candidates])  # at once, so that both are encoded on all cores
        else:
            self._queries.add(queries)
            self._candidates.add(candidates)
        rows, other_rows = self._queries.rows_of(queries), self._candidates.rows_of(candidates)
        scores = self._measure.score_rows(self._queries.rows, rows, self._candidates.rows, other_rows)
        self._queries.evict()
        self._candidates.evict()
        return scores
