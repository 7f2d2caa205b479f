"""The best rows of inverted lists without reading every list (MaxScore, after Turtle & Flood 1995).

A block's lists are added up from the one that can add most to the one that can add least. Once what is left
could not lift a row that has none of the lists so far, only rows that are near the best are looked up in what
is left, and fewer with each list. Scores of what is found are added up again in the query's own order.
"""

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, grow
from querykin.compute.jit import njit
from querykin.index.length_penalties import STEPS, LengthPenalties, of_block, start_scores
from querykin.index.posting_blocks import (
    BLOCK,
    Bounds,
    LogTables,
    PostingBlocks,
    Query,
    Scores,
    add,
    add_in_order,
    add_some,
    located,
    logarithms,
)

_STEP = 1024  # rows among which the best so far are looked for at once
_LEAST = 5e-324  # the smallest number above 0
_SUBNORMAL = 2.0**-126  # below it single precision loses digits
_LOOKUP = 200  # entries of a list are added in the time of looking up one row
_SAMPLE = 8192  # rows that are counted to tell how many are near the best
SHORT = 4096  # entries of a list that are added rather than looked up in


@njit
def top_k(
    blocks: PostingBlocks,
    live: BoolArray,
    query: Query,
    length_penalties: LengthPenalties,
    mass: float,
    k: int,
    slack: float,
    min_score: float,
    short: int,
    values: Scores,
) -> tuple[Int64Array, Float64Array]:
    """The k living rows with the largest inner product with a query, and all that come near the last of them.

    With burdens a row has its burden times `mass` taken off, and rows may count below 0; one with the burden
    NaN is never found. Without, only those above 0 are. What is below `minimum` is not found either. Near is a
    share of `slack` below the last: what ties, and what rounding could have put there. In order, ties by row.
    Lists not longer than `short` are always added up. `values` is room for one block's scores; with burdens
    single precision will do, since what is found is added up again in double precision. Weights are not
    below 0, nor is the mass, and k is 1 or more.
    """
    penalized = len(length_penalties.each) > 0
    tables, lowest = logarithms(query), min_score if penalized else max(min_score, _LEAST)
    begin, end, bounds = located(blocks, query)
    lost = _lost(values, bounds, length_penalties, mass)
    found, scores, count, bar = np.empty(0, np.int64), np.empty(0), 0, lowest
    picked, sums = np.empty(BLOCK, np.int64), np.empty(BLOCK)
    for b in range(len(begin)):
        here = live[b * BLOCK : (b + 1) * BLOCK]
        run = values[: len(here)]
        taken = of_block(length_penalties, b)
        start_scores(run, taken, mass)
        order, left = _by_bounds(bounds[b])
        sought = k if count < k <= len(here) else 0
        used, bar = _add_heaviest(
            blocks,
            begin[b],
            end[b],
            order,
            left,
            query,
            tables,
            run,
            here,
            taken,
            mass,
            sought,
            slack,
            bar,
            lost,
            short,
        )
        floor = bar - lost - left[used]
        if not penalized:
            floor = max(floor, _LEAST)
        more = _pick(run, here, taken, mass, 0, len(run), floor, picked, sums)
        for u in range(used, len(order)):
            i = order[u]
            add_some(blocks, begin[b, i], end[b, i], query, i, tables, picked[:more], 0, sums)
            more = _keep(picked, sums, more, bar - lost - left[u + 1])
        found, scores = grow(found, count + more), grow(scores, count + more)
        found[count : count + more], scores[count : count + more] = b * BLOCK + picked[:more], sums[:more]
        count += more
        if more and count > k:
            bar = max(bar, _near(scores[:count], k, slack))
            count = _keep(found, scores, count, bar - lost)
    found, scores = found[:count], np.zeros(count)
    if penalized:
        scores -= mass * length_penalties.each[found]
    add_in_order(blocks, begin, end, query, tables, found, scores)
    count = _keep(found, scores, count, max(lowest, _near(scores, k, slack)) if count > k else lowest)
    ranked = np.argsort(-scores[:count], kind="mergesort")
    return found[ranked], scores[ranked]


@njit
def _add_heaviest(
    blocks: PostingBlocks,
    begin: Int64Array,
    end: Int64Array,
    order: Int64Array,
    left: Float64Array,
    query: Query,
    tables: LogTables,
    values: Scores,
    live: BoolArray,
    length_penalties: LengthPenalties,
    mass: float,
    k: int,
    slack: float,
    bar: float,
    lost: float,
    short: int,
) -> tuple[int, float]:
    """Add lists, those that can add most first, until few rows are left that may reach the bar.

    Returns how many were added, and the bar. With k: once half of what can be added is, the k most promising
    rows are completed, and the bar rises to what they reach.
    """
    used, start = 0, -mass * length_penalties.minimum  # of a row that has none of the terms, at most
    while used < len(order):
        i = order[used]
        floor, size = bar - lost - left[used], end[i] - begin[i]
        # A row that has none of the lists so far must not reach the floor: it would not be looked up.
        if start < floor and size > short and _LOOKUP * _estimated(values, floor) < size - short:
            break
        add(blocks, begin[i], end[i], query, i, tables, values)
        used += 1
        if k and 2 * left[used] <= left[0]:
            some, sums = _best(values, live, length_penalties, mass, k, bar - left[used])
            for u in range(used, len(order)):
                i = order[u]
                add_some(blocks, begin[i], end[i], query, i, tables, some, 0, sums)
            if len(some) >= k:
                bar = max(bar, _near(sums, k, slack))
            k = 0
    return used, bar


@njit
def _by_bounds(bounds: Float64Array) -> tuple[Int64Array, Float64Array]:
    """Terms by falling bounds, and what each and all after it can add; 0 after the last."""
    order, left = np.argsort(-bounds, kind="mergesort"), np.zeros(len(bounds) + 1)
    for used in range(len(bounds) - 1, -1, -1):
        left[used] = left[used + 1] + bounds[order[used]]
    return order, left


@njit
def _lost(values: Scores, bounds: Bounds, length_penalties: LengthPenalties, mass: float) -> float:
    """More than two scores can be wrong by together, each the sum of one number a term and one more."""
    largest = _SUBNORMAL
    for b in range(len(bounds)):
        largest = max(
            largest, mass * (abs(length_penalties.minimum) + STEPS * length_penalties.step) + bounds[b].sum()
        )
    return float((bounds.shape[1] + 4) * largest * 2.0 ** (-21 if values.itemsize == 4 else -50))


@njit
def _best(
    values: Scores, live: BoolArray, length_penalties: LengthPenalties, mass: float, k: int, floor: float
) -> tuple[Int64Array, Float64Array]:
    """Living rows with the k largest values that reach the floor, in rising order, and their values."""
    found, scores, count = np.empty(_STEP, np.int64), np.empty(_STEP), 0
    picked, sums = np.empty(_STEP, np.int64), np.empty(_STEP)
    for begin in range(0, len(values), _STEP):
        end = min(begin + _STEP, len(values))
        more = _pick(values, live, length_penalties, mass, begin, end, floor, picked, sums)
        found, scores = grow(found, count + more), grow(scores, count + more)
        found[count : count + more], scores[count : count + more] = picked[:more], sums[:more]
        count += more
        if more and count > k:
            last = _near(scores[:count], k, 0.0)
            count = _keep(found, scores, count, last)
            floor = np.nextafter(last, np.inf)  # rows without any term tie by the thousand
    return found[:count], scores[:count]


@njit
def _near(scores: Float64Array, k: int, slack: float) -> float:
    """What comes near the k-th best."""
    last = float(np.partition(scores, len(scores) - k)[len(scores) - k])
    return last - slack * abs(last)


@njit
def _reaching(values: Scores, floor: float) -> int:
    """How many values reach the floor: without a branch several are compared at once."""
    count, min_score = 0, values.dtype.type(floor)
    for row in range(len(values)):
        count += values[row] >= min_score
    return count


@njit
def _estimated(values: Scores, floor: float) -> int:
    """About how many values reach the floor, from the first of them."""
    sample = max(1, min(len(values), _SAMPLE))
    return _reaching(values[:sample], floor) * len(values) // sample


@njit
def _pick(
    values: Scores,
    live: BoolArray,
    length_penalties: LengthPenalties,
    mass: float,
    begin: int,
    end: int,
    floor: float,
    picked: Int64Array,
    sums: Float64Array,
) -> int:
    """The living rows of a stretch that reach the floor under all of their burden, and their values.

    Returns how many there are.
    """
    count = 0
    for step in range(begin, end, _STEP):
        last = min(step + _STEP, end)
        if _reaching(values[step:last], floor) == 0:
            continue
        for row in range(step, last):
            if values[row] >= floor and live[row]:
                value = np.float64(values[row])
                if len(length_penalties.each):
                    value += mass * (
                        length_penalties.minimum
                        + length_penalties.step * length_penalties.steps[row]
                        - length_penalties.each[row]
                    )
                if value >= floor:
                    picked[count], sums[count] = row, value
                    count += 1
    return count


@njit
def _keep(found: Int64Array, scores: Float64Array, count: int, floor: float) -> int:
    """Drop what is below the floor; returns how many stay."""
    kept = 0
    for i in range(count):
        if scores[i] >= floor:
            found[kept], scores[kept] = found[i], scores[i]
            kept += 1
    return kept
