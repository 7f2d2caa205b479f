"""Methods that group keywords: `querykin cluster` by several measures, and what people use otherwise.

Every method has one number to be chosen, such as a threshold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import HDBSCAN
from sklearn.feature_extraction.text import CountVectorizer

from querykin.clustering.neighbor_graph import NeighborGraph
from querykin.clustering.star_clustering import star_clustering
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.text.tokenizer import words
from reproduce.cluster_sets import LOWEST_SCORE, Half

THRESHOLDS = tuple(np.arange(LOWEST_SCORE, 0.96, 0.025).round(3).tolist())
MIN_CLUSTER_SIZES = (2, 3, 5, 10, 15, 20, 30)
Link = Literal["single", "average", "complete"]
Cut = Callable[[float], Int64Array]  # the clusters at a threshold, one number a keyword


@dataclass(frozen=True)
class Method:
    """A way to group keywords: what it computes once for a list, and the thresholds to choose from."""

    name: str
    prepare: Callable[[Half], Cut]
    choices: Sequence[float] = THRESHOLDS


def stars(measure: str) -> Method:
    """`querykin cluster` by a measure."""

    def prepare(half: Half) -> Cut:
        graph = half.graph(measure)
        return lambda threshold: star_clustering(graph, threshold, half.counts).heads

    return Method(f"querykin cluster, {measure}", prepare)


def single_link(measure: str) -> Method:
    """Connected components of the same neighbors: a keyword is in the group of every keyword it is similar to."""

    def prepare(half: Half) -> Cut:
        return partial(_components, half.graph(measure))

    return Method(f"single link, {measure}", prepare)


def _components(graph: NeighborGraph, threshold: float) -> Int64Array:
    reached = graph.scores >= threshold
    vertices = np.repeat(np.arange(len(graph)), np.diff(graph.indptr))
    ends = vertices[reached], graph.neighbors[reached]
    edges = coo_array((np.ones(len(ends[0]), np.int8), ends), (len(graph),) * 2)
    return connected_components(edges, directed=False)[1].astype(np.int64)


def stars_by_degree(measure: str) -> Method:
    """Star clustering as in the paper, where the most central keyword is the one with the most neighbors."""

    def prepare(half: Half) -> Cut:
        graph = half.graph(measure)

        def cut(threshold: float) -> Int64Array:
            equal = replace(graph, scores=np.where(graph.scores >= threshold, threshold + 1, graph.scores))
            return star_clustering(equal, threshold, half.counts).heads

        return cut

    return Method(f"star clustering by degree, {measure}", prepare)


def agglomerative(link: Link) -> Method:
    """Agglomerative clustering of sentence embeddings by cosine, cut at a similarity.

    scikit-learn's AgglomerativeClustering computes this tree with the same function of SciPy; with the tree at hand
    every threshold is a cut.
    """
    return Method(
        f"agglomerative, {link} link, MiniLM",
        lambda half: _tree(_cosine_distances(half), link),
    )


def _cosine_distances(half: Half) -> Float64Array:
    distances: Float64Array = pdist(half.embeddings().astype(np.float64), "cosine")
    return np.maximum(distances, 0.0)  # rounding


def word_overlap(link: Link) -> Method:
    """Agglomerative clustering by the Jaccard coefficient of stems."""
    return Method(
        f"agglomerative, {link} link, Jaccard of stems", lambda half: _tree(_jaccard_distances(half), link)
    )


def _tree(distances: Float64Array, link: Link) -> Cut:
    tree = linkage(distances, link)
    return lambda threshold: fcluster(tree, 1 - threshold, "distance").astype(np.int64)


def _jaccard_distances(half: Half) -> Float64Array:
    """Jaccard distances in the condensed form of SciPy; a text without a stem is like no other."""
    analyzer = half.workspace.analyzer
    vectorizer = CountVectorizer(
        analyzer=lambda text: analyzer.stems(words(text)), binary=True, dtype=np.float64
    )
    found = vectorizer.fit_transform(half.texts)
    common, sizes = (found @ found.T).toarray(), np.asarray(found.sum(axis=1)).ravel()
    similarities = common / np.maximum(sizes[:, None] + sizes - common, 1)
    condensed: Float64Array = squareform(1 - similarities, checks=False)
    return condensed


def hdbscan() -> Method:
    """HDBSCAN of sentence embeddings; what it calls noise are groups of one keyword."""

    def prepare(half: Half) -> Cut:
        distances = squareform(_cosine_distances(half))
        return lambda size: _hdbscan(distances, int(size))

    return Method("HDBSCAN, MiniLM", prepare, MIN_CLUSTER_SIZES)


def _hdbscan(distances: Float64Array, size: int) -> Int64Array:
    model = HDBSCAN(metric="precomputed", min_cluster_size=size, copy=True)
    clusters: Int64Array = model.fit_predict(distances).astype(np.int64)
    noise = np.flatnonzero(clusters < 0)
    clusters[noise] = clusters.max() + 1 + np.arange(len(noise))
    return clusters


MEASURES = ("hybrid", "hybrid-static", "web-kernel", "dense", "static")
OURS = tuple(map(stars, (*MEASURES, "jaccard-stems")))
ALTERNATIVES = (*map(stars_by_degree, ("hybrid", "dense")), *map(single_link, ("hybrid", "dense")))
PEERS = (
    agglomerative("average"),
    agglomerative("complete"),
    hdbscan(),
    word_overlap("average"),
    word_overlap("single"),
)
