"""BM25 of tantivy over bodies and titles, for all documents: the reference for `search.first_stage`."""

from collections.abc import Collection, Sequence

import numpy as np

F = np.float32
K1, B = F(1.2), F(0.75)


def coarse(length: int) -> int:
    """The length that is left of one in a byte: the largest of Lucene's 256 lengths that is not larger."""
    lengths = [*range(24), *(24 + step for step in range(8))]
    scale = 1
    while len(lengths) < 256:
        lengths += [24 + bits * scale for bits in range(8, 16)]
        scale *= 2
    return max(each for each in lengths if each <= length)


def first_stage(
    fields: Sequence[Sequence[Sequence[int]]], query: Collection[int], live: Collection[int], depth: int
) -> list[int]:
    """The best documents, ascending; a field has the stems of each document."""
    scores = [0.0] * len(fields[0])
    for documents in fields:
        mean = F(sum(map(len, documents))) / F(len(documents))
        for stem in query:
            df = sum(stem in document for document in documents)
            idf = np.log(F(1) + (F(len(documents) - df) + F(0.5)) / (F(df) + F(0.5)))
            for number, document in enumerate(documents):
                if tf := document.count(stem):
                    norm = K1 * (F(1) - B + B * F(coarse(len(document))) / mean)
                    scores[number] += float(idf * (K1 + F(1)) * (F(tf) / (F(tf) + norm)))
    found = [number for number in live if scores[number] > 0]
    return sorted(sorted(found, key=lambda number: (-scores[number], number))[:depth])
