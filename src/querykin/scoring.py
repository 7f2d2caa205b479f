"""Scores for many pairs: texts that come several times are encoded once, as far as memory allows."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.measures.base import Measure, VectorMeasure
from querykin.vectors import Vectors, join

ROWS = 16_384  # rows of a table scored at once: bounds the memory of files of any length
KEPT = 256 << 20  # bytes of rows kept for texts that may come again
_ENTRY = 16  # bytes of one weight and its feature


class RememberedRows:
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
            self.rows = join([self.rows, self._encode(new)])

    def places(self, texts: Sequence[str]) -> Longs:
        """Which rows belong to known texts."""
        return np.array([self._place[text] for text in texts], np.int64)

    def make_room(self) -> None:
        """Forget everything when it has become too much."""
        if len(self.rows.features) * _ENTRY > KEPT:
            self._forget()


class Scorer:
    """Scores batch after batch of pairs by several measures."""

    def __init__(self, measures: Mapping[str, Measure]) -> None:
        self._score = {name: _scoring(measure) for name, measure in measures.items()}

    def score(self, queries: Sequence[str], candidates: Sequence[str]) -> dict[str, Reals]:
        """The scores of each pair, NaN where a measure has no opinion."""
        return {name: score(queries, candidates) for name, score in self._score.items()}


def _scoring(measure: Measure) -> Callable[[Sequence[str], Sequence[str]], Reals]:
    """How a measure scores pairs: with memory where rows are dear, that is where the corpus is asked."""
    if not isinstance(measure, VectorMeasure) or not measure.needs_corpus:
        return measure.score_pairs
    offered = RememberedRows(measure.encode)
    asked = offered if measure.one_kind else RememberedRows(measure.encode_queries)

    def score(queries: Sequence[str], candidates: Sequence[str]) -> Reals:
        parts = [np.zeros(0)]
        step = measure.batch // 4
        for begin in range(0, len(queries), step):
            part = slice(begin, begin + step)
            asked.learn(queries[part])
            offered.learn(candidates[part])
            mine, theirs = asked.places(queries[part]), offered.places(candidates[part])
            parts.append(measure.compare(asked.rows, mine, offered.rows, theirs))
            asked.make_room()
            offered.make_room()
        return np.concatenate(parts)

    return score
