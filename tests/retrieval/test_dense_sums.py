"""Sums of dense scores for many queries at once: nothing that counts is lost, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.retrieval import dense_sums
from querykin.retrieval.dense_sums import DensePart, ListedPart, nothing_listed, reaching_sums
from reference.dense_sums import Row, best_sums, dense_sum

WIDTHS = 3, 2
levels = st.sampled_from([-127, -1, 0, 0, 5, 127]) | st.integers(-127, 127)
scales = st.sampled_from([0.0, 0.25, 0.5]) | st.floats(0, 1, width=32)
weights = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1)


def part(width: int):
    return st.tuples(st.lists(levels, min_size=width, max_size=width), scales, weights)


rows = st.builds(Row, st.tuples(*map(part, WIDTHS)), weights)


def dense_part(queries, candidates, number) -> DensePart:
    """One part of the rows, as the retrievers hand it over."""

    def columns(texts):
        found = [text.parts[number] for text in texts]
        matrix = np.array([each[0] for each in found], np.int8).reshape(len(found), WIDTHS[number])
        return (
            matrix,
            np.array([each[1] for each in found], np.float32),
            np.array([each[2] for each in found]),
        )

    matrix, matrix_scales, matrix_weights = columns(candidates)
    return DensePart(*columns(queries), lambda ids: (matrix[ids], matrix_scales[ids]), matrix_weights)


def list_best(queries, candidates, scores, depth) -> ListedPart:
    """The best scores of each query, by id, and the bound of the others."""
    orders = [np.argsort(-row, kind="stable") for row in scores]
    bounds = [
        row[order[depth]] if depth < len(row) else 0.0 for row, order in zip(scores, orders, strict=True)
    ]
    listed = [np.sort(order[:depth]) for order in orders]
    return ListedPart(
        np.array([query.weight for query in queries]),
        np.array([candidate.weight for candidate in candidates]),
        np.array(bounds),
        make_indptr([len(each) for each in listed]),
        np.concatenate(listed),
        np.concatenate([row[each] for row, each in zip(scores, listed, strict=True)]),
    )


@given(st.data(), st.lists(rows, min_size=1, max_size=5), st.lists(rows, min_size=1, max_size=30))
@settings(max_examples=80)
def test_the_best_are_among_those_kept_with_the_sums_of_the_reference(data, queries, candidates):
    size = len(candidates)
    eligible = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    scores = np.array([data.draw(st.lists(weights, min_size=size, max_size=size)) for _ in queries])
    k, depth = data.draw(st.integers(1, 40)), data.draw(st.integers(0, 10))
    min_sum = data.draw(st.just(-np.inf) | st.floats(-1, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense_sums, "_TILE", data.draw(st.sampled_from([1, 7, 1024])))
        patch.setattr(dense_sums, "_COLUMNS", data.draw(st.sampled_from([1, 2, 1024])))
        patch.setattr(dense_sums, "_QUERIES", data.draw(st.sampled_from([1, 256])))
        parts = [dense_part(queries, candidates, number) for number in range(len(WIDTHS))]
        listed = list_best(queries, candidates, scores, depth)
        found = reaching_sums(parts, listed, eligible, k, min_sum)
    for query, kept, second in zip(queries, found, scores.tolist(), strict=True):
        ids = kept.positions.tolist()
        assert ids == sorted(set(ids))
        assert eligible[ids].all()
        assert kept.sums.tolist() == [dense_sum(query, candidates[i]) for i in ids]
        assert set(best_sums(query, candidates, eligible, second, k, min_sum)) <= set(ids)


def random_part(queries: int, candidates: int, columns: int = 16) -> DensePart:
    random = np.random.default_rng(2004)
    matrix = random.integers(-127, 128, (candidates, columns)).astype(np.int8)
    one = np.ones(candidates, np.float32)
    chosen = random.integers(-127, 128, (queries, columns)).astype(np.int8)
    equal = np.ones(queries, np.float32), np.ones(queries)
    return DensePart(chosen, *equal, lambda ids: (matrix[ids], one[ids]), np.ones(candidates))


def test_of_many_candidates_few_are_kept():
    dense, size = random_part(3, 20_000), 20_000
    for found in reaching_sums([dense], nothing_listed(3, size), np.ones(size, np.bool_), 5, -np.inf):
        assert 5 <= len(found.positions) < size // 10


def test_a_query_of_which_too_many_would_be_kept_is_left_to_be_searched_alone(monkeypatch):
    monkeypatch.setattr(dense_sums, "MAX_KEPT", 100)
    dense, size = random_part(2, 5000), 5000
    dense.levels[1] = 0  # every score is the same
    few, many = reaching_sums([dense], nothing_listed(2, size), np.ones(size, np.bool_), 5, -np.inf)
    assert len(few.positions) <= 100
    assert many is None


def test_candidates_that_may_have_no_score_do_not_displace_those_with_a_negative_one():
    dense, size = random_part(1, 500, 1), 500
    levels = np.where(np.arange(size) % 2, -1, 0).astype(np.int8)[:, None]
    dense = dense._replace(
        levels=np.ones((1, 1), np.int8), candidates=lambda ids: (levels[ids], np.ones(len(ids)))
    )
    (found,) = reaching_sums([dense], nothing_listed(1, size), np.ones(size, np.bool_), 5, -np.inf)
    assert len(found.positions) == size


@pytest.mark.parametrize("columns", [1024, 3000])
def test_the_largest_products_are_exact(columns):
    dense = random_part(1, 4, columns)
    largest = np.full((4, columns), 127, np.int8)
    largest[1, -1] = 126
    one = np.ones(4, np.float32)
    dense = dense._replace(levels=largest[:1], candidates=lambda ids: (largest[ids], one[ids]))
    (found,) = reaching_sums([dense], nothing_listed(1, 4), np.ones(4, np.bool_), 4, -np.inf)
    assert found.sums.tolist() == [127 * 127 * columns, 127 * 127 * columns - 127, *[127 * 127 * columns] * 2]
