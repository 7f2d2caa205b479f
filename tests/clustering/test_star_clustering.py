"""Star clustering: heads, members and ties, against the reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.clustering.clusters import count_clusters
from querykin.clustering.neighbor_graph import NeighborGraph
from querykin.clustering.star_clustering import star_clustering
from reference.star_clustering import star_clusters

SIZE = 8


def graph_of(edges):
    rows = [sorted(edges[vertex].items(), key=lambda edge: -edge[1]) for vertex in range(len(edges))]
    return NeighborGraph(
        np.arange(len(edges)),
        np.append(0, np.cumsum([len(row) for row in rows])),
        np.array([neighbor for row in rows for neighbor, _ in row], np.int64),
        np.array([score for row in rows for _, score in row]),
        np.arange(len(edges))[::-1].copy(),  # texts in the opposite order
    )


def edges_of(pairs):
    edges = {vertex: {} for vertex in range(SIZE)}
    for place, (a, b) in enumerate(pairs):
        if a != b:
            edges[a][b] = 1 - place / 100  # distinct scores
    return edges


vertices = st.integers(0, SIZE - 1)


@settings(max_examples=60)
@given(
    pairs=st.lists(st.tuples(vertices, vertices), max_size=40, unique=True),
    threshold=st.sampled_from([0.0, 0.75, 0.9]),
    counts=st.lists(st.integers(1, 3), min_size=SIZE, max_size=SIZE),
    excluded=st.sets(vertices, max_size=2),
)
def test_heads_are_those_of_the_reference(pairs, threshold, counts, excluded):
    edges = edges_of(pairs)
    mask = np.array([vertex in excluded for vertex in range(SIZE)])
    found = star_clustering(graph_of(edges), threshold, np.array(counts), mask)
    texts = {vertex: f"{SIZE - vertex}" for vertex in range(SIZE)}
    expected = star_clusters(edges, threshold, dict(enumerate(counts)), texts, excluded)
    assert found.heads.tolist() == [expected[vertex] for vertex in range(SIZE)]
    for vertex, (head, score) in enumerate(zip(*found, strict=True)):
        assert (np.isnan(score) and head == vertex) or score == edges[vertex][head] >= threshold


def test_a_chain_is_not_one_cluster():
    edges = {0: {1: 0.9}, 1: {0: 0.9, 2: 0.9}, 2: {1: 0.9, 3: 0.9}, 3: {2: 0.9, 4: 0.9}, 4: {3: 0.9}}
    found = star_clustering(graph_of(edges), 0.5, np.array([1, 5, 1, 1, 1]))
    assert found.heads.tolist() == [1, 1, 1, 3, 3]
    assert count_clusters(found.heads) == (2, 5, 0)


@pytest.mark.parametrize(("counts", "head"), [([1, 2], 1), ([2, 1], 0), ([1, 1], 1)])
def test_among_equals_the_head_is_the_more_frequent_then_the_first_text(counts, head):
    found = star_clustering(graph_of({0: {1: 0.9}, 1: {0: 0.9}}), 0.5, np.array(counts))
    assert found.heads.tolist() == [head, head]


def test_close_neighbors_make_a_head_rather_than_many_that_barely_reach_it():
    edges = {
        0: {1: 0.95, 2: 0.95, 3: 0.6}, 1: {0: 0.95}, 2: {0: 0.95},
        3: {0: 0.6, 4: 0.6, 5: 0.6, 6: 0.6}, 4: {3: 0.6}, 5: {3: 0.6}, 6: {3: 0.6},
    }  # fmt: skip
    found = star_clustering(graph_of(edges), 0.55, np.ones(7, np.int64))
    assert found.heads.tolist() == [0, 0, 0, 0, 4, 5, 6]


def test_neighbors_at_the_threshold_count_too():
    edges = {0: {1: 0.5}, 1: {0: 0.5, 2: 0.5}, 2: {1: 0.5}}
    found = star_clustering(graph_of(edges), 0.5, np.array([9, 1, 9]))
    assert found.heads.tolist() == [1, 1, 1]
