"""Which stretch of a document speaks about the query? Windows centred on the query's words."""

import numpy as np

from querykin.compute.arrays import Float64Array, Int8Array, Int32Array, Int64Array, UInt32Array
from querykin.compute.jit import njit
from querykin.search.bm25 import mark, unmark


@njit
def _richest(
    matches: Int64Array, terms: Int8Array, starts: UInt32Array, weights: Float64Array, width: int
) -> tuple[int, int]:
    """The first and last match of the stretch of `width` characters with the most weight of distinct terms.

    Of equally heavy stretches the one with more matches is taken, then the earlier one.
    """
    held = np.zeros(len(weights), np.int64)
    left, weight = 0, 0.0
    best = (0, 0)
    best_weight, best_count = -1.0, 0
    for right in range(len(matches)):
        if held[terms[right]] == 0:
            weight += weights[terms[right]]
        held[terms[right]] += 1
        while starts[matches[right]] - starts[matches[left]] > width:
            held[terms[left]] -= 1
            if held[terms[left]] == 0:
                weight -= weights[terms[left]]
            left += 1
        count = right - left + 1
        # The running sum carries rounding errors: weights this close are equal.
        if weight > best_weight + 1e-9 or (weight > best_weight - 1e-9 and count > best_count):
            best, best_weight, best_count = (matches[left], matches[right]), weight, count
    return best


@njit
def window(
    tokens: UInt32Array,
    starts: UInt32Array,
    begin: int,
    end: int,
    stem: Int32Array,
    weights: Float64Array,
    width: int,
    slot: Int8Array,
) -> tuple[int, int]:
    """The tokens (first, behind the last) of the best window inside tokens begin to end.

    `slot` holds the marked terms, `weights` what each is worth. Without any match: the beginning.
    """
    if end == begin or starts[end - 1] - starts[begin] <= width:
        return begin, end
    matches = np.empty(end - begin, np.int64)
    terms = np.empty(end - begin, np.int8)
    count = 0
    for i in range(begin, end):
        t = slot[stem[tokens[i] >> 2]] - 1
        if t >= 0:
            matches[count], terms[count] = i, t
            count += 1
    low = np.int64(starts[begin])
    if count:
        a, b = _richest(matches[:count], terms[:count], starts, weights, width)
        middle = (np.int64(starts[a]) + np.int64(starts[b])) // 2
        low = max(low, min(middle - width // 2, np.int64(starts[end - 1]) - width))
    inside = starts[begin:end]
    low_token = np.searchsorted(inside, np.uint32(low))
    high_token = np.searchsorted(inside, np.uint32(low + width), side="right")
    return begin + int(low_token), begin + int(high_token)


@njit
def windows(
    tokens: UInt32Array,
    starts: UInt32Array,
    indptr: Int64Array,
    titles: Int32Array,
    stem: Int32Array,
    ordinals: Int64Array,
    owners: Int64Array,
    query_indptr: Int64Array,
    q_stems: Int64Array,
    q_idf: Float64Array,
    width: int,
    slot: Int8Array,
) -> tuple[Int64Array, Int64Array]:
    """The window of each document, whose query is owners[r]: the title is not part of it."""
    begins = np.empty(len(ordinals), np.int64)
    ends = np.empty(len(ordinals), np.int64)
    for r in range(len(ordinals)):
        q0, q1 = query_indptr[owners[r]], query_indptr[owners[r] + 1]
        mark(q_stems[q0:q1], slot)
        begin, end = indptr[ordinals[r]] + titles[ordinals[r]], indptr[ordinals[r] + 1]
        begins[r], ends[r] = window(tokens, starts, begin, end, stem, q_idf[q0:q1], width, slot)
        unmark(q_stems[q0:q1], slot)
    return begins, ends
