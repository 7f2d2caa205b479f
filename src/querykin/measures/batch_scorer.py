"""Scores for files of pairs: batch after batch, by several measures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from querykin.compute.arrays import Float64Array
from querykin.io.tables import plain
from querykin.measures.base import Measure, VectorMeasure
from querykin.measures.pair_scorer import PairScorer

ROWS = 16_384  # rows of a table scored at once: bounds the memory of files of any length


class Scorer:
    """Scores batch after batch of pairs; where a corpus is asked, rows are remembered between batches."""

    def __init__(self, measures: Mapping[str, Measure]) -> None:
        self._score = {name: _scoring(measure) for name, measure in measures.items()}
        self.listwise = any(measure.listwise for measure in measures.values())  # lists must come whole

    def score(self, queries: Sequence[str], candidates: Sequence[str]) -> dict[str, Float64Array]:
        """The scores of each pair, NaN where a measure has no opinion."""
        return {name: score(queries, candidates) for name, score in self._score.items()}


def _scoring(measure: Measure) -> Callable[[Sequence[str], Sequence[str]], Float64Array]:
    """With memory where rows are dear; elsewhere keeping them costs more than making them."""
    if isinstance(measure, VectorMeasure) and measure.needs_corpus:
        return PairScorer(measure).score
    return measure.score_pairs


def similarity_json(a: str, b: str, scores: Mapping[str, float]) -> dict[str, Any]:
    """The scores of one pair as JSON knows them, on the command line and over HTTP."""
    return {"a": a, "b": b, "scores": {name: plain(float(score)) for name, score in scores.items()}}
