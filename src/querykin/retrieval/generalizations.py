"""Candidates that are a part of the query: "seattle" for "seattle mariners"."""

from collections.abc import Sequence

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.corpus.corpus import Corpus
from querykin.search.query_parser import parse_queries


def idf_lost(query: str, candidates: Sequence[str], corpus: Corpus) -> Float64Array:
    """The share of the query's idf mass that each candidate drops if it consists of words of the query only.

    0 for a candidate with another word, and for one that has all the stems of the query.
    """
    parsed = parse_queries([query, *candidates], corpus)
    stems, idf = parsed.terms(0)
    mass = dict(zip(stems.tolist(), idf.tolist(), strict=True))
    total = max(float(idf.sum()), 1e-12)
    lost = np.zeros(len(candidates))
    for number in range(len(candidates)):
        kept = parsed.terms(number + 1)[0].tolist()
        if kept and all(stem in mass for stem in kept):
            lost[number] = 1 - sum(mass[stem] for stem in kept) / total
    return lost
