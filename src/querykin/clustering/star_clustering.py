"""Star clustering (Aslam, Pelekhov & Rus 2004): every keyword joins a head it is directly similar to.

The keywords are vertices, joined where one scores at least the threshold against another. The most central
vertex becomes the head of a star, and its neighbors need no head of their own; then the next vertex that is
not yet covered, until all are. Unlike single link there are no chains: every member has an edge to its head.
Where several heads are within reach, a keyword joins the one with the highest score.

The paper takes the degree for centrality. Here every neighbor weighs as much as its score is above the
threshold: neighbors that barely reach it say little about what a vertex is central to.
"""

import numpy as np

from querykin.clustering.clusters import Assignment
from querykin.clustering.neighbor_graph import NeighborGraph
from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.compute.jit import njit

DECIMALS = 3  # of a weighted degree: two keywords may score a little less one way than the other


def star_clustering(
    graph: NeighborGraph, threshold: float, counts: Int64Array, excluded: BoolArray | None = None
) -> Assignment:
    """Assign every keyword to a head that it scores at least `threshold` against, or to itself.

    Vertices are visited by weighted degree, among equals by degree, count, then text. An excluded keyword is
    left alone.
    """
    excluded = np.zeros(len(graph), np.bool_) if excluded is None else excluded
    edges = graph.indptr, graph.neighbors, graph.scores, threshold, excluded
    degrees, weighted = _degrees(*edges)
    order = np.lexsort((graph.text_ranks, -counts, -degrees, -weighted.round(DECIMALS)))
    return Assignment(*_assign(*edges, order.astype(np.int64)))


@njit
def _degrees(
    indptr: Int64Array,
    neighbors: Int64Array,
    scores: Float64Array,
    threshold: float,
    excluded: BoolArray,
) -> tuple[Int64Array, Float64Array]:
    """How many vertices score at least `threshold` against each, and the sum of what they score above it."""
    degrees, weighted = np.zeros(len(excluded), np.int64), np.zeros(len(excluded))
    for vertex in range(len(excluded)):
        if not excluded[vertex]:
            for edge in range(indptr[vertex], indptr[vertex + 1]):
                if scores[edge] < threshold:
                    break
                degrees[neighbors[edge]] += 1
                weighted[neighbors[edge]] += scores[edge] - threshold
    return degrees, weighted


@njit
def _assign(
    indptr: Int64Array,
    neighbors: Int64Array,
    neighbor_scores: Float64Array,
    threshold: float,
    excluded: BoolArray,
    order: Int64Array,
) -> tuple[Int64Array, Float64Array]:
    """The head of each vertex, and the score against it.

    A vertex is covered if a neighbor that comes before it in the order is a head.
    """
    heads = np.full(len(order), -1, np.int64)
    scores = np.full(len(order), np.nan)
    for vertex in order:
        covered = False
        if not excluded[vertex]:
            for edge in range(indptr[vertex], indptr[vertex + 1]):
                neighbor = neighbors[edge]
                if neighbor_scores[edge] < threshold:
                    break
                if heads[neighbor] == neighbor and not excluded[neighbor]:
                    covered = True
                    break
        if not covered:
            heads[vertex] = vertex
    for vertex in range(len(order)):
        if heads[vertex] < 0:
            for edge in range(indptr[vertex], indptr[vertex + 1]):
                neighbor = neighbors[edge]
                if heads[neighbor] == neighbor and not excluded[neighbor]:
                    heads[vertex] = neighbor
                    scores[vertex] = neighbor_scores[edge]
                    break
    return heads, scores
