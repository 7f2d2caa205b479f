"""The scores of a query with every stored row, computed in the plainest way: what an index must agree with."""

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.index.block_max_index import BlockMaxIndex
from querykin.index.dense_matrix import DenseMatrix
from querykin.index.segment import IndexSegment
from querykin.measures.language_model import LanguageModel
from querykin.measures.vector_measure import VectorMeasure
from querykin.retrieval.retrievers import IndexRetriever
from querykin.vectors import QUANTIZATION_LEVELS, Vectors


def differing(retriever: IndexRetriever, queries: list[str], k: int) -> int:
    """For how many queries the top k from the index is not that of brute force."""
    measure = retriever.measure
    rows = measure.encode_queries(queries)
    live = retriever.index.live_rows(retriever.repository)
    wrong = 0
    for number, ranking in enumerate(retriever.search(queries, k)):
        scores = _all_scores(retriever, measure, rows, number, live)
        wanted = np.sort(np.fromiter(scores.values(), np.float64))[::-1][:k]
        same = len(wanted) == len(ranking.scores) and np.allclose(ranking.scores, wanted, atol=1e-6)
        found = zip(ranking.query_ids.tolist(), ranking.scores.tolist(), strict=True)
        wrong += not (same and all(abs(scores[n] - score) < 1e-6 for n, score in found))
    return wrong


def _all_scores(
    retriever: IndexRetriever, measure: VectorMeasure, queries: Vectors, row: int, live: list[BoolArray]
) -> dict[int, float]:
    features, weights = queries.row(row)
    found: dict[int, float] = {}
    if not len(features):
        return found
    for segment, mask in zip(retriever.index.segments, live, strict=True):
        held = _columns(segment, features)
        if isinstance(measure, LanguageModel):
            background = measure.background(features)
            smoothed = (held + measure.mu_c * background) / (segment.candidate_stats[:, None] + measure.mu_c)
            scores = (weights * (np.log(smoothed) - np.log(weights))).sum(axis=1)
        else:
            scores = measure.score_from_dot(
                held @ weights, measure.query_stats(queries)[row], segment.candidate_stats
            )
        kept = mask & ((segment.candidate_stats > 0) if measure.scores_all_rows else (scores > 0))
        found |= dict(zip(segment.query_ids[kept].tolist(), scores[kept].tolist(), strict=True))
    return found


def _columns(segment: IndexSegment, features: Int64Array) -> Float64Array:
    """What every row holds of some features."""
    if isinstance(segment.rows, DenseMatrix):
        return segment.rows.matrix[:, features].astype(np.float64)
    held = np.zeros((len(segment), len(features)))
    if isinstance(segment.rows, BlockMaxIndex):
        first, found, steps = segment.rows.read(np.arange(len(segment)))
        place = np.minimum(np.searchsorted(features, found), len(features) - 1)
        asked = features[place] == found
        owners = np.repeat(np.arange(len(segment)), np.diff(first))
        held[owners[asked], place[asked]] = steps[asked] / QUANTIZATION_LEVELS
        return held
    for column, feature in enumerate(features):
        rows, weights = segment.rows.postings(int(feature))
        held[rows, column] = weights
    return held
