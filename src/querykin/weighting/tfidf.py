"""TF-IDF vectors of expansions: the centroid of the results, or all results as one pseudo-document."""

from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt32Array
from querykin.compute.jit import njit, njit_inlined
from querykin.compute.sorting import kth_largest, sort_in_place
from querykin.compute.threads import zeroed_scratch
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors


class ResultTokens(NamedTuple):
    """Text t has results indptr[t] to indptr[t + 1]; result r has tokens windows[r] to windows[r + 1]."""

    indptr: Int64Array
    windows: Int64Array
    tokens: UInt32Array
    covered: BoolArray  # of each text
    shares: Float64Array  # the weight of each result


class TfIdf(NamedTuple):
    """How terms are weighted: tf idf, or (1 + log tf) idf."""

    feature_of: Int32Array  # of each word: the word itself, or its stem
    idf: Float64Array  # of each feature
    max_terms: int  # that a document keeps, the heaviest
    log_tf: bool


class Accumulator(NamedTuple):
    """Scratch arrays over all features; `tf` and `total` are all 0 before and after."""

    tf: Int32Array
    total: Float64Array
    terms: Int64Array  # the distinct features of a document
    touched: Int64Array  # the features that are not 0 in `total`


@njit_inlined
def _add_document(tokens: UInt32Array, share: float, weighting: TfIdf, into: Accumulator, size: int) -> int:
    """Add the unit TF-IDF vector of a document, times `share`, to `into.total`.

    `size` is the number of features touched so far; returns the new number.
    """
    count, feature_of, idf = 0, weighting.feature_of, weighting.idf
    tf, total, terms, touched = into.tf, into.total, into.terms, into.touched
    for i in range(len(tokens)):
        feature = feature_of[tokens[i] >> 2]
        terms[count] = feature  # without a branch, which would be mispredicted for every other token
        count += tf[feature] == 0
        tf[feature] += 1
    weights = np.empty(count)
    for i in range(count):
        frequency = tf[terms[i]]
        weights[i] = (1 + np.log(frequency) if weighting.log_tf else frequency) * idf[terms[i]]
        tf[terms[i]] = 0
    if count > weighting.max_terms:
        count = _keep_heaviest(terms[:count], weights, weighting.max_terms)
    norm = 0.0
    for i in range(count):
        norm += weights[i] * weights[i]
    norm = np.sqrt(norm)
    if norm == 0:
        return size
    for i in range(count):
        added = share * weights[i] / norm
        if added > 0:
            if total[terms[i]] == 0:
                touched[size] = terms[i]
                size += 1
            total[terms[i]] += added
    return size


@njit_inlined
def _keep_heaviest(features: Int64Array, weights: Float64Array, count: int) -> int:
    """Move the heaviest entries to the front, ties by the smaller feature; returns how many."""
    lowest = kth_largest(weights, count)
    tied, ties, above = np.empty(len(weights), np.int64), 0, 0
    for i in range(len(weights)):
        if weights[i] > lowest:
            above += 1
        elif weights[i] == lowest:
            tied[ties] = features[i]
            ties += 1
    sort_in_place(tied[:ties])
    last, kept = tied[count - above - 1], 0
    for i in range(len(features)):
        if weights[i] > lowest or (weights[i] == lowest and features[i] <= last):
            features[kept], weights[kept] = features[i], weights[i]
            kept += 1
    return kept


@njit
def _centroids(
    results: ResultTokens, weighting: TfIdf, tf: Int32Array, total: Float64Array
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """`tf` and `total` are all 0 before and after."""
    tokens, windows, shares = results.tokens, results.windows, results.shares
    room = len(tokens) + 1
    into = Accumulator(tf, total, np.empty(room, np.int64), np.empty(room, np.int64))
    indptr = np.zeros(len(results.indptr), np.int64)
    features, weights, end = np.empty(room, np.int64), np.empty(room), 0  # only what is used takes memory
    for t in range(len(indptr) - 1):
        size = int(np.int64(0))
        if results.covered[t]:
            for r in range(results.indptr[t], results.indptr[t + 1]):
                document = tokens[windows[r] : windows[r + 1]]
                size = _add_document(document, shares[r], weighting, into, size)
        touched = into.touched[:size]
        sort_in_place(touched)
        for i in range(size):
            features[end + i], weights[end + i] = touched[i], total[touched[i]]
            total[touched[i]] = 0
        end += size
        indptr[t + 1] = end
    return indptr, features[:end], weights[:end]


def centroid(
    expansions: Expansions,
    shares: Float64Array,
    feature_of: Int32Array,
    idf: Float64Array,
    max_terms: int,
    log_tf: bool,
    space: str,
) -> Vectors:
    """The unit mean of the results' unit TF-IDF vectors (Sahami & Heilman 2006, steps 2 to 5).

    Each result keeps its `max_terms` heaviest terms and has the weight `shares[r]`; `feature_of` has the
    feature of each word.
    """
    results = ResultTokens(
        expansions.indptr, expansions.windows, expansions.tokens, expansions.covered, shares
    )
    return _unit_centroids(results, TfIdf(feature_of, idf, max_terms, log_tf), space)


def pseudo_document(expansions: Expansions, feature_of: Int32Array, idf: Float64Array, space: str) -> Vectors:
    """The unit TF-IDF vector of all results as one document (Yih 2009)."""
    token_indptr = expansions.windows[expansions.indptr]
    one_each, shares = np.arange(len(token_indptr)), np.ones(len(token_indptr))
    results = ResultTokens(one_each, token_indptr, expansions.tokens, expansions.covered, shares)
    return _unit_centroids(results, TfIdf(feature_of, idf, len(idf), False), space)


def _unit_centroids(results: ResultTokens, weighting: TfIdf, space: str) -> Vectors:
    width = len(weighting.idf)
    with zeroed_scratch(np.int32, width) as tf, zeroed_scratch(np.float64, width) as total:
        rows = _centroids(results, weighting, tf, total)
    return Vectors(*rows, space).unit()
