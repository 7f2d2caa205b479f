"""The best of many unit rows without looking at most of them: bounds of small blocks (block-max pruning).

Rows stand in an order in which neighbours are alike, in blocks of 8. The bound list of a term tells the
largest weight in every block that has the term, in 8 bits, rounded up. A query adds up the bounds of all
blocks, then scores the rows of the most promising ones, best first, until no bound reaches the k-th best
score. Nothing is lost: a block that is left out cannot hold a row that belongs to the best.

A term goes by its rank: 0 for the one that most rows have. Its list is `lists[list_first[r] :
list_first[r + 1]]`: the blocks, then their weights, two to a word, in one piece because a query waits for
memory most of the time. Row p is `rows[row_first[p] : row_first[p + 1]]`: how many of its terms are on each
page of 65,536 ranks, the low 16 bits of the ranks, the weights in steps of 1/65,535.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array, UInt32Array
from querykin.compute.jit import njit

BLOCK = 8  # rows; larger blocks have looser bounds, smaller ones longer lists
BLOCKS = 1 << 16  # at most: their numbers fit 16 bits
PAGE = 1 << 16
STEP = 257  # of an 8-bit weight in steps of a 16-bit one: 255 * 257 = 65,535
_RUN = 64  # blocks whose largest bound is looked at first
_TOP = 65_535  # of a bound
_SURE = 1 - 1e-9  # scores are rounded as sums of doubles are
_LEAST = 5e-324  # the smallest number above 0
UInt16Array = NDArray[np.uint16]


@njit
def _add_bounds(entries: UInt16Array, weight: np.uint32, bounds: UInt16Array) -> None:
    """Add what a term can bring, rounded up, to the bounds of the blocks that have it; weight in 1/256."""
    count = 2 * len(entries) // 3
    most = entries[count:].view(np.uint8)
    for p in range(count):
        bounds[entries[p]] += np.uint16((weight * np.uint32(most[p]) + np.uint32(255)) >> np.uint32(8))


@njit
def _bound(
    list_indptr: UInt32Array,
    lists: UInt16Array,
    known: Int64Array,
    query_weights: Float64Array,
    unit: float,
    bounds: UInt16Array,
) -> None:
    """For every block what its rows can reach at most, in 1/unit."""
    bounds[:] = 0
    for i in range(len(known)):
        if known[i] >= 0:
            weight = np.uint32(np.ceil(256 * STEP * unit * query_weights[i]))
            _add_bounds(lists[list_indptr[known[i]] : list_indptr[known[i] + 1]], weight, bounds)


@njit
def _score(row: UInt16Array, pages: int, slots: NDArray[Any], slot_weights: Float64Array) -> float:
    """The inner product of a packed row with a query; a term's slot is 0 unless the query has it."""
    total, p, half = 0.0, pages, (len(row) - pages) // 2
    for page in range(pages):
        end = p + row[page]
        part = slots[page * PAGE :]
        for q in range(p, end):
            total += slot_weights[part[row[q]]] * row[q + half]
        p = end
    return total


@njit
def _ordered_score(
    row: UInt16Array, pages: int, slots: NDArray[Any], slot_weights: Float64Array, held: Float64Array
) -> float:
    """The same, added up in the order of the query's terms: the last bit does not depend on other rows."""
    held[:] = 0.0
    p, half = pages, (len(row) - pages) // 2
    for page in range(pages):
        for _ in range(row[page]):
            held[slots[page * PAGE + row[p]]] = row[p + half]
            p += 1
    total = 0.0
    for slot in range(1, len(held)):
        total += slot_weights[slot] * held[slot]
    return total


@njit
def _mark(
    features: Int64Array,
    ranks: UInt32Array,
    query: Int64Array,
    query_weights: Float64Array,
    slots: NDArray[Any],
    slot_weights: Float64Array,
) -> Int64Array:
    """Give each of a query's terms a slot; returns their ranks, -1 for what no row has."""
    found = np.full(len(query), -1, np.int64)
    for i in range(len(query)):
        place = np.searchsorted(features, query[i])
        if place < len(features) and features[place] == query[i]:
            found[i] = ranks[place]
            slots[found[i]], slot_weights[i + 1] = i + 1, query_weights[i]
    return found


@njit
def _clear(found: Int64Array, slots: NDArray[Any]) -> None:
    for rank in found:
        if rank >= 0:
            slots[rank] = 0


@njit
def _best_of_runs(bounds: UInt16Array) -> UInt16Array:
    """The largest bound of each run of blocks."""
    best = np.zeros(-(-len(bounds) // _RUN), np.uint16)
    for r in range(len(best)):
        most = np.uint16(0)
        for bound in bounds[r * _RUN : (r + 1) * _RUN]:
            most = max(most, bound)
        best[r] = most
    return best


@njit
def _promising(bounds: UInt16Array, best: UInt16Array, lower: int, upper: int) -> Int64Array:
    """Blocks with a bound of at least `lower` and less than `upper`, the most promising first."""
    count, found = 0, np.empty(2 * _RUN, np.int64)
    for r in range(len(best)):
        if best[r] < lower:
            continue
        if count + _RUN > len(found):
            found = np.concatenate((found, np.empty(len(found), np.int64)))
        for b in range(r * _RUN, min((r + 1) * _RUN, len(bounds))):
            found[count] = b
            count += lower <= bounds[b] < upper
    return found[:count][np.argsort(-bounds[found[:count]].astype(np.int64))]


@njit
def _settle(
    found: Int64Array, scores: Float64Array, count: int, k: int, slack: float, floor: float
) -> tuple[int, float]:
    """Raise the floor to the k-th best score, less the slack; returns how many reach it, and the floor."""
    if count <= k:
        return count, floor
    last = np.partition(scores[:count], count - k)[count - k]
    floor = max(floor, last - slack * abs(last))
    kept = 0
    for i in range(count):
        if scores[i] >= floor:
            found[kept], scores[kept] = found[i], scores[i]
            kept += 1
    return kept, floor


@njit
def top_places(
    features: Int64Array,
    ranks: UInt32Array,
    list_indptr: UInt32Array,
    lists: UInt16Array,
    row_indptr: UInt32Array,
    rows: UInt16Array,
    order: Int32Array,
    live: BoolArray,
    query: Int64Array,
    query_weights: Float64Array,
    k: int,
    slack: float,
    min_score: float,
    bounds: UInt16Array,
    slots: NDArray[Any],
) -> tuple[Int64Array, Float64Array]:
    """The places of the k living rows with the largest inner products, and of all that come near the last.

    Only those above 0 that reach `minimum` are found, in any order. Near is a share of `slack` below the last.
    `order` tells the row at each place; `bounds` is room for all blocks, `slots` for all ranks and 0.
    """
    slot_weights = np.zeros(len(query) + 1)
    known = _mark(features, ranks, query, query_weights, slots, slot_weights)
    total, floor = slot_weights.sum(), max(_LEAST, min_score)
    room = min(k, len(order)) + 256
    found, scores, count = np.empty(room, np.int64), np.empty(room), 0
    if total <= 0:
        _clear(known, slots)
        return found[:0], scores[:0]
    unit = (_TOP - 2 * len(query)) / (255 * STEP * total)  # so that no bound can exceed the top
    bounds = bounds[: -(-len(order) // BLOCK)]
    _bound(list_indptr, lists, known, query_weights, unit, bounds)
    best, pages = _best_of_runs(bounds), -(-len(features) // PAGE)
    first = len(best) - min(k, 1 + len(best) // 8)  # so many runs may give a floor
    bar = max(1, int(floor * _SURE * unit))
    lower, upper, full = max(bar, int(np.partition(best, first)[first])), _TOP + 1, k + k // 8
    while True:
        for b in _promising(bounds, best, lower, upper):
            if bounds[b] < bar:
                break
            for place in range(b * BLOCK, min((b + 1) * BLOCK, len(order))):
                if live[order[place]]:
                    score = _score(
                        rows[row_indptr[place] : row_indptr[place + 1]], pages, slots, slot_weights
                    )
                    if score >= floor:
                        found[count], scores[count] = place, score
                        count += 1
            if count > full:
                count, floor = _settle(found, scores, count, k, slack, floor)
                bar, full = max(1, int(floor * _SURE * unit)), max(full, 2 * count)  # ties are not dropped
            if count + BLOCK > len(found):  # a great many ties
                found = np.concatenate((found, np.empty(len(found), np.int64)))
                scores = np.concatenate((scores, np.empty(len(scores))))
        count, floor = _settle(found, scores, count, k, slack, floor)
        bar = max(1, int(floor * _SURE * unit))
        if lower <= bar:
            break
        lower, upper = (bar if count >= k else max(bar, lower - lower // 4 - 1)), lower
    held = np.empty(len(slot_weights))
    for i in range(count):
        row = rows[row_indptr[found[i]] : row_indptr[found[i] + 1]]
        scores[i] = _ordered_score(row, pages, slots, slot_weights, held)
    _clear(known, slots)
    return found[:count], scores[:count]


@njit
def scores_at(
    features: Int64Array,
    ranks: UInt32Array,
    row_indptr: UInt32Array,
    rows: UInt16Array,
    places: Int64Array,
    query: Int64Array,
    query_weights: Float64Array,
    slots: NDArray[Any],
) -> Float64Array:
    """The inner products of a query with the rows at some places."""
    slot_weights, pages = np.zeros(len(query) + 1), -(-len(features) // PAGE)
    known = _mark(features, ranks, query, query_weights, slots, slot_weights)
    out, held = np.empty(len(places)), np.empty(len(slot_weights))
    for i in range(len(places)):
        row = rows[row_indptr[places[i]] : row_indptr[places[i] + 1]]
        out[i] = _ordered_score(row, pages, slots, slot_weights, held)
    _clear(known, slots)
    return out


@njit
def count_entries(first: Int64Array, terms: Int64Array, width: int) -> Int64Array:
    """For every term the number of blocks that have it; `terms` are those of rows laid end to end."""
    counts, last = np.zeros(width, np.int64), np.full(width, -1, np.int64)
    for place in range(len(first) - 1):
        block = place // BLOCK
        for i in range(first[place], first[place + 1]):
            if last[terms[i]] != block:
                last[terms[i]] = block
                counts[terms[i]] += 1
    return counts


@njit
def fill_lists(
    first: Int64Array,
    terms: Int64Array,
    weights: UInt16Array,
    counts: Int64Array,
    list_indptr: Int64Array,
    lists: UInt16Array,
    most: UInt8Array,
) -> None:
    """Write the bound lists; terms are ranks, `most` is the memory of `lists` byte by byte."""
    filled, last = np.zeros(len(counts), np.int64), np.full(len(counts), -1, np.int64)
    for place in range(len(first) - 1):
        block = place // BLOCK
        for i in range(first[place], first[place + 1]):
            rank = terms[i]
            if last[rank] != block:
                last[rank] = block
                lists[list_indptr[rank] + filled[rank]] = block
                filled[rank] += 1
            at = 2 * (list_indptr[rank] + counts[rank]) + filled[rank] - 1
            most[at] = max(most[at], (np.int64(weights[i]) + STEP - 1) // STEP)


@njit
def pack_rows(
    first: Int64Array,
    terms: Int64Array,
    weights: UInt16Array,
    pages: int,
    row_indptr: Int64Array,
    rows: UInt16Array,
) -> None:
    """Write rows one after another, terms by rising rank."""
    for place in range(len(first) - 1):
        ranks, steps = terms[first[place] : first[place + 1]], weights[first[place] : first[place + 1]]
        turn = np.argsort(ranks)
        at, count = row_indptr[place], len(turn)
        for j in range(count):
            rows[at + ranks[turn[j]] // PAGE] += 1
            rows[at + pages + j] = ranks[turn[j]] % PAGE
            rows[at + pages + count + j] = steps[turn[j]]


@njit
def unpack_rows(
    row_indptr: UInt32Array,
    rows: UInt16Array,
    pages: int,
    feature_of: Int64Array,
    places: Int64Array,
    to: Int64Array,
    features: Int64Array,
    weights: UInt16Array,
) -> None:
    """Write the features and weights of the rows at some places to where `to` says."""
    for i in range(len(places)):
        row, at = rows[row_indptr[places[i]] : row_indptr[places[i] + 1]], to[i]
        p, half = pages, (len(row) - pages) // 2
        for page in range(pages):
            for _ in range(row[page]):
                features[at], weights[at] = feature_of[page * PAGE + row[p]], row[p + half]
                p += 1
                at += 1


@njit
def heaviest_features(
    first: Int64Array, features: Int64Array, weights: UInt16Array, keys: NDArray[np.int64]
) -> None:
    """The heaviest features of each row, the heaviest first; of equal ones the lowest."""
    depth = keys.shape[1]
    for row in range(len(keys)):
        count = 0
        held = np.zeros(depth, np.int64)
        for i in range(first[row], first[row + 1]):
            weight, feature, at = np.int64(weights[i]), features[i], count
            while at > 0 and (held[at - 1], -keys[row, at - 1]) < (weight, -feature):
                at -= 1
            if at == depth:
                continue
            for j in range(min(count, depth - 1), at, -1):
                held[j], keys[row, j] = held[j - 1], keys[row, j - 1]
            held[at], keys[row, at] = weight, feature
            count = min(count + 1, depth)
