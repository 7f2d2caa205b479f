"""How often does each word come in an expansion? The counts behind language models."""

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array, UInt32Array, grow
from querykin.compute.jit import njit
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors


@njit
def _frequencies(
    borders: Int64Array, tokens: UInt32Array, used: BoolArray, width: int
) -> tuple[Int64Array, Int64Array, Float64Array]:
    tf = np.zeros(width, np.int32)
    found = np.empty(width, np.int64)
    indptr = np.zeros(len(borders), np.int64)
    features = np.empty(1 << 16, np.int64)
    counts = np.empty(1 << 16)
    end = 0
    for t in range(len(borders) - 1):
        size = 0
        if used[t]:
            for i in range(borders[t], borders[t + 1]):
                word = tokens[i] >> 2
                if tf[word] == 0:
                    found[size] = word
                    size += 1
                tf[word] += 1
        features, counts = grow(features, end + size), grow(counts, end + size)
        features[end : end + size] = np.sort(found[:size])
        for i in range(end, end + size):
            counts[i] = tf[features[i]]
            tf[features[i]] = 0
        end += size
        indptr[t + 1] = end
    return indptr, features[:end].copy(), counts[:end].copy()


def frequencies(expansions: Expansions, vocabulary: int, space: str) -> Vectors:
    """For each text how often every word comes in all its results together."""
    borders = expansions.windows[expansions.indptr]
    return Vectors(*_frequencies(borders, expansions.tokens, expansions.covered, vocabulary), space)
