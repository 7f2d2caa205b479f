"""How strongly does a text belong with a context? Geometric means of counts, weighed against chance."""

from dataclasses import replace
from typing import Literal

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, grow
from querykin.compute.jit import njit
from querykin.vectors import Vectors

Weighting = Literal["chi-square", "root", "npmi"]


@njit
def _shared_means(
    indptr: Int64Array, units: Int64Array, row_indptr: Int64Array, contexts: Int64Array, counts: Float64Array
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """For each text the geometric mean of its units' counts, over the contexts that all of them meet."""
    borders = np.zeros(len(indptr), np.int64)
    features = np.empty(1 << 16, np.int64)
    means = np.empty(1 << 16)
    end = 0
    for t in range(len(indptr) - 1):
        begin, stop = indptr[t], indptr[t + 1]
        if begin == stop:
            borders[t + 1] = end
            continue
        fewest = units[begin]
        for u in range(begin + 1, stop):
            if row_indptr[units[u] + 1] - row_indptr[units[u]] < row_indptr[fewest + 1] - row_indptr[fewest]:
                fewest = units[u]
        size = row_indptr[fewest + 1] - row_indptr[fewest]
        features, means = grow(features, end + size), grow(means, end + size)
        for i in range(row_indptr[fewest], row_indptr[fewest + 1]):
            total, met = 0.0, 0
            for u in range(begin, stop):
                low, high = row_indptr[units[u]], row_indptr[units[u] + 1]
                at = low + np.searchsorted(contexts[low:high], contexts[i])
                if at == high or contexts[at] != contexts[i]:
                    break
                total += np.log(counts[at])
                met += 1
            if met == stop - begin:
                features[end] = contexts[i]
                means[end] = np.exp(total / met)
                end += 1
        borders[t + 1] = end
    return borders, features[:end].copy(), means[:end].copy()


@njit
def _row_sums(
    indptr: Int64Array,
    units: Int64Array,
    row_indptr: Int64Array,
    contexts: Int64Array,
    values: Float64Array,
    width: int,
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """For each text the sum of its units' rows."""
    total = np.zeros(width)
    seen = np.zeros(width, np.bool_)
    found = np.empty(width, np.int64)
    borders = np.zeros(len(indptr), np.int64)
    features = np.empty(1 << 16, np.int64)
    sums = np.empty(1 << 16)
    end = 0
    for t in range(len(indptr) - 1):
        size = 0
        for u in range(indptr[t], indptr[t + 1]):
            for i in range(row_indptr[units[u]], row_indptr[units[u] + 1]):
                if not seen[contexts[i]]:
                    seen[contexts[i]] = True
                    found[size] = contexts[i]
                    size += 1
                total[contexts[i]] += values[i]
        features, sums = grow(features, end + size), grow(sums, end + size)
        features[end : end + size] = np.sort(found[:size])
        for i in range(end, end + size):
            sums[i] = total[features[i]]
            seen[features[i]], total[features[i]] = False, 0.0
        end += size
        borders[t + 1] = end
    return borders, features[:end].copy(), sums[:end].copy()


def row_sums(indptr: Int64Array, units: Int64Array, rows: Vectors, width: int) -> Vectors:
    """For each text the sum of the rows of its units; `units` are numbers of `rows`."""
    return Vectors(*_row_sums(indptr, units, rows.indptr, rows.features, rows.weights, width), rows.space)


def geometric_means(
    indptr: Int64Array, units: Int64Array, rows: Vectors, width: int, smoothing: float = 0.0
) -> Vectors:
    """(product of f_i)^(1/k) over the k units of each text, by context; `units` are numbers of `rows`.

    With smoothing, which is added to every f_i, over all contexts that any of the units meets; without it a
    context that one of them never meets has the mean 0 and is left out.

    >>> rows = Vectors(np.array([0, 1, 2, 3]), np.array([0, 0, 0]), np.array([11.0, 6.0, 4.0]), "counts")
    >>> geometric_means(np.array([0, 3]), np.arange(3), rows, 1).weights.round(5)
    array([6.41507])
    """
    if not smoothing:
        made = _shared_means(indptr, units, rows.indptr, rows.features, rows.weights)
        return Vectors(*made, rows.space)
    # log(f + s) = log s + what f adds, which is 0 where a unit never meets the context. Quotients by a tiny s
    # would be infinite.
    added = np.log(rows.weights + smoothing) - np.log(smoothing)
    sums = row_sums(indptr, units, replace(rows, weights=added), width)
    lengths = np.repeat(np.diff(indptr), np.diff(sums.indptr))
    return replace(sums, weights=np.exp(np.log(smoothing) + sums.weights / lengths))


def chi_square(observed: Float64Array, row: Float64Array, column: Float64Array, total: float) -> Float64Array:
    """The chi-square statistic of a text and a context; below 0 where they meet less often than by chance.

    The contingency table has a geometric mean in its first cell and the sum of a text's means as its margin:

                     context      other contexts     sum
        text         observed     row - observed     row
        other text   the rest     the rest           total - row
        sum          column       total - column     total

    With p = row / total and q = column / total it is (observed - p q total)^2 / (p q (1-p) (1-q) total), in
    which no product of counts can overflow.

    >>> chi_square(np.array([30.0]), np.array([100.0]), np.array([60.0]), 200.0)
    array([0.])
    >>> chi_square(np.array([45.0]), np.array([100.0]), np.array([60.0]), 200.0).round(3)
    array([21.429])
    """
    p, q = row / total, column / total
    difference = observed - p * q * total
    spread = p * q * (1 - p) * (1 - q) * total
    squared = np.divide(difference**2, spread, out=np.zeros_like(spread), where=spread > 0)
    signed: Float64Array = np.sign(difference) * squared
    return signed


def npmi(observed: Float64Array, row: Float64Array, column: Float64Array, total: float) -> Float64Array:
    """Pointwise mutual information over its largest value: 1 when two things only ever come together."""
    whole = np.log(total)
    joint = np.log(observed) - whole
    information = joint + 2 * whole - np.log(row) - np.log(column)
    share: Float64Array = np.divide(information, -joint, out=np.ones_like(joint), where=observed < total)
    return share


def associated(means: Vectors, marginals: Int64Array, total: float, weighting: str) -> Vectors:
    """Means turned into strengths of association; only positive ones are kept."""
    row = np.repeat(means.sums(means.weights), np.diff(means.indptr))
    column = marginals[means.features].astype(np.float64)
    # What is met exactly as often as by chance shall not be told from noise by its last bits.
    more = means.weights * total > row * column * (1 + 1e-9)
    measured = npmi if weighting == "npmi" else chi_square
    met = means.select(more)
    strength = measured(met.weights, row[more], column[more], total)
    positive = replace(met, weights=strength).select(strength > 0)
    return replace(positive, weights=np.sqrt(positive.weights)) if weighting == "root" else positive
