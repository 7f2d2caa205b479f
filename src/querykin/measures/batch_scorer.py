"""Scores for files of pairs: batch after batch, by several measures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.tables import plain
from querykin.measures.base import Measure
from querykin.measures.pair_scorer import PairScorer
from querykin.measures.vector_measure import VectorMeasure
from querykin.progress import SILENT, Progress

ROWS = 16_384  # rows of a table scored at once: bounds the memory for files of any length


class BatchScorer:
    """Scores batch after batch of pairs; rows of measures over the corpus are cached between batches."""

    def __init__(self, measures: Mapping[str, Measure]) -> None:
        self._score = {name: _score_function(measure) for name, measure in measures.items()}
        self.listwise = any(measure.listwise for measure in measures.values())  # lists must come whole

    def score(self, queries: Sequence[str], candidates: Sequence[str]) -> dict[str, Float64Array]:
        """The scores of each pair; NaN where it is not covered."""
        return {name: score(queries, candidates) for name, score in self._score.items()}


def _score_function(measure: Measure) -> Callable[[Sequence[str], Sequence[str]], Float64Array]:
    """With a cache where encoding is expensive; elsewhere caching costs more than encoding again."""
    if isinstance(measure, VectorMeasure) and measure.requirements().corpus:
        return PairScorer(measure).score
    return measure.score_pairs


def score_judged_pairs(
    judged: JudgedPairs, measures: Mapping[str, Measure], progress: Progress = SILENT
) -> dict[str, Float64Array]:
    """The scores of all judged pairs by several measures."""
    found, scorer = {name: np.empty(len(judged)) for name in measures}, BatchScorer(measures)
    step = len(judged) if scorer.listwise else ROWS
    with progress.task("scoring", len(judged)) as advance:
        for begin in range(0, len(judged), step):
            rows = range(begin, min(begin + step, len(judged)))
            for name, values in scorer.score(judged.queries.at(rows), judged.candidates.at(rows)).items():
                found[name][begin : rows.stop] = values
            advance(len(rows))
    return found


def similarity_json(
    a: str, b: str, scores: Mapping[str, float], percentiles: Mapping[str, float | None]
) -> dict[str, Any]:
    """The scores of one pair and their percentiles as JSON, on the command line and over HTTP."""
    return {
        "a": a,
        "b": b,
        "scores": {name: plain(float(score)) for name, score in scores.items()},
        "percentiles": {
            name: None if found is None else round(found, 3) for name, found in percentiles.items()
        },
    }
