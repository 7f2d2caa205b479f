"""The first stage of a search: the documents of a segment with the highest BM25 over bodies and titles.

The scores are those of tantivy, with its constants and its lengths in a byte, so the documents are the ones
that it proposes. Posting lists are read by windows of documents, MaxScore leaves out the lists that cannot
lift a document among the best: a document that is only in those is never scored (Turtle & Flood 1995; by
windows, as in Lucene's MaxScoreBulkScorer). Loops that filter are branchless: they
write every element and advance the output index by the condition, since a branch would often be mispredicted.
"""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import BoolArray, Float32Array, Float64Array, Int64Array, UInt32Array
from querykin.compute.jit import njit, njit_inlined
from querykin.compute.sorting import kth_largest, sort_in_place
from querykin.corpus.postings import PostingArrays, impact

_WINDOW = 4096  # documents that are scored at once: their sums stay in the fastest cache; a power of 2
_SCANNED = 32  # postings that are read in the time of one bisection
_ROUNDING = 1.00001  # sums of bounds carry rounding errors


class QueryLists(NamedTuple):
    """The posting lists of several queries: query q has terms indptr[q] to indptr[q + 1].

    List 2 t is that of the bodies with term t, list 2 t + 1 that of the titles.
    """

    indptr: Int64Array
    begins: Int64Array
    ends: Int64Array
    weights: Float32Array  # what an impact of 1 adds to a score
    bounds: Float64Array  # the most that a list adds to a score


class _Scratch(NamedTuple):
    """Arrays that all queries share."""

    scores: Float64Array  # of documents that may be among the best
    documents: Int64Array
    sums: Float64Array  # of each document of a window; all 0 between windows
    touched: Int64Array  # the documents of a window whose sums are not 0, counted from its start
    matches: Int64Array  # the postings of a list whose documents are touched


@njit
def first_stage(
    lists: QueryLists, postings: PostingArrays, live: BoolArray, depth: int
) -> tuple[Int64Array, Int64Array]:
    """The best documents of each query that are live, as ordinals, ascending; equal scores by ordinal."""
    queries, size = len(lists.indptr) - 1, 4 * depth + _WINDOW
    indptr, found = np.zeros(queries + 1, np.int64), np.empty(queries * depth, np.int64)
    scratch = _Scratch(
        np.empty(size),
        np.empty(size, np.int64),
        np.zeros(_WINDOW),
        np.empty(_WINDOW + 1, np.int64),
        np.empty(_WINDOW + 1, np.int64),
    )
    for q in range(queries):
        order = _by_bound(lists.bounds, 2 * lists.indptr[q], 2 * lists.indptr[q + 1])
        count = _best(order, lists, postings, live, depth, scratch)
        best = scratch.documents[:count]
        sort_in_place(best)
        for i in range(count):
            found[indptr[q] + i] = best[i]
        indptr[q + 1] = indptr[q] + count
    return indptr, found[: indptr[queries]]


@njit_inlined
def _by_bound(bounds: Float64Array, begin: int, end: int) -> Int64Array:
    """The lists of a query by ascending bounds."""
    order = np.empty(end - begin, np.int64)
    for i in range(end - begin):
        j = i
        while j > 0 and bounds[order[j - 1]] > bounds[begin + i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = begin + i
    return order


@njit
def _best(
    order: Int64Array,
    lists: QueryLists,
    postings: PostingArrays,
    live: BoolArray,
    depth: int,
    scratch: _Scratch,
) -> int:
    """Collect the best documents of a query at the front of `scratch.documents`; returns how many."""
    scores, documents, sums = scratch.scores, scratch.documents, scratch.sums
    touched, matches = scratch.touched, scratch.matches
    count, size = len(order), len(live)
    at, reach = np.empty(count, np.int64), np.empty(count)
    total = 0.0
    for i in range(count):
        at[i] = lists.begins[order[i]]
        total += lists.bounds[order[i]] * _ROUNDING
        reach[i] = total  # the most that this list and those before it add together
    first, kept, threshold = 0, 0, -1.0  # the lists before `first` cannot lift a document among the best
    start = _next_window(order, at, first, lists.ends, postings.documents)
    while start >= 0:
        many = 0
        for i in range(first, count):
            at[i], many = _add_list(lists, order[i], at[i], postings, start, sums, touched, many)
        for i in range(first - 1, -1, -1):
            many = _reaching(touched, many, sums, threshold - reach[i])
            if many:
                at[i] = _look_up(lists, order[i], at[i], postings, start, sums, touched, many, matches)
        for k in range(many):
            score, document = sums[touched[k]], start + touched[k]
            sums[touched[k]] = 0
            scores[kept], documents[kept] = score, document
            kept += (score >= threshold) & (document < size) & live[min(document, size - 1)]
        if kept > 3 * depth // 2 or (threshold < 0 and kept >= depth):
            threshold = kth_largest(scores[:kept], depth)
            kept = _keep_best(scores, documents, kept, threshold, depth)
            while first < count and reach[first] < threshold:
                first += 1
        start = _next_window(order, at, first, lists.ends, postings.documents)
    if kept > depth:
        kept = _keep_best(scores, documents, kept, kth_largest(scores[:kept], depth), depth)
    return kept


@njit_inlined
def _next_window(
    order: Int64Array, at: Int64Array, first: int, ends: Int64Array, documents: UInt32Array
) -> int:
    """The start of the window with the next document of the lists from `first` on; -1 if there is none."""
    start = np.int64(-1)
    for i in range(first, len(order)):
        if at[i] < ends[order[i]]:
            document = np.int64(documents[at[i]])
            if start < 0 or document < start:
                start = document
    return int(start - start % _WINDOW if start >= 0 else start)


@njit_inlined
def _add_list(
    lists: QueryLists,
    number: int,
    p: int,
    postings: PostingArrays,
    start: int,
    sums: Float64Array,
    touched: Int64Array,
    many: int,
) -> tuple[int, int]:
    """Add a list to the sums of a window; returns its next posting, and how many documents are touched."""
    documents, tf, norms, length_norms = (
        postings.documents,
        postings.tf,
        postings.norms,
        postings.length_norms,
    )
    end, weight, field = lists.ends[number], lists.weights[number], number & 1
    of_norms, of_lengths = len(norms) // 2 * field, 256 * field
    while p < end and documents[p] < start + _WINDOW:
        x = (documents[p] - start) & (_WINDOW - 1)  # stays inside, whatever was stored
        touched[many] = x
        many += sums[x] == 0  # counts a document once, since no posting adds 0
        sums[x] += weight * impact(tf[p], length_norms[of_lengths + norms[of_norms + documents[p]]])
        p += 1
    return p, many


@njit_inlined
def _look_up(
    lists: QueryLists,
    number: int,
    p: int,
    postings: PostingArrays,
    start: int,
    sums: Float64Array,
    touched: Int64Array,
    many: int,
    matches: Int64Array,
) -> int:
    """Add a list to the sums of those documents of a window that are touched; returns its next posting.

    The postings of the window are read one after the other, or found by bisection if the documents are few.
    """
    documents, norms, tf, length_norms = (
        postings.documents,
        postings.norms,
        postings.tf,
        postings.length_norms,
    )
    weight, field = lists.weights[number], number & 1
    of_norms, of_lengths = len(norms) // 2 * field, 256 * field
    begin = seek(documents, p, lists.ends[number], start)
    end = seek(documents, begin, min(lists.ends[number], begin + _WINDOW), start + _WINDOW)
    if end - begin <= _SCANNED * many:
        hits = 0
        for i in range(begin, end):
            matches[hits] = i
            hits += sums[(documents[i] - start) & (_WINDOW - 1)] > 0
        for k in range(hits):
            i = matches[k]
            norm = length_norms[of_lengths + norms[of_norms + documents[i]]]
            sums[(documents[i] - start) & (_WINDOW - 1)] += weight * impact(tf[i], norm)
    else:
        for k in range(many):
            document = start + touched[k]
            i = seek(documents, begin, end, document)
            if i < end and documents[i] == document:
                norm = length_norms[of_lengths + norms[of_norms + document]]
                sums[touched[k]] += weight * impact(tf[i], norm)
    return end


@njit_inlined
def _reaching(touched: Int64Array, many: int, sums: Float64Array, least: float) -> int:
    """Keep the documents of a window whose sums are at least this, at the front; returns how many."""
    reaching = 0
    for k in range(many):
        x = touched[k]
        touched[reaching] = x
        reaching += sums[x] >= least
        sums[x] = sums[x] if sums[x] >= least else 0.0
    return reaching


@njit
def seek(documents: UInt32Array, p: int, end: int, document: int) -> int:
    """The first posting from p on that is not before a document: galloping, then bisection."""
    step = 1
    while p + step < end and documents[p + step] < document:
        p += step
        step *= 2
    high = min(p + step, end)
    while p < high:
        middle = (p + high) // 2
        if documents[middle] < document:
            p = middle + 1
        else:
            high = middle
    return p


@njit
def _keep_best(scores: Float64Array, documents: Int64Array, size: int, lowest: float, depth: int) -> int:
    """Move the best documents to the front, those with the lowest score by ordinal; returns how many."""
    tied, ties, above = np.empty(size, np.int64), 0, 0
    for i in range(size):
        if scores[i] > lowest:
            above += 1
        elif scores[i] == lowest:
            tied[ties] = documents[i]
            ties += 1
    sort_in_place(tied[:ties])
    last, kept = tied[depth - above - 1], 0
    for i in range(size):
        # At most `depth`, also of documents that repeat since the lists of a workspace do not ascend.
        if kept < depth and (scores[i] > lowest or (scores[i] == lowest and documents[i] <= last)):
            scores[kept], documents[kept] = scores[i], documents[i]
            kept += 1
    return kept
