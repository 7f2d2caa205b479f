"""The logged queries nearest to a text by its words: the cosine of stems weighted by their idf in the log."""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Float64Array, Int32Array, Int64Array
from querykin.compute.jit import njit


class StemPostings(NamedTuple):
    """For each stem the logged queries that have it, and the norm of each query."""

    hashes: Int64Array  # of stems, ascending
    indptr: Int64Array
    queries: Int32Array
    norms: Float64Array


@njit
def nearest_queries(
    indptr: Int64Array,
    stems: Int64Array,
    weights: Float64Array,
    own: Int64Array,
    postings: StemPostings,
    limit: int,
    min_similarity: float,
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """The most similar queries of each text, without itself (`own`, or -1): indptr, ids and similarities.

    `stems` are rows of the postings, -1 for a stem that no query has; `weights` their idf. Ties go to the
    smaller id.
    """
    posting_indptr, queries, norms = postings.indptr, postings.queries, postings.norms
    sums = np.zeros(len(norms))
    touched = np.empty(len(norms), np.int64)
    found_indptr = np.zeros(len(indptr), np.int64)
    found = np.empty(limit * (len(indptr) - 1), np.int64)
    similarities = np.empty(limit * (len(indptr) - 1))
    size = 0
    for text in range(len(indptr) - 1):
        count, norm = 0, 0.0
        for i in range(indptr[text], indptr[text + 1]):
            norm += weights[i] ** 2
            if stems[i] < 0:
                continue
            for j in range(posting_indptr[stems[i]], posting_indptr[stems[i] + 1]):
                query = queries[j]
                if sums[query] == 0.0:
                    touched[count] = query
                    count += 1
                sums[query] += weights[i] ** 2
        best, kept = np.empty(count, np.int64), 0
        for i in range(count):
            query = touched[i]
            enough = sums[query] >= min_similarity * np.sqrt(norm) * norms[query]
            if query != own[text] and enough and norms[query] > 0.0:
                best[kept] = query
                kept += 1
        best = np.sort(best[:kept])
        scores = np.empty(kept)
        for i in range(kept):
            scores[i] = sums[best[i]] / (np.sqrt(norm) * norms[best[i]])
        order = np.argsort(-scores, kind="mergesort")[:limit]
        for i in np.sort(order):
            found[size], similarities[size] = best[i], min(scores[i], 1.0)
            size += 1
        for i in range(count):
            sums[touched[i]] = 0.0
        found_indptr[text + 1] = size
    return found_indptr, found[:size].copy(), similarities[:size].copy()
