"""Inner products over inverted lists, block by block: the scores of a block stay in the processor's cache.

A block holds up to 65,536 rows. Its lists are `rows[first[f] : first[f + 1]]` for the f-th of its features,
with the weights beside them; `first` and the features of block b begin at `begins[b]` and its postings at
`starts[b]`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compiled import Bools, Longs, Points, Reals, compiled, roomy

BLOCK = 1 << 16  # rows: their numbers fit 16 bits, and their scores half a megabyte
_STEP = 1024  # rows among which the best so far are looked for at once
_TABLE = 256  # counts whose logarithms are looked up
_LEAST = 5e-324  # the smallest number above 0
Logarithms = NDArray[np.float64]  # a table for each term


@compiled
def _logarithms(query_weights: Reals, gains: Reals) -> Logarithms:
    """What small counts add under each term that has a gain; the others have no table."""
    tables = np.empty((len(gains) if gains.any() else 0, _TABLE))
    for i in range(len(tables)):
        for count in range(_TABLE):
            tables[i, count] = query_weights[i] * np.log1p(gains[i] * count)
    return tables


@compiled
def _accumulate(features: Longs, first: Points, rows: NDArray[np.uint16], weights: NDArray[Any], query: Longs,
                query_weights: Reals, gains: Reals, tables: Logarithms, values: Reals) -> None:  # fmt: skip
    """Add the lists of a query's terms in one block to the scores of its rows.

    Where a term has a gain g, a weight w counts log(1 + g w). Such weights are small whole numbers nearly
    always, so their logarithms are looked up.
    """
    for i in range(len(query)):
        term = np.searchsorted(features, query[i])
        if term == len(features) or features[term] != query[i]:
            continue
        weight, gain = query_weights[i], gains[i]
        begin, end = np.int64(first[term]), np.int64(first[term + 1])
        if gain == 0:
            for p in range(begin, end):
                values[rows[p]] += weight * weights[p]
            continue
        table = tables[i]
        for p in range(begin, end):
            count = int(weights[p])
            if count < _TABLE and count == weights[p]:
                values[rows[p]] += table[count]
            else:
                values[rows[p]] += weight * np.log1p(gain * weights[p])


@compiled
def inner_products(begins: Longs, starts: Longs, features: Longs, first: Points, rows: NDArray[np.uint16],
                   weights: NDArray[Any], query: Longs, query_weights: Reals, gains: Reals,
                   size: int) -> Reals:  # fmt: skip
    """The inner product of a query with every one of `size` rows."""
    values, tables = np.zeros(size), _logarithms(query_weights, gains)
    for b in range(len(begins) - 1):
        _accumulate(features[begins[b] : begins[b + 1]], first[begins[b] + b : begins[b + 1] + b + 1],
                    rows[starts[b] : starts[b + 1]], weights[starts[b] : starts[b + 1]], query, query_weights,
                    gains, tables, values[b * BLOCK : (b + 1) * BLOCK])  # fmt: skip
    return values


@compiled
def top_k(begins: Longs, starts: Longs, features: Longs, first: Points, rows: NDArray[np.uint16],
          weights: NDArray[Any], alive: Bools, query: Longs, query_weights: Reals, gains: Reals,
          burdens: Reals, mass: float, k: int, slack: float, least: float,
          values: Reals) -> tuple[Longs, Reals]:  # fmt: skip
    """The k living rows with the largest inner product with a query, and all that come near the last of them.

    With burdens a row has its burden times `mass` taken off, and rows may count below 0; one with the burden
    NaN is never found. Without, only those above 0 are. What is below `least` is not found either. Near is a
    share of `slack` below the last: what ties, and what rounding could have put there. In order, ties by row.
    `values` is room for one block's scores.
    """
    tables = _logarithms(query_weights, gains)
    picked = np.empty(_STEP, np.int64)
    found, scores = np.empty(0, np.int64), np.empty(0)
    count, floor = 0, least if len(burdens) else max(least, _LEAST)
    for b in range(len(begins) - 1):
        here = alive[b * BLOCK : (b + 1) * BLOCK]
        values[: len(here)] = 0
        if len(burdens):
            values[: len(here)] = -mass * burdens[b * BLOCK : b * BLOCK + len(here)]
        _accumulate(features[begins[b] : begins[b + 1]], first[begins[b] + b : begins[b + 1] + b + 1],
                    rows[starts[b] : starts[b + 1]], weights[starts[b] : starts[b + 1]], query, query_weights,
                    gains, tables, values)  # fmt: skip
        for begin in range(0, len(here), _STEP):
            run = values[begin : min(begin + _STEP, len(here))]
            if _reaching(run, floor) == 0:
                continue
            more = _pick(run, here[begin:], floor, picked)
            found, scores = roomy(found, count + more), roomy(scores, count + more)
            for i in range(more):
                row = begin + picked[i]
                found[count + i], scores[count + i] = b * BLOCK + row, values[row]
            count += more
            if more and count > k:
                last = np.partition(scores[:count], count - k)[count - k]
                floor = max(floor, last - slack * abs(last))
                count = _keep(found, scores, count, floor)
    order = np.argsort(-scores[:count], kind="mergesort")
    return found[:count][order], scores[:count][order]


@compiled
def _reaching(values: Reals, floor: float) -> int:
    """How many values reach the floor: without a branch several are compared at once."""
    count = 0
    for row in range(len(values)):
        count += values[row] >= floor
    return count


@compiled
def _pick(values: Reals, alive: Bools, floor: float, picked: Longs) -> int:
    """The living rows that reach the floor; returns how many."""
    count = 0
    for row in range(len(values)):
        if values[row] >= floor and alive[row]:
            picked[count] = row
            count += 1
    return count


@compiled
def _keep(found: Longs, scores: Reals, count: int, floor: float) -> int:
    """Drop what is below the floor; returns how many stay."""
    kept = 0
    for i in range(count):
        if scores[i] >= floor:
            found[kept], scores[kept] = found[i], scores[i]
            kept += 1
    return kept
