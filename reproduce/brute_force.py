"""Scores of a query with every stored row by brute force, the reference for an index."""

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.index.block_max_index import BlockMaxIndex
from querykin.index.quantized_matrix import QuantizedMatrix
from querykin.index.segment import IndexSegment
from querykin.measures.language_model import LanguageModel
from querykin.measures.vector_measure import VectorMeasure
from querykin.retrieval.retrievers import IndexRetriever
from querykin.vectors import QUANTIZATION_LEVELS, Vectors


def differing(retriever: IndexRetriever, queries: list[str], k: int) -> int:
    """The number of queries whose top k from the index differs from brute force."""
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
        matrix, stats = _columns(segment, features), segment.candidate_stats
        if isinstance(measure, LanguageModel):
            background = measure.background(features)
            smoothed = (matrix + measure.mu_c * background) / (stats[:, None] + measure.mu_c)
            scores = (weights * (np.log(smoothed) - np.log(weights))).sum(axis=1)
        else:
            with np.errstate(invalid="ignore"):  # empty rows have norm 0
                scores = measure.score_from_dot(matrix @ weights, measure.query_stats(queries)[row], stats)
        kept = mask & ((stats > 0) if measure.scores_all_rows else (scores > 0))
        found |= dict(zip(segment.query_ids[kept].tolist(), scores[kept].tolist(), strict=True))
    return found


def _columns(segment: IndexSegment, features: Int64Array) -> Float64Array:
    """The weights of some features in every row."""
    if isinstance(segment.rows, QuantizedMatrix):
        return segment.rows.rows(np.arange(len(segment)))[:, features]
    matrix = np.zeros((len(segment), len(features)))
    if isinstance(segment.rows, BlockMaxIndex):
        indptr, found, steps = segment.rows.read(np.arange(len(segment)))
        place = np.minimum(np.searchsorted(features, found), len(features) - 1)
        wanted = features[place] == found
        owners = np.repeat(np.arange(len(segment)), np.diff(indptr))
        matrix[owners[wanted], place[wanted]] = steps[wanted] / QUANTIZATION_LEVELS
        return matrix
    for column, feature in enumerate(features):
        rows, weights = segment.rows.postings(int(feature))
        matrix[rows, column] = weights
    return matrix
