"""Passage windows: the part of a document that matches a query best.

A window of a given width in characters is centered on the span of query terms with the most idf.
"""

import numpy as np

from querykin.compute.arrays import Float64Array, Int8Array, Int32Array, Int64Array, UInt32Array
from querykin.compute.jit import njit, njit_inlined
from querykin.compute.sorting import first_at_least
from querykin.search.bm25 import inlined_mark, inlined_unmark
from querykin.search.kernel_arrays import QueryTerms, SegmentArrays


@njit_inlined
def _best_span(
    matches: Int64Array, terms: Int64Array, starts: UInt32Array, weights: Float64Array, width: int
) -> tuple[int, int]:
    """The first and last match of the span of `width` characters with the most weight of distinct terms.

    Ties go to the span with more matches, then to the earlier one. `matches` are tokens, `terms` their terms.
    """
    counts = np.zeros(len(weights), np.int64)
    left, weight = 0, 0.0
    best = (0, 0)
    best_weight, best_count = -1.0, 0
    for right in range(len(matches)):
        if counts[terms[right]] == 0:
            weight += weights[terms[right]]
        counts[terms[right]] += 1
        while starts[matches[right]] - starts[matches[left]] > width:
            counts[terms[left]] -= 1
            if counts[terms[left]] == 0:
                weight -= weights[terms[left]]
            left += 1
        count = right - left + 1
        # The running sum carries rounding errors: weights this close are equal.
        if weight > best_weight + 1e-9 or (weight > best_weight - 1e-9 and count > best_count):
            best, best_weight, best_count = (matches[left], matches[right]), weight, count
    return best


@njit
def window(
    documents: SegmentArrays,
    begin: int,
    end: int,
    stem: Int32Array,
    weights: Float64Array,
    width: int,
    slots: Int8Array,
) -> tuple[int, int]:
    """The best window inside tokens `begin` to `end`, as its first token and the one after its last.

    `slots` has the marked terms and `weights` the weight of each. Without a match it is the beginning.
    """
    tokens, starts = documents.tokens, documents.starts
    if end == begin or starts[end - 1] - starts[begin] <= width:
        return begin, end
    matches = np.empty(end - begin, np.int64)
    terms = np.empty(end - begin, np.int64)
    count = 0
    for i in range(begin, end):
        t = slots[stem[tokens[i] >> 2]] - 1
        matches[count], terms[count] = i, t
        count += t >= 0
    low = np.int64(starts[begin])
    if count:
        a, b = _best_span(matches[:count], terms[:count], starts, weights, width)
        middle = (np.int64(starts[a]) + np.int64(starts[b])) // 2
        low = max(low, min(middle - width // 2, np.int64(starts[end - 1]) - width))
    inside = starts[begin:end]
    first, last = int(low), int(low) + width
    return begin + first_at_least(inside, first), begin + first_at_least(inside, last + 1)


@njit
def windows(
    documents: SegmentArrays,
    ordinals: Int64Array,
    query_of: Int64Array,
    queries: QueryTerms,
    stem: Int32Array,
    width: int,
    slots: Int8Array,
) -> tuple[Int64Array, Int64Array]:
    """The window of each document for its query, `query_of[r]`; titles are not part of windows."""
    begins = np.empty(len(ordinals), np.int64)
    ends = np.empty(len(ordinals), np.int64)
    indptr, title_lengths = documents.indptr, documents.title_lengths
    query_indptr, stems, idf = queries.indptr, queries.stems, queries.idf
    for r in range(len(ordinals)):
        part = slice(query_indptr[query_of[r]], query_indptr[query_of[r] + 1])
        inlined_mark(stems[part], slots)
        begin, end = indptr[ordinals[r]] + title_lengths[ordinals[r]], indptr[ordinals[r] + 1]
        begins[r], ends[r] = window(documents, begin, end, stem, idf[part], width, slots)
        inlined_unmark(stems[part], slots)
    return begins, ends
