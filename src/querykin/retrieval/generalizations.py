"""Candidates that are a part of the query: "seattle" for "seattle mariners"."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.corpus.corpus import Corpus
from querykin.search.query_parser import parse_queries, query_terms


def idf_lost(query: str, candidates: Sequence[str], corpus: Corpus) -> Float64Array:
    """The share of the query's idf mass that each candidate drops if it consists of words of the query only.

    0 for a candidate with another word, and for one that has all the stems of the query.
    """
    stems, idf = parse_queries([query], corpus).terms(0)
    mass = dict(zip(stems.tolist(), idf.tolist(), strict=True))
    total = max(float(idf.sum()), 1e-12)
    tokens = corpus.analyzer.tokenize(candidates)
    terms = query_terms(tokens, corpus).tolist()
    lost = np.zeros(len(candidates))
    for number, (begin, end) in enumerate(pairwise(tokens.indptr.tolist())):
        kept = set(terms[begin:end])
        if kept and kept < mass.keys():
            lost[number] = 1 - sum(mass[stem] for stem in kept) / total
    return lost
