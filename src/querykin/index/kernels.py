"""Inner products over inverted lists, and the exact top k among unit rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compiled import Bools, Longs, Reals, Words, compiled

_TABLE = 256  # counts whose logarithms are looked up
SLACK = 1e-6  # rows are of unit length only up to the rounding of their stored weights


@compiled
def _kth(values: Reals, rows: Longs, size: int, alive: Bools, k: int) -> float:
    """The k-th largest value among living rows; -1 when there are fewer."""
    found = np.empty(size)
    count = 0
    for i in range(size):
        if alive[rows[i]]:
            found[count] = values[rows[i]]
            count += 1
    if count < k:
        return -1.0
    return float(np.partition(found[:count], count - k)[count - k])


@compiled
def _add_all(rows: Words, weights: NDArray[Any], weight: float, values: Reals, seen: Longs,
             size: int) -> int:  # fmt: skip
    """Add a term's list to the scores, new candidates included."""
    for i in range(len(rows)):
        row, value = rows[i], weight * weights[i]
        if value > 0.0:  # a row that gained nothing would be taken for a new one again and again
            if values[row] == 0.0:
                seen[size] = row
                size += 1
            values[row] += value
    return size


@compiled
def _add_to_survivors(rows: Words, weights: NDArray[Any], weight: float, values: Reals, seen: Longs,
                      size: int) -> None:  # fmt: skip
    """Add a term's list to the scores of the rows still in play, whichever way touches less."""
    if size * 16 < len(rows):
        for i in range(size):
            at = np.searchsorted(rows, seen[i])
            if at < len(rows) and rows[at] == seen[i]:
                values[seen[i]] += weight * weights[at]
    else:
        for i in range(len(rows)):
            if values[rows[i]] != 0.0:
                values[rows[i]] += weight * weights[i]


@compiled
def _prune(values: Reals, seen: Longs, size: int, floor: float) -> int:
    """Drop the rows that can no longer reach the floor; returns how many stay."""
    kept = 0
    for i in range(size):
        if values[seen[i]] >= floor:
            seen[kept] = seen[i]
            kept += 1
        else:
            values[seen[i]] = 0.0
    return kept


@compiled
def top_k(features: Longs, first: Longs, rows: Words, weights: NDArray[Any], alive: Bools,
          query: Longs, query_weights: Reals, k: int) -> tuple[Longs, Reals]:  # fmt: skip
    """The k living rows with the largest inner product with a query, and all that tie with the last of them.

    In order, ties by row; scores above 0 only.

    Term at a time, the query's heaviest first. Rows are of unit length, so a row not seen so far can reach
    at most the length of the query's rest: once that is below the k-th best score, no new row is let in,
    and rows that the rest cannot lift over that score are dropped.
    """
    order = np.argsort(-query_weights, kind="mergesort")
    rest = np.zeros(len(order) + 1)
    for i in range(len(order) - 1, -1, -1):
        rest[i] = rest[i + 1] + query_weights[order[i]] ** 2
    values = np.zeros(len(alive))
    seen = np.empty(len(alive), np.int64)
    size, work, closed = 0, 0, False
    for i in range(len(order)):
        term = np.searchsorted(features, query[order[i]])
        if term == len(features) or features[term] != query[order[i]]:
            continue
        begin, end = first[term], first[term + 1]
        weight = query_weights[order[i]]
        if closed:
            _add_to_survivors(rows[begin:end], weights[begin:end], weight, values, seen, size)
        else:
            size = _add_all(rows[begin:end], weights[begin:end], weight, values, seen, size)
        work += end - begin
        if work >= size:  # looking for the k-th best costs as much as the rows seen: not after every term
            work = 0
            best = _kth(values, seen, size, alive, k)
            reach = np.sqrt(rest[i + 1]) * (1 + SLACK) + SLACK
            closed = closed or reach < best
            if closed:
                size = _prune(values, seen, size, best - reach)
    found = np.sort(seen[:size])
    kept = 0
    for i in range(size):
        if alive[found[i]] and values[found[i]] > 0:
            found[kept] = found[i]
            kept += 1
    found = found[:kept]
    found = found[np.argsort(-values[found], kind="mergesort")]
    end = min(k, kept)
    while end < kept and values[found[end]] == values[found[end - 1]]:
        end += 1
    return found[:end], values[found[:end]]


@compiled
def inner_products(features: Longs, first: Longs, rows: Words, weights: NDArray[Any], query: Longs,
                   query_weights: Reals, gains: Reals, size: int) -> Reals:  # fmt: skip
    """The inner product of a query with every one of `size` rows.

    Where a term has a gain g, a weight w counts log(1 + g w). Such weights are small whole numbers nearly
    always, so their logarithms are looked up.
    """
    values = np.zeros(size)
    table = np.empty(_TABLE)
    for i in range(len(query)):
        term = np.searchsorted(features, query[i])
        if term == len(features) or features[term] != query[i]:
            continue
        weight, gain = query_weights[i], gains[i]
        if gain == 0:
            for p in range(first[term], first[term + 1]):
                values[rows[p]] += weight * weights[p]
            continue
        for count in range(_TABLE):
            table[count] = weight * np.log1p(gain * count)
        for p in range(first[term], first[term + 1]):
            count = int(weights[p])
            if count < _TABLE and count == weights[p]:
                values[rows[p]] += table[count]
            else:
                values[rows[p]] += weight * np.log1p(gain * weights[p])
    return values
