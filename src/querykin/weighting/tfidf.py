"""TF-IDF over expansions: a centroid of the results, or one pseudo-document of all of them."""

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt32Array, grow
from querykin.compute.jit import njit
from querykin.compute.threads import zeroed_scratch
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors


@njit
def _add_document(
    tokens: UInt32Array,
    feature_of: Int32Array,
    idf: Float64Array,
    heaviest: int,
    log_tf: bool,
    share: float,
    tf: Int32Array,
    found: Int64Array,
    total: Float64Array,
    touched: Int64Array,
    size: int,
) -> int:
    """Add the unit TF-IDF vector of one document, times `share`, to `total`; returns the new size.

    `touched[:size]` lists the features of `total`; `tf` and `found` are scratch, `tf` all 0.
    """
    count = 0
    for i in range(len(tokens)):
        feature = feature_of[tokens[i] >> 2]
        if tf[feature] == 0:
            found[count] = feature
            count += 1
        tf[feature] += 1
    weights = np.empty(count)
    for i in range(count):
        frequency = tf[found[i]]
        weights[i] = (1 + np.log(frequency) if log_tf else frequency) * idf[found[i]]
        tf[found[i]] = 0
    if count > heaviest:
        count = _select(found[:count], weights, heaviest)
    norm = np.sqrt((weights[:count] ** 2).sum())
    if norm == 0:
        return size
    for i in range(count):
        added = share * weights[i] / norm
        if added > 0:
            if total[found[i]] == 0:
                touched[size] = found[i]
                size += 1
            total[found[i]] += added
    return size


@njit
def _select(features: Int64Array, weights: Float64Array, count: int) -> int:
    """Move the heaviest entries to the front, of equal ones the lowest features; returns how many."""
    bar = np.partition(weights, len(weights) - count)[len(weights) - count]
    room = count - (weights > bar).sum()
    last = np.sort(features[weights == bar])[room - 1]
    kept = 0
    for i in range(len(features)):
        if weights[i] > bar or (weights[i] == bar and features[i] <= last):
            features[kept], weights[kept] = features[i], weights[i]
            kept += 1
    return kept


@njit
def _centroids(
    indptr: Int64Array,
    windows: Int64Array,
    tokens: UInt32Array,
    used: BoolArray,
    shares: Float64Array,
    feature_of: Int32Array,
    idf: Float64Array,
    heaviest: int,
    log_tf: bool,
    tf: Int32Array,
    total: Float64Array,
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """`tf` and `total` are all 0 before and after."""
    width = len(idf)
    found = np.empty(width, np.int64)
    touched = np.empty(width, np.int64)
    borders = np.zeros(len(indptr), np.int64)
    features = np.empty(1 << 16, np.int64)
    weights = np.empty(1 << 16)
    end = 0
    for t in range(len(indptr) - 1):
        size = 0
        if used[t]:
            for r in range(indptr[t], indptr[t + 1]):
                size = _add_document(
                    tokens[windows[r] : windows[r + 1]],
                    feature_of,
                    idf,
                    heaviest,
                    log_tf,
                    shares[r],
                    tf,
                    found,
                    total,
                    touched,
                    size,
                )
        features, weights = grow(features, end + size), grow(weights, end + size)
        features[end : end + size] = np.sort(touched[:size])
        for i in range(end, end + size):
            weights[i] = total[features[i]]
            total[features[i]] = 0
        end += size
        borders[t + 1] = end
    return borders, features[:end].copy(), weights[:end].copy()


def centroid(
    expansions: Expansions,
    shares: Float64Array,
    feature_of: Int32Array,
    idf: Float64Array,
    heaviest: int,
    log_tf: bool,
    space: str,
) -> Vectors:
    """The unit mean of the results' unit TF-IDF vectors (Sahami & Heilman 2006, steps 2 to 5).

    Each result keeps its `heaviest` terms and counts `shares[r]`; `feature_of` turns words into features.
    """
    with zeroed_scratch(np.int32, len(idf)) as tf, zeroed_scratch(np.float64, len(idf)) as total:
        rows = _centroids(
            expansions.indptr,
            expansions.windows,
            expansions.tokens,
            expansions.covered,
            shares,
            feature_of,
            idf,
            heaviest,
            log_tf,
            tf,
            total,
        )
    return Vectors(*rows, space).unit()


def pseudo_document(expansions: Expansions, feature_of: Int32Array, idf: Float64Array, space: str) -> Vectors:
    """The unit TF-IDF vector of all results taken as one text (Yih 2009)."""
    borders = expansions.windows[expansions.indptr]
    one = np.arange(len(borders))
    with zeroed_scratch(np.int32, len(idf)) as tf, zeroed_scratch(np.float64, len(idf)) as total:
        rows = _centroids(
            one,
            borders,
            expansions.tokens,
            expansions.covered,
            np.ones(len(borders)),
            feature_of,
            idf,
            len(idf),
            False,
            tf,
            total,
        )
    return Vectors(*rows, space).unit()
