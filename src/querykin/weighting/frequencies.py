"""How often does each word come in an expansion? The counts behind language models."""

import numpy as np

from querykin.compiled import Bools, Longs, Points, Reals, compiled, roomy
from querykin.expansion import Expansions
from querykin.vectors import Vectors


@compiled
def _frequencies(borders: Longs, tokens: Points, used: Bools, width: int) -> tuple[Longs, Longs, Reals]:
    tf = np.zeros(width, np.int32)
    found = np.empty(width, np.int64)
    first = np.zeros(len(borders), np.int64)
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
        features, counts = roomy(features, end + size), roomy(counts, end + size)
        features[end : end + size] = np.sort(found[:size])
        for i in range(end, end + size):
            counts[i] = tf[features[i]]
            tf[features[i]] = 0
        end += size
        first[t + 1] = end
    return first, features[:end].copy(), counts[:end].copy()


def frequencies(expansions: Expansions, vocabulary: int, space: str) -> Vectors:
    """For each text how often every word comes in all its results together."""
    borders = expansions.windows[expansions.first]
    return Vectors(*_frequencies(borders, expansions.tokens, expansions.covered, vocabulary), space)
