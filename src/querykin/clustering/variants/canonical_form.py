"""Which of several variants is proposed as the canonical form."""

from collections.abc import Container, Sequence

import numpy as np

from querykin.clustering.variants.listed_words import ListedWords
from querykin.compute.arrays import Int64Array


def by_preference(
    numbers: Sequence[int],
    queries: Sequence[str],
    counts: Sequence[int],
    listed: ListedWords,
    misspelt: Container[int],
) -> Int64Array:
    """Some queries of a list by number, those that make better canonical forms first.

    The one asked most often is preferred; then the one with fewer misspelt words, with fewer unknown words,
    the shorter one, and the one that is listed first.
    """
    words = [listed.of(number) for number in numbers]
    order = np.lexsort(
        (
            numbers,
            [len(queries[number]) for number in numbers],
            [sum(not listed.is_known[word] for word in each) for each in words],
            [sum(word in misspelt for word in each) for each in words],
            [-counts[number] for number in numbers],
        )
    )
    return np.array(numbers, np.int64)[order]
