"""Scores of a query with every stored row by brute force, the reference for an index."""

import numpy as np

from querykin.compiled import Bools, Longs, Reals
from querykin.index.matrix import Matrix
from querykin.index.packed import Packed
from querykin.index.segment import Segment
from querykin.measures.base import VectorMeasure
from querykin.measures.language_model import LanguageModel
from querykin.retrieval import Indexed
from querykin.vectors import GRID, Vectors


def differing(retriever: Indexed, queries: list[str], k: int) -> int:
    """The number of queries whose top k from the index differs from brute force."""
    measure = retriever.measure
    rows = measure.encode_queries(queries)
    alive = retriever.index.alive(retriever.repository)
    wrong = 0
    for number, ranking in enumerate(retriever.nearest(queries, k)):
        scores = _all_scores(retriever, measure, rows, number, alive)
        wanted = np.sort(np.fromiter(scores.values(), np.float64))[::-1][:k]
        same = len(wanted) == len(ranking.scores) and np.allclose(ranking.scores, wanted, atol=1e-6)
        found = zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True)
        wrong += not (same and all(abs(scores[n] - score) < 1e-6 for n, score in found))
    return wrong


def _all_scores(
    retriever: Indexed, measure: VectorMeasure, queries: Vectors, row: int, alive: list[Bools]
) -> dict[int, float]:
    features, weights = queries.row(row)
    found: dict[int, float] = {}
    if not len(features):
        return found
    for segment, mask in zip(retriever.index.segments, alive, strict=True):
        held = _columns(segment, features)
        if isinstance(measure, LanguageModel):
            background = measure.background(features)
            smoothed = (held + measure.mu_c * background) / (segment.sizes[:, None] + measure.mu_c)
            scores = (weights * (np.log(smoothed) - np.log(weights))).sum(axis=1)
        else:
            scores = measure.finish(held @ weights, measure.about(queries)[row], segment.sizes)
        kept = mask & ((segment.sizes > 0) if measure.every_row else (scores > 0))
        found |= dict(zip(segment.numbers[kept].tolist(), scores[kept].tolist(), strict=True))
    return found


def _columns(segment: Segment, features: Longs) -> Reals:
    """The weights of some features in every row."""
    if isinstance(segment.rows, Matrix):
        return segment.rows.matrix[:, features].astype(np.float64)
    held = np.zeros((len(segment), len(features)))
    if isinstance(segment.rows, Packed):
        first, found, steps = segment.rows.read(np.arange(len(segment)))
        place = np.minimum(np.searchsorted(features, found), len(features) - 1)
        asked = features[place] == found
        owners = np.repeat(np.arange(len(segment)), np.diff(first))
        held[owners[asked], place[asked]] = steps[asked] / GRID
        return held
    for column, feature in enumerate(features):
        rows, weights = segment.rows.held(int(feature))
        held[rows, column] = weights
    return held
