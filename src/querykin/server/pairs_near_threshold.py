"""Pairs of keywords just above and just below a threshold, to be judged: they tell where it belongs."""

from collections.abc import Collection
from random import Random

import numpy as np

from querykin.clustering.keyword_clusters import ClustersAt, KeywordClusters
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.server.judged_pairs_above import TextPair
from querykin.server.judgement_records import Item, Proposal

PAIRS = 20


def items_near(
    keywords: KeywordClusters, clusters: ClustersAt, threshold: float, judged: Collection[TextPair], seed: str
) -> list[Item]:
    """Pairs that are not judged yet, half of them from each side of the threshold, in random order.

    Above it are members with their heads, below it keywords alone with their nearest neighbors.
    """
    heads, scores = clusters.assignment
    members = np.flatnonzero((heads != np.arange(len(heads))) & (scores >= threshold))
    best, indptr = keywords.best_scores(), keywords.graph.indptr
    alone = np.flatnonzero((np.bincount(heads, minlength=len(heads)) == 1) & (best < threshold))
    nearest = keywords.graph.neighbors[indptr[alone]]
    above = _nearest(keywords, heads[members], members, scores[members] - threshold, judged)
    below = _nearest(keywords, nearest, alone, threshold - best[alone], judged)
    half = max(PAIRS // 2, PAIRS - len(below))
    chosen = [(pair, threshold + distance) for pair, distance in above[:half]]
    chosen += [(pair, threshold - distance) for pair, distance in below[: PAIRS - len(chosen)]]
    Random(seed).shuffle(chosen)
    return [
        Item(place, *pair, (Proposal(keywords.measure.name, 1, round(score, 9)),))
        for place, (pair, score) in enumerate(chosen, start=1)
    ]


def _nearest(
    keywords: KeywordClusters,
    queries: Int64Array,
    candidates: Int64Array,
    distances: Float64Array,
    judged: Collection[TextPair],
) -> list[tuple[TextPair, float]]:
    """The pairs at the smallest distances that are not judged, each once; ties by the candidate's text."""
    found: dict[frozenset[str], tuple[TextPair, float]] = {}
    for each in np.lexsort((keywords.graph.text_ranks[candidates], distances)):
        pair = keywords.text(int(queries[each])), keywords.text(int(candidates[each]))
        if pair not in judged and pair[::-1] not in judged:
            found.setdefault(frozenset(pair), (pair, float(distances[each])))
        if len(found) == PAIRS:
            break
    return list(found.values())
