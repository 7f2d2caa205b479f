"""Scores for many pairs: a text that comes again is encoded once, as far as memory allows."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.vectors import Vectors, concatenate

if TYPE_CHECKING:
    from querykin.measures.base import VectorMeasure

KEPT = 256 << 20  # bytes of rows kept for texts that may come again
_ENTRY = 16  # bytes of one weight and its feature


class RowCache:
    """Rows of texts, kept until they take too much room."""

    def __init__(self, encode: Callable[[Sequence[str]], Vectors]) -> None:
        self._encode = encode
        self._forget()

    def _forget(self) -> None:
        self.rows, self._place = self._encode([]), dict[str, int]()

    def learn(self, texts: Sequence[str]) -> None:
        """Encode the texts that are not known yet."""
        new = [text for text in dict.fromkeys(texts) if text not in self._place]
        if new:
            self._place |= {text: len(self.rows) + number for number, text in enumerate(new)}
            self.rows = concatenate([self.rows, self._encode(new)])

    def places(self, texts: Sequence[str]) -> Int64Array:
        """Which rows belong to known texts."""
        return np.array([self._place[text] for text in texts], np.int64)

    def evict(self) -> None:
        """Forget everything when it has become too much."""
        if len(self.rows.features) * _ENTRY > KEPT:
            self._forget()


class PairScorer:
    """Scores pairs by a measure, some at a time, and remembers rows from one call to the next."""

    def __init__(self, measure: "VectorMeasure") -> None:
        self._measure = measure
        self._offered = RowCache(measure.encode)
        self._asked = self._offered if measure.same_encoding else RowCache(measure.encode_queries)

    def score(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The score of each query with the candidate beside it."""
        step = self._measure.batch // 4
        parts = [
            self._some(queries[i : i + step], candidates[i : i + step]) for i in range(0, len(queries), step)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def _some(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        asked, offered = self._asked, self._offered
        if asked is offered:
            offered.learn([*queries, *candidates])  # at once, so that both are encoded on all cores
        else:
            asked.learn(queries)
            offered.learn(candidates)
        mine, theirs = asked.places(queries), offered.places(candidates)
        scores = self._measure.compare(asked.rows, mine, offered.rows, theirs)
        asked.evict()
        offered.evict()
        return scores
