"""The best weighted sums of two lists of scores by the threshold algorithm (Fagin, Lotem & Naor 2001, 2003).

The first score of every candidate is known. The second is known by sorted access, the best candidates with
their scores, and by random access, the scores of candidates given. No candidate further down a sorted list
can have more than the last score seen; so one that with this much in addition would not reach the k-th best
sum need not be looked up.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.jit import njit

_DEPTH = 128  # of the first sorted access, at least
_DEEPER = 4  # times, while too many candidates could still be among the best
_LOOKUPS = 8  # random accesses that cost less than sorted access to the next depth, as a multiple of it
_SLACK = 1e-9  # sums of the same numbers in another order
_STEP = 64  # candidates compared at once

# Candidates with a positive second score, best first: so many, or fewer if there are no more.
SortedAccess = Callable[[int], tuple[Int64Array, Float64Array]]
RandomAccess = Callable[[Int64Array], Float64Array]


class MeanWeights(NamedTuple):
    """What the second score of a pair counts: the mean of the weights of the query and the candidate."""

    query: float
    candidates: Float64Array

    def at(self, positions: Int64Array) -> Float64Array:
        """The factors of some candidates."""
        factors: Float64Array = (self.query + self.candidates[positions]) / 2
        return factors


@njit
def _reaching(first: Float64Array, factors: MeanWeights, bound: float, threshold: float) -> Int64Array:
    """The positions of candidates whose sum may reach the threshold when the second score is the bound."""
    found, count, weights, query = np.empty(len(first), np.int64), 0, factors.candidates, factors.query
    for begin in range(0, len(first), _STEP):
        end, reaching = min(begin + _STEP, len(first)), 0
        for i in range(begin, end):
            reaching += first[i] + (query + weights[i]) / 2 * bound >= threshold
        if not reaching:
            continue
        for i in range(begin, end):
            if first[i] + (query + weights[i]) / 2 * bound >= threshold and first[i] > -np.inf:
                found[count] = i  # the threshold may be -inf
                count += 1
    return found[:count]


def top_sums(
    candidates: Int64Array,
    first: Float64Array,
    factors: MeanWeights,
    sorted_access: SortedAccess,
    random_access: RandomAccess,
    k: int,
    min_sum: float = -np.inf,
) -> tuple[Int64Array, Float64Array]:
    """The k candidates with the best sums first + factor * second of at least `min_sum`, in no order.

    Those that tie with the last are among them. `candidates` are in ascending order, and `first` is -inf for
    those that may not be returned; sorted access may give others. Second scores and factors are never
    negative.
    """
    depth, threshold = max(_DEPTH, 2 * k), min_sum
    while True:
        found, second = sorted_access(depth)
        bound = float(second[-1]) if len(found) == depth else 0.0  # of the second score of all others
        found, second = _located(found, second, candidates)
        known = first[found] + factors.at(found) * second
        threshold = max(threshold, _kth_best(known, k) - _SLACK)
        others = _reaching(first, factors, bound, threshold)
        others = others[~np.isin(others, found)]
        if len(others) > depth and bound:  # the most promising ones raise the threshold for the rest
            order = np.argpartition(-first[others], depth)
            best, others = others[order[:depth]], others[order[depth:]]
            sums = first[best] + factors.at(best) * random_access(candidates[best])
            found, known = np.append(found, best), np.append(known, sums)
            threshold = max(threshold, _kth_best(known, k) - _SLACK)
            others = others[first[others] + factors.at(others) * bound >= threshold]
        if not bound or len(others) <= _LOOKUPS * depth:
            break
        depth *= _DEEPER
    rest = first[others] + factors.at(others) * random_access(candidates[others]) if bound else first[others]
    found, known = np.append(found, others), np.append(known, rest)
    enough = (known >= max(min_sum, _kth_best(known, k))) & (known > -np.inf)
    return candidates[found[enough]], known[enough]


def _located(
    found: Int64Array, second: Float64Array, candidates: Int64Array
) -> tuple[Int64Array, Float64Array]:
    """The places of those that are candidates, and their second scores."""
    if not len(candidates):
        return found[:0], second[:0]
    places = np.minimum(np.searchsorted(candidates, found), len(candidates) - 1)
    inside = candidates[places] == found
    return places[inside], second[inside]


def _kth_best(sums: Float64Array, k: int) -> float:
    return float(np.partition(sums, len(sums) - k)[len(sums) - k]) if len(sums) >= k else -np.inf
