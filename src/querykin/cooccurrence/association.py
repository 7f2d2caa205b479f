"""Association of texts with contexts: chi-square and normalized PMI over geometric means of counts.

The co-occurrence counts of a text's units (words or phrases) are combined by their geometric mean (Alfonseca,
Hall & Hartmann 2009) and compared with what chance predicts (NPMI: Bouma 2009).
"""

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, grow
from querykin.compute.jit import njit
from querykin.compute.sorting import first_at_least, sort_in_place
from querykin.vectors import Vectors

Weighting = Literal["chi-square", "root", "npmi"]
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)


@njit
def _shared_means(
    indptr: Int64Array, units: Int64Array, row_indptr: Int64Array, contexts: Int64Array, counts: Float64Array
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """The geometric mean of the counts of each text's units, over the contexts that all of them have."""
    out_indptr = np.zeros(len(indptr), np.int64)
    features = np.empty(1 << 12, np.int64)
    means = np.empty(1 << 12)
    end = 0
    for t in range(len(indptr) - 1):
        begin, stop = indptr[t], indptr[t + 1]
        if begin == stop:
            out_indptr[t + 1] = end
            continue
        shortest = units[begin]
        for u in range(begin + 1, stop):
            size = row_indptr[units[u] + 1] - row_indptr[units[u]]
            if size < row_indptr[shortest + 1] - row_indptr[shortest]:
                shortest = units[u]
        size = row_indptr[shortest + 1] - row_indptr[shortest]
        features, means = grow(features, end + size), grow(means, end + size)
        for i in range(row_indptr[shortest], row_indptr[shortest + 1]):
            log_sum, count = 0.0, 0
            for u in range(begin, stop):
                low, high = row_indptr[units[u]], row_indptr[units[u] + 1]
                at = low + first_at_least(contexts[low:high], contexts[i])
                if at == high or contexts[at] != contexts[i]:
                    break
                log_sum += np.log(counts[at])
                count += 1
            if count == stop - begin:
                features[end] = contexts[i]
                means[end] = np.exp(log_sum / count)
                end += 1
        out_indptr[t + 1] = end
    return out_indptr, features[:end], means[:end]


@njit
def _row_sums(
    indptr: Int64Array,
    units: Int64Array,
    row_indptr: Int64Array,
    contexts: Int64Array,
    values: Float64Array,
    width: int,
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """The sum of the rows of each text's units."""
    total = np.zeros(width)
    seen = np.zeros(width, np.bool_)
    touched = np.empty(width, np.int64)
    out_indptr = np.zeros(len(indptr), np.int64)
    features = np.empty(1 << 12, np.int64)
    sums = np.empty(1 << 12)
    end = 0
    for t in range(len(indptr) - 1):
        size = int(np.int64(0))
        for u in range(indptr[t], indptr[t + 1]):
            for i in range(row_indptr[units[u]], row_indptr[units[u] + 1]):
                if not seen[contexts[i]]:
                    seen[contexts[i]] = True
                    touched[size] = contexts[i]
                    size += 1
                total[contexts[i]] += values[i]
        features, sums = grow(features, end + size), grow(sums, end + size)
        own = touched[:size]
        sort_in_place(own)
        for i in range(size):
            features[end + i], sums[end + i] = own[i], total[own[i]]
            seen[own[i]], total[own[i]] = False, 0.0
        end += size
        out_indptr[t + 1] = end
    return out_indptr, features[:end], sums[:end]


def row_sums(indptr: Int64Array, units: Int64Array, rows: Vectors, width: int) -> Vectors:
    """The sum of the rows of each text's units; `units` are row numbers of `rows`."""
    return Vectors(*_row_sums(indptr, units, rows.indptr, rows.features, rows.weights, width), rows.space)


def geometric_means(
    indptr: Int64Array, units: Int64Array, rows: Vectors, width: int, smoothing: float = 0.0
) -> Vectors:
    """(product of f_i)^(1/k) over the k units of each text, by context; `units` are row numbers of `rows`.

    Smoothing is added to every f_i, over all contexts of any of the units. Without it the mean is 0 for a
    context that one of them lacks, and the context is left out.

    >>> rows = Vectors(np.array([0, 1, 2, 3]), np.array([0, 0, 0]), np.array([11.0, 6.0, 4.0]), "counts")
    >>> geometric_means(np.array([0, 3]), np.arange(3), rows, 1).weights.round(5)
    array([6.41507])
    """
    if not smoothing:
        means = _shared_means(indptr, units, rows.indptr, rows.features, rows.weights)
        return Vectors(*means, rows.space)
    # log(f + s) is log s plus a term that is 0 where f is; a quotient by a tiny s would be infinite.
    added = np.log(rows.weights + smoothing) - np.log(smoothing)
    sums = row_sums(indptr, units, replace(rows, weights=added), width)
    lengths = np.repeat(np.diff(indptr), np.diff(sums.indptr))
    return replace(sums, weights=np.exp(np.log(smoothing) + sums.weights / lengths))


def chi_square(observed: Float64Array, row: Float64Array, column: Float64Array, total: float) -> Float64Array:
    """The chi-square statistic of a text and a context; negative where they co-occur less than by chance.

    The contingency table has a geometric mean in its first cell; the sum of a text's means is its marginal:

                     context      other contexts     sum
        text         observed     row - observed     row
        other text   the rest     the rest           total - row
        sum          column       total - column     total

    With p = row / total and q = column / total it is (observed - p q total)^2 / (p q (1-p) (1-q) total): no
    product of counts can overflow.

    >>> chi_square(np.array([30.0]), np.array([100.0]), np.array([60.0]), 200.0)
    array([0.])
    >>> chi_square(np.array([45.0]), np.array([100.0]), np.array([60.0]), 200.0).round(3)
    array([21.429])
    """
    p, q = row / total, column / total
    difference = observed - p * q * total
    variance = p * q * (1 - p) * (1 - q) * total
    squared = np.divide(difference**2, variance, out=np.zeros_like(variance), where=variance > 0)
    signed: Float64Array = np.sign(difference) * squared
    return signed


def npmi(observed: Float64Array, row: Float64Array, column: Float64Array, total: float) -> Float64Array:
    """Normalized pointwise mutual information: 1 where the two only occur together, 0 by chance."""
    log_total = np.log(total)
    log_joint = np.log(observed) - log_total
    pmi = log_joint + 2 * log_total - np.log(row) - np.log(column)
    normalized: Float64Array = np.divide(pmi, -log_joint, out=np.ones_like(pmi), where=observed < total)
    return normalized


def associated(means: Vectors, marginals: Int64Array, total: float, weighting: str) -> Vectors:
    """Association weights of means; only positive ones are kept."""
    row = np.repeat(means.sums(means.weights), np.diff(means.indptr))
    column = marginals[means.features].astype(np.float64)
    # The tolerance drops contexts that occur exactly as often as by chance, whatever their last bits.
    above = means.weights * total > row * column * (1 + 1e-9)
    association = npmi if weighting == "npmi" else chi_square
    selected = means.select(above)
    weights = association(selected.weights, row[above], column[above], total)
    positive = replace(selected, weights=weights).select(weights > 0)
    return replace(positive, weights=np.sqrt(positive.weights)) if weighting == "root" else positive
