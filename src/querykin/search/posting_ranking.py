"""The ranking of `search/bm25.py`, computed from posting lists."""

import numpy as np

from querykin.compute.arrays import Float64Array, Int32Array, Int64Array, UInt64Array
from querykin.compute.jit import njit
from querykin.corpus.postings import PostingArrays
from querykin.search.bm25 import K1, TITLE_BONUS, B
from querykin.search.first_stage import QueryLists, seek


@njit
def rank_postings(
    found_indptr: Int64Array,
    ordinals: Int64Array,
    lists: QueryLists,
    idf: Float64Array,
    postings: PostingArrays,
    indptr: Int64Array,
    title_lengths: Int32Array,
    mean_length: float,
) -> tuple[Float64Array, UInt64Array]:
    """The scores of documents for queries, and which terms each matches: bit t for the t-th term.

    Query q has documents found_indptr[q] to found_indptr[q + 1], ascending. The operations and their order
    are those of `bm25.rank`, so the scores are equal to the last bit.
    """
    scores, matched = np.zeros(len(ordinals)), np.zeros(len(ordinals), np.uint64)
    for q in range(len(found_indptr) - 1):
        begin, terms = lists.indptr[q], lists.indptr[q + 1] - lists.indptr[q]
        first, count = found_indptr[q], found_indptr[q + 1] - found_indptr[q]
        tf = np.zeros((count, 2 * terms))
        mass = 0.0
        for t in range(terms):
            mass += idf[begin + t]
        for column in range(2 * terms):
            one = 2 * begin + column
            _read_tf(
                ordinals[first : first + count], lists.begins[one], lists.ends[one], postings, tf, column
            )
        for r in range(count):
            document = ordinals[first + r]
            norm = K1 * (1 - B + B * (indptr[document + 1] - indptr[document]) / mean_length)
            bm25, coverage, title_coverage, title_matches = 0.0, 0.0, 0.0, 0.0
            for t in range(terms):
                frequency, share = tf[r, 2 * t], idf[begin + t] / mass
                if frequency > 0:
                    bm25 += idf[begin + t] * frequency * (K1 + 1) / (frequency + norm)
                    coverage += share
                    matched[first + r] |= np.uint64(1) << np.uint64(t)
                if tf[r, 2 * t + 1] > 0:
                    title_coverage += share
                    title_matches += tf[r, 2 * t + 1]
            share_of_title = title_matches / max(1, title_lengths[document])
            scores[first + r] = bm25 * coverage * (1 + TITLE_BONUS * title_coverage * share_of_title)
    return scores, matched


@njit
def _read_tf(
    ordinals: Int64Array, begin: int, end: int, postings: PostingArrays, tf: Float64Array, column: int
) -> None:
    """Enter the term frequencies of a list into a column, one row for each document."""
    documents, p = postings.documents, begin
    for r in range(len(ordinals)):
        p = seek(documents, p, end, ordinals[r])
        if p == end:
            break
        if documents[p] == ordinals[r]:
            tf[r, column] = postings.tf[p]
