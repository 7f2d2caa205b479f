"""Term frequencies of expansions: the counts behind language models."""

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, UInt32Array
from querykin.compute.jit import njit
from querykin.compute.sorting import sort_in_place
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors


@njit
def _frequencies(
    token_indptr: Int64Array, tokens: UInt32Array, covered: BoolArray, width: int
) -> tuple[Int64Array, Int64Array, Float64Array]:
    tf = np.zeros(width, np.int32)
    touched = np.empty(width, np.int64)
    indptr = np.zeros(len(token_indptr), np.int64)
    features, counts = np.empty(len(tokens), np.int64), np.empty(len(tokens))
    end = 0  # only what is used of these arrays takes memory
    for t in range(len(token_indptr) - 1):
        size = int(np.int64(0))
        if covered[t]:
            for i in range(token_indptr[t], token_indptr[t + 1]):
                word = tokens[i] >> 2
                if tf[word] == 0:
                    touched[size] = word
                    size += 1
                tf[word] += 1
        own = touched[:size]
        sort_in_place(own)
        for i in range(size):
            features[end + i], counts[end + i] = own[i], tf[own[i]]
            tf[own[i]] = 0
        end += size
        indptr[t + 1] = end
    return indptr, features[:end], counts[:end]


def frequencies(expansions: Expansions, vocabulary: int, space: str) -> Vectors:
    """The frequency of every word in all results of each text together; `vocabulary` is its size."""
    token_indptr = expansions.windows[expansions.indptr]
    return Vectors(*_frequencies(token_indptr, expansions.tokens, expansions.covered, vocabulary), space)
