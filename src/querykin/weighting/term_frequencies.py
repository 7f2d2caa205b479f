"""Term frequencies of expansions: the counts behind language models."""

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, UInt32Array, grow
from querykin.compute.jit import njit
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors


@njit
def _frequencies(
    token_indptr: Int64Array, tokens: UInt32Array, covered: BoolArray, width: int
) -> tuple[Int64Array, Int64Array, Float64Array]:
    tf = np.zeros(width, np.int32)
    touched = np.empty(width, np.int64)
    indptr = np.zeros(len(token_indptr), np.int64)
    features = np.empty(1 << 16, np.int64)
    counts = np.empty(1 << 16)
    end = 0
    for t in range(len(token_indptr) - 1):
        size = 0
        if covered[t]:
            for i in range(token_indptr[t], token_indptr[t + 1]):
                word = tokens[i] >> 2
                if tf[word] == 0:
                    touched[size] = word
                    size += 1
                tf[word] += 1
        features, counts = grow(features, end + size), grow(counts, end + size)
        features[end : end + size] = np.sort(touched[:size])
        for i in range(end, end + size):
            counts[i] = tf[features[i]]
            tf[features[i]] = 0
        end += size
        indptr[t + 1] = end
    return indptr, features[:end].copy(), counts[:end].copy()


def frequencies(expansions: Expansions, vocabulary: int, space: str) -> Vectors:
    """The frequency of every word in all results of each text together; `vocabulary` is its size."""
    token_indptr = expansions.windows[expansions.indptr]
    return Vectors(*_frequencies(token_indptr, expansions.tokens, expansions.covered, vocabulary), space)
