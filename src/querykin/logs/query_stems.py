"""The stems of queries and their idf in a log."""

from collections.abc import Sequence

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array, make_indptr
from querykin.text.analyzer import Analyzer


def distinct_stems(texts: Sequence[str], analyzer: Analyzer) -> tuple[Int64Array, Int64Array]:
    """The hashes of the distinct stems of each text: indptr and hashes, ascending within a text."""
    tokens = analyzer.tokenize(texts)
    owners = np.repeat(np.arange(len(texts)), np.diff(tokens.indptr))
    hashes = analyzer.stem_hashes(tokens)
    rows = np.unique(np.stack([owners, hashes]), axis=1) if len(hashes) else np.zeros((2, 0), np.int64)
    return make_indptr(np.bincount(rows[0], minlength=len(texts))), rows[1]


def stem_idf(frequencies: Int64Array, queries: int) -> Float64Array:
    """log(1 + N / df) of stems; one that no query has counts as one of a single query."""
    return np.log1p(queries / np.maximum(frequencies, 1))
