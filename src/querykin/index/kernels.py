"""Inner products over inverted lists, block by block: the scores of a block stay in the processor's cache.

The best rows are found without reading every list (MaxScore, after Turtle & Flood 1995). A block's lists are
added up from the one that can add most to the one that can add least. Once what is left could not lift a row
that has none of the lists so far, only rows that are near the best are looked up in what is left, and fewer
with each list. Scores of what is found are added up again in the order of the query's terms.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compiled import Bools, Bytes, Longs, Points, Reals, compiled, roomy

BLOCK = 1 << 16  # rows: their numbers fit 16 bits, and their scores half a megabyte
_STEP = 1024  # rows among which the best so far are looked for at once
_TABLE = 64  # counts whose logarithms are looked up
_LEAST = 5e-324  # the smallest number above 0
_LOOKUP = 200  # entries of a list are added in the time of looking up one row
_STEPS = 255  # of burdens: as many as a byte tells apart
_NEAR = 16  # entries of a list around the place where a row is looked for first
_SAMPLE = 8192  # rows that are counted to tell how many are near the best
SHORT = 4096  # entries of a list that are added rather than looked up in
Scores = NDArray[Any]  # of a block's rows, in double precision or in single
Logarithms = NDArray[np.float64]  # a table for each term
Places = NDArray[np.int64]  # for each block and term
Bounds = NDArray[np.float64]  # for each block and term


class Blocks(NamedTuple):
    """Inverted lists of rows, up to 65,536 in a block.

    The lists of block b are `rows[first[f] : first[f + 1]]` for the f-th of its features, with the weights
    beside them; its features, and beside each the largest of its weights without their sign, begin at
    `begins[b]`, `first` at `begins[b] + b`, and what that counts from at `starts[b]`.
    """

    begins: Longs
    starts: Longs
    features: Longs
    first: Points
    most: NDArray[Any]
    rows: NDArray[np.uint16]
    weights: NDArray[Any]


class Query(NamedTuple):
    """Terms with weights; where a term has a gain g, a weight w of a row counts log(1 + g w)."""

    features: Longs
    weights: Reals
    gains: Reals


class Burdens(NamedTuple):
    """What is taken off the score of each row, times the query's mass; NaN keeps a row from being found.

    Also in steps, rounded down: `least + step * steps` takes an eighth of the room, and reading what every
    row carries is what takes time.
    """

    each: Reals
    steps: Bytes
    least: float
    step: float


NO_BURDENS = Burdens(np.zeros(0), np.zeros(0, np.uint8), 0.0, 0.0)


def burdens_of(each: Reals) -> Burdens:
    """The burdens of rows, and their steps."""
    known = each[~np.isnan(each)]
    if not len(known):
        return Burdens(each, np.zeros(len(each), np.uint8), 0.0, 0.0)
    step = float(known.max() - known.min()) / _STEPS or 1.0
    steps = np.floor((np.where(np.isnan(each), known.max(), each) - known.min()) / step)
    return Burdens(each, steps.astype(np.uint8), float(known.min()), step)


@compiled
def inner_products(blocks: Blocks, query: Query, size: int) -> Reals:
    """The inner product of a query with every one of `size` rows."""
    values, tables = np.zeros(size), _logarithms(query)
    begin, end, _ = located(blocks, query)
    for b in range(len(begin)):
        for i in range(len(query.features)):
            _add(blocks, begin[b, i], end[b, i], query, i, tables, values[b * BLOCK : (b + 1) * BLOCK])
    return values


@compiled
def some_products(blocks: Blocks, query: Query, wanted: Longs) -> Reals:
    """The inner product of a query with some rows, given in rising order."""
    values = np.zeros(len(wanted))
    begin, end, _ = located(blocks, query)
    _add_in_order(blocks, begin, end, query, _logarithms(query), wanted, values)
    return values


@compiled
def top_k(blocks: Blocks, alive: Bools, query: Query, burdens: Burdens, mass: float, k: int, slack: float,
          least: float, short: int, values: Scores) -> tuple[Longs, Reals]:  # fmt: skip
    """The k living rows with the largest inner product with a query, and all that come near the last of them.

    With burdens a row has its burden times `mass` taken off, and rows may count below 0; one with the burden
    NaN is never found. Without, only those above 0 are. What is below `least` is not found either. Near is a
    share of `slack` below the last: what ties, and what rounding could have put there. In order, ties by row.
    Lists not longer than `short` are always added up; `values` is room for one block's scores, in single
    precision if one likes: what is found is added up again in double precision.
    """
    burdened = len(burdens.each) > 0
    tables, lowest = _logarithms(query), least if burdened else max(least, _LEAST)
    begin, end, bounds = located(blocks, query)
    lost = _lost(values, bounds, burdens, mass)
    found, scores, count, bar = np.empty(0, np.int64), np.empty(0), 0, lowest
    picked, sums = np.empty(BLOCK, np.int64), np.empty(BLOCK)
    for b in range(len(begin)):
        here = alive[b * BLOCK : (b + 1) * BLOCK]
        run = values[: len(here)]
        taken = _of_block(burdens, b)
        _start(run, taken, mass)
        order, left = _by_bounds(bounds[b])
        sought = k if count < k <= len(here) else 0
        used, bar = _add_heaviest(blocks, begin[b], end[b], order, left, query, tables, run, here, taken,
                                  mass, sought, slack, bar, lost, short)  # fmt: skip
        floor = bar - lost - left[used]
        if not burdened:
            floor = max(floor, _LEAST)
        more = _pick(run, here, taken, mass, 0, len(run), floor, picked, sums)
        for u in range(used, len(order)):
            i = order[u]
            _add_some(blocks, begin[b, i], end[b, i], query, i, tables, picked[:more], 0, sums)
            more = _keep(picked, sums, more, bar - lost - left[u + 1])
        found, scores = roomy(found, count + more), roomy(scores, count + more)
        found[count : count + more], scores[count : count + more] = b * BLOCK + picked[:more], sums[:more]
        count += more
        if more and count > k:
            bar = max(bar, _near(scores[:count], k, slack))
            count = _keep(found, scores, count, bar - lost)
    found, scores = found[:count], np.zeros(count)
    if burdened:
        scores -= mass * burdens.each[found]
    _add_in_order(blocks, begin, end, query, tables, found, scores)
    count = _keep(found, scores, count, max(lowest, _near(scores, k, slack)) if count > k else lowest)
    ranked = np.argsort(-scores[:count], kind="mergesort")
    return found[ranked], scores[ranked]


@compiled
def _add_heaviest(blocks: Blocks, begin: Longs, end: Longs, order: Longs, left: Reals, query: Query,
                  tables: Logarithms, values: Scores, alive: Bools, burdens: Burdens, mass: float, k: int,
                  slack: float, bar: float, lost: float, short: int) -> tuple[int, float]:  # fmt: skip
    """Add lists, those that can add most first, until few rows are left that may reach the bar.

    Returns how many were added, and the bar. With k it is raised to what k rows reach that are promising
    once half of what can be added is.
    """
    used, start = 0, -mass * burdens.least  # of a row that has none of the terms, at most
    while used < len(order):
        i = order[used]
        floor, size = bar - lost - left[used], end[i] - begin[i]
        if start < floor and size > short and _LOOKUP * _estimated(values, floor) < size - short:
            break
        _add(blocks, begin[i], end[i], query, i, tables, values)
        used += 1
        if k and 2 * left[used] <= left[0]:
            some, sums = _best(values, alive, burdens, mass, k, bar - left[used])
            for u in range(used, len(order)):
                i = order[u]
                _add_some(blocks, begin[i], end[i], query, i, tables, some, 0, sums)
            if len(some) >= k:
                bar = max(bar, _near(sums, k, slack))
            k = 0
    return used, bar


@compiled
def _logarithms(query: Query) -> Logarithms:
    """What small counts add under each term: gains go with counts nearly always."""
    tables = np.empty((len(query.gains), _TABLE if query.gains.any() else 0))
    for i in range(len(tables)):
        for count in range(tables.shape[1]):
            tables[i, count] = query.weights[i] * np.log1p(query.gains[i] * count)
    return tables


@compiled
def located(blocks: Blocks, query: Query) -> tuple[Places, Places, Bounds]:
    """For each block and term where its list begins and ends, and the most that it adds to a row."""
    shape = len(blocks.begins) - 1, len(query.features)
    begin, end, bounds = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape)
    for b in range(shape[0]):
        features = blocks.features[blocks.begins[b] : blocks.begins[b + 1]]
        for i in range(shape[1]):
            term = np.searchsorted(features, query.features[i])
            if term < len(features) and features[term] == query.features[i]:
                border = blocks.begins[b] + b + term
                begin[b, i] = blocks.starts[b] + blocks.first[border]
                end[b, i] = blocks.starts[b] + blocks.first[border + 1]
                most, gain = np.float64(blocks.most[blocks.begins[b] + term]), query.gains[i]
                bounds[b, i] = abs(query.weights[i]) * (np.log1p(gain * most) if gain else most)
    return begin, end, bounds


@compiled
def _by_bounds(bounds: Reals) -> tuple[Longs, Reals]:
    """Terms by falling bounds, and what each and all after it can add; 0 after the last."""
    order, left = np.argsort(-bounds, kind="mergesort"), np.zeros(len(bounds) + 1)
    for used in range(len(bounds) - 1, -1, -1):
        left[used] = left[used + 1] + bounds[order[used]]
    return order, left


@compiled
def _share(weight: float, query_weight: float, gain: float, table: Reals) -> float:
    """What one weight of a row adds."""
    if gain == 0:
        return query_weight * weight
    count = int(weight)
    if count < _TABLE and count == weight:
        return float(table[count])
    return query_weight * float(np.log1p(gain * weight))


@compiled
def _lost(values: Scores, bounds: Bounds, burdens: Burdens, mass: float) -> float:
    """More than two scores can be wrong by together, each the sum of one number a term and one more."""
    largest = 0.0
    for b in range(len(bounds)):
        largest = max(largest, mass * (abs(burdens.least) + _STEPS * burdens.step) + bounds[b].sum())
    return float((bounds.shape[1] + 4) * largest * 2.0 ** (-21 if values.itemsize == 4 else -50))


@compiled
def _of_block(burdens: Burdens, b: int) -> Burdens:
    part = slice(b * BLOCK, (b + 1) * BLOCK)
    return Burdens(burdens.each[part], burdens.steps[part], burdens.least, burdens.step)


@compiled
def _start(values: Scores, burdens: Burdens, mass: float) -> None:
    """The scores of rows before anything is added, or a little more."""
    least, step = values.dtype.type(-mass * burdens.least), values.dtype.type(-mass * burdens.step)
    values[:] = 0
    for row in range(len(burdens.steps)):
        values[row] = least + step * values.dtype.type(burdens.steps[row])


@compiled
def _add(blocks: Blocks, begin: int, end: int, query: Query, i: int, tables: Logarithms,
         values: Scores) -> None:  # fmt: skip
    """Add a list to the scores of a block's rows."""
    weight, gain, table = query.weights[i], query.gains[i], tables[i]
    for p in range(begin, end):
        values[blocks.rows[p]] += _share(blocks.weights[p], weight, gain, table)


@compiled
def _add_some(blocks: Blocks, begin: int, end: int, query: Query, i: int, tables: Logarithms, wanted: Longs,
              base: int, values: Reals) -> None:  # fmt: skip
    """Add a list to the scores of some of the rows that follow `base`, given in rising order."""
    for j in range(len(wanted)):
        row = wanted[j] - base
        at = _place(blocks.rows, begin, end, row)
        if at < end and blocks.rows[at] == row:
            values[j] += _share(blocks.weights[at], query.weights[i], query.gains[i], tables[i])


@compiled
def _place(rows: NDArray[np.uint16], begin: int, end: int, row: int) -> int:
    """Where a row stands in a list, or where it would.

    Rows are spread evenly, more or less: the search begins near by, and touches little memory.
    """
    if begin == end or rows[end - 1] < row:
        return end
    low = high = begin + (end - begin) * row // (rows[end - 1] + 1)
    step = _NEAR
    while low > begin and rows[low] >= row:
        high, low = low, max(begin, low - step)
        step *= 2
    while rows[high] < row:
        low, high = high + 1, min(end - 1, high + step)
        step *= 2
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return int(low)


@compiled
def _add_in_order(blocks: Blocks, begin: Places, end: Places, query: Query, tables: Logarithms,
                  wanted: Longs, values: Reals) -> None:  # fmt: skip
    """Add all lists, in the query's order, to the scores of some rows given in rising order."""
    for b in range(len(begin)):
        low, high = np.searchsorted(wanted, b * BLOCK), np.searchsorted(wanted, (b + 1) * BLOCK)
        for i in range(len(query.features)):
            _add_some(blocks, begin[b, i], end[b, i], query, i, tables, wanted[low:high], b * BLOCK,
                      values[low:high])  # fmt: skip


@compiled
def _best(values: Scores, alive: Bools, burdens: Burdens, mass: float, k: int,
          floor: float) -> tuple[Longs, Reals]:  # fmt: skip
    """The living rows with the k largest values that reach the floor, in rising order, and their values."""
    found, scores, count = np.empty(_STEP, np.int64), np.empty(_STEP), 0
    picked, sums = np.empty(_STEP, np.int64), np.empty(_STEP)
    for begin in range(0, len(values), _STEP):
        end = min(begin + _STEP, len(values))
        more = _pick(values, alive, burdens, mass, begin, end, floor, picked, sums)
        found, scores = roomy(found, count + more), roomy(scores, count + more)
        found[count : count + more], scores[count : count + more] = picked[:more], sums[:more]
        count += more
        if more and count > k:
            floor = _near(scores[:count], k, 0.0)
            count = _keep(found, scores, count, floor)
    return found[:count], scores[:count]


@compiled
def _near(scores: Reals, k: int, slack: float) -> float:
    """What comes near the k-th best."""
    last = float(np.partition(scores, len(scores) - k)[len(scores) - k])
    return last - slack * abs(last)


@compiled
def _reaching(values: Scores, floor: float) -> int:
    """How many values reach the floor: without a branch several are compared at once."""
    count, least = 0, values.dtype.type(floor)
    for row in range(len(values)):
        count += values[row] >= least
    return count


@compiled
def _estimated(values: Scores, floor: float) -> int:
    """About how many values reach the floor, from the first of them."""
    sample = max(1, min(len(values), _SAMPLE))
    return _reaching(values[:sample], floor) * len(values) // sample


@compiled
def _pick(values: Scores, alive: Bools, burdens: Burdens, mass: float, begin: int, end: int, floor: float,
          picked: Longs, sums: Reals) -> int:  # fmt: skip
    """The living rows of a stretch that reach the floor under all of their burden, and their values.

    Returns how many there are.
    """
    count = 0
    for step in range(begin, end, _STEP):
        last = min(step + _STEP, end)
        if _reaching(values[step:last], floor) == 0:
            continue
        for row in range(step, last):
            if values[row] >= floor and alive[row]:
                value = np.float64(values[row])
                if len(burdens.each):
                    value += mass * (burdens.least + burdens.step * burdens.steps[row] - burdens.each[row])
                if value >= floor:
                    picked[count], sums[count] = row, value
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
