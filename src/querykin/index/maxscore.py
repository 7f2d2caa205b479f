"""Exact top-k retrieval over posting lists with MaxScore (Turtle & Flood 1995), block by block.

The lists of a block are processed by descending upper bound. Essential lists are added to the scores of all
rows. The remaining lists are non-essential once their bounds together cannot lift a row that has none of the
essential terms to the threshold, which is the score of the k-th best row so far: only rows that can still
reach the threshold are looked up in them, and fewer after each list. The scores of the rows found are then
summed again in the order of the query's terms, so that they do not depend on the pruning.
"""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, grow
from querykin.compute.jit import njit
from querykin.index.length_penalties import STEPS, LengthPenalties, penalties_of_block, start_scores
from querykin.index.posting_blocks import (
    BLOCK,
    FloatArray,
    PostingBlocks,
    QueryVector,
    TermLists,
    TermScorer,
    add_list,
    add_list_at,
    add_lists_in_order,
    find_lists,
    make_scorer,
)

_STRIDE = 1024  # rows that are compared with the threshold at once
_SMALLEST_POSITIVE = 5e-324
_SUBNORMAL = 2.0**-126  # below it single precision loses digits
_LOOKUP_COST = 200  # postings that are added in the time of looking up one row
_SAMPLE = 8192  # rows from which the number of candidates is estimated
SHORT_LIST = 4096  # postings of a list that is always added, never looked up in


class SearchLimits(NamedTuple):
    """How many rows are wanted, and which lists may be non-essential."""

    k: int  # at least 1
    slack: float  # rows within this share of the k-th best score are returned too: ties and rounding
    min_score: float
    short_list: int = SHORT_LIST  # lists of at most this many postings are always essential


class BlockLists(NamedTuple):
    """The lists of the query's terms in one block.

    `order` ranks the terms by descending upper bound; `remaining[i]` is the most that the terms `order[i:]`
    can add together, and its last element is 0.
    """

    begin: Int64Array
    end: Int64Array
    order: Int64Array
    remaining: Float64Array


class BlockRows(NamedTuple):
    """The rows of one block, with upper bounds of their scores so far."""

    scores: FloatArray
    live: BoolArray
    penalties: LengthPenalties


@njit
def top_k(
    blocks: PostingBlocks,
    live: BoolArray,
    query: QueryVector,
    penalties: LengthPenalties,
    limits: SearchLimits,
    buffer: FloatArray,
) -> tuple[Int64Array, Float64Array]:
    """The k live rows with the best scores, and all within `slack` of the last: descending, ties by row.

    A score is the inner product with the query, less the row's length penalty. Without penalties only rows
    above 0 are returned; with them scores may be negative, and a row whose penalty is NaN is never returned.
    `buffer` has room for the scores of one block. With penalties single precision is enough, since the scores
    of the rows found are summed again in double precision.
    """
    penalized, k = len(penalties.each) > 0, limits.k
    min_score = limits.min_score if penalized else max(limits.min_score, _SMALLEST_POSITIVE)
    scorer, lists = make_scorer(query), find_lists(blocks, query)
    error = _rounding_error_bound(buffer, lists, penalties)
    found, scores, count, threshold = np.empty(0, np.int64), np.empty(0), 0, min_score
    candidates, sums = np.empty(BLOCK, np.int64), np.empty(BLOCK)
    for b in range(len(lists.begin)):
        here = live[b * BLOCK : (b + 1) * BLOCK]
        rows = BlockRows(buffer[: len(here)], here, penalties_of_block(penalties, b))
        start_scores(rows.scores, rows.penalties)
        block = _lists_of_block(lists, b)
        wanted = k if count < k <= len(here) else 0  # rows that raise the threshold early
        essential, threshold = _add_essential_lists(
            blocks,
            block,
            scorer,
            rows,
            SearchLimits(wanted, limits.slack, min_score, limits.short_list),
            threshold,
            error,
        )
        bound = threshold - error - block.remaining[essential]
        if not penalized:
            bound = max(bound, _SMALLEST_POSITIVE)
        more = _candidates(rows, 0, len(rows.scores), bound, candidates, sums)
        for i in range(essential, len(block.order)):
            term = block.order[i]
            add_list_at(blocks, block.begin[term], block.end[term], scorer, term, candidates[:more], sums)
            more = _drop_below(candidates, sums, more, threshold - error - block.remaining[i + 1])
        found, scores = grow(found, count + more), grow(scores, count + more)
        found[count : count + more], scores[count : count + more] = b * BLOCK + candidates[:more], sums[:more]
        count += more
        if more and count > k:
            threshold = max(threshold, _kth_best_less_slack(scores[:count], k, limits.slack))
            count = _drop_below(found, scores, count, threshold - error)
    found, scores = found[:count], np.zeros(count)
    if penalized:
        scores -= penalties.mass * penalties.each[found]
    add_lists_in_order(blocks, lists, scorer, found, scores)
    if count > k:
        min_score = max(min_score, _kth_best_less_slack(scores, k, limits.slack))
    count = _drop_below(found, scores, count, min_score)
    ranked = np.argsort(-scores[:count], kind="mergesort")
    return found[ranked], scores[ranked]


@njit
def _add_essential_lists(
    blocks: PostingBlocks,
    lists: BlockLists,
    scorer: TermScorer,
    rows: BlockRows,
    limits: SearchLimits,
    threshold: float,
    error: float,
) -> tuple[int, float]:
    """Add lists by descending upper bound until few rows can still reach the threshold.

    Returns the number of lists added, and the threshold. Unless `limits.k` is 0, the k rows that are best
    once half of the bounds are added are completed, and the threshold is raised to the last of their scores.
    """
    k, essential, unmatched = limits.k, 0, -rows.penalties.mass * rows.penalties.minimum
    while essential < len(lists.order):
        term = lists.order[essential]
        bound = threshold - error - lists.remaining[essential]
        saved = lists.end[term] - lists.begin[term] - limits.short_list
        # A row without any essential term must not reach the bound: it would not be looked up.
        if unmatched < bound and saved > 0 and _LOOKUP_COST * _estimate_reaching(rows.scores, bound) < saved:
            break
        add_list(blocks, lists.begin[term], lists.end[term], scorer, term, rows.scores)
        essential += 1
        if k and 2 * lists.remaining[essential] <= lists.remaining[0]:
            best, sums = _best_rows(rows, k, threshold - lists.remaining[essential])
            for i in range(essential, len(lists.order)):
                term = lists.order[i]
                add_list_at(blocks, lists.begin[term], lists.end[term], scorer, term, best, sums)
            if len(best) >= k:
                threshold = max(threshold, _kth_best_less_slack(sums, k, limits.slack))
            k = 0
    return essential, threshold


@njit
def _lists_of_block(lists: TermLists, b: int) -> BlockLists:
    bounds = lists.upper_bounds[b]
    order, remaining = np.argsort(-bounds, kind="mergesort"), np.zeros(len(bounds) + 1)
    for i in range(len(bounds) - 1, -1, -1):
        remaining[i] = remaining[i + 1] + bounds[order[i]]
    return BlockLists(lists.begin[b], lists.end[b], order, remaining)


@njit
def _rounding_error_bound(buffer: FloatArray, lists: TermLists, penalties: LengthPenalties) -> float:
    """More than the rounding errors of two scores together: sums of one number per term and one more."""
    bounds, largest = lists.upper_bounds, _SUBNORMAL
    for b in range(len(bounds)):
        penalty = penalties.mass * (abs(penalties.minimum) + STEPS * penalties.step)
        largest = max(largest, penalty + bounds[b].sum())
    return float((bounds.shape[1] + 4) * largest * 2.0 ** (-21 if buffer.itemsize == 4 else -50))


@njit
def _best_rows(rows: BlockRows, k: int, bound: float) -> tuple[Int64Array, Float64Array]:
    """Live rows with the k largest scores that reach the bound, ascending, and their scores."""
    found, scores, count = np.empty(_STRIDE, np.int64), np.empty(_STRIDE), 0
    candidates, sums = np.empty(_STRIDE, np.int64), np.empty(_STRIDE)
    for begin in range(0, len(rows.scores), _STRIDE):
        end = min(begin + _STRIDE, len(rows.scores))
        more = _candidates(rows, begin, end, bound, candidates, sums)
        found, scores = grow(found, count + more), grow(scores, count + more)
        found[count : count + more], scores[count : count + more] = candidates[:more], sums[:more]
        count += more
        if more and count > k:
            last = _kth_best_less_slack(scores[:count], k, 0.0)
            count = _drop_below(found, scores, count, last)
            bound = np.nextafter(last, np.inf)  # rows without any term tie by the thousand
    return found[:count], scores[:count]


@njit
def _kth_best_less_slack(scores: Float64Array, k: int, slack: float) -> float:
    """The k-th largest score, less a share of `slack`."""
    last = float(np.partition(scores, len(scores) - k)[len(scores) - k])
    return last - slack * abs(last)


@njit
def _count_reaching(scores: FloatArray, bound: float) -> int:
    """The number of scores that reach the bound; without a branch, so that it is vectorized."""
    count, lowest = 0, scores.dtype.type(bound)
    for row in range(len(scores)):
        count += scores[row] >= lowest
    return count


@njit
def _estimate_reaching(scores: FloatArray, bound: float) -> int:
    """About how many scores reach the bound, from a sample."""
    sample = max(1, min(len(scores), _SAMPLE))
    return _count_reaching(scores[:sample], bound) * len(scores) // sample


@njit
def _candidates(
    rows: BlockRows, begin: int, end: int, bound: float, candidates: Int64Array, sums: Float64Array
) -> int:
    """Write the live rows from `begin` to `end` whose score reaches the bound under their exact penalty.

    Their scores are written to `sums`. Returns how many there are.
    """
    count, scores, live, penalties = 0, rows.scores, rows.live, rows.penalties
    for step in range(begin, end, _STRIDE):
        last = min(step + _STRIDE, end)
        if _count_reaching(scores[step:last], bound) == 0:
            continue
        for row in range(step, last):
            if scores[row] >= bound and live[row]:
                score = np.float64(scores[row])
                if len(penalties.each):
                    rounded = penalties.minimum + penalties.step * penalties.steps[row]
                    score += penalties.mass * (rounded - penalties.each[row])
                if score >= bound:
                    candidates[count], sums[count] = row, score
                    count += 1
    return count


@njit
def _drop_below(found: Int64Array, scores: Float64Array, count: int, bound: float) -> int:
    """Remove the rows whose score is below the bound; returns how many remain."""
    kept = 0
    for i in range(count):
        if scores[i] >= bound:
            found[kept], scores[kept] = found[i], scores[i]
            kept += 1
    return kept
