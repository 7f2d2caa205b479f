"""Dense rows of 8-bit levels on disk."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.scalar_quantization import read_levels, scalar_quantize
from querykin.errors import DamagedFile
from querykin.index.quantized_matrix import (
    QuantizedMatrix,
    merge_quantized_matrices,
    write_quantized_matrix,
)
from querykin.measures.embedding import dense_rows
from querykin.storage.array_files import save
from reference.quantized_rows import inner_product, quantized

WIDTH = 5
weights = st.floats(-1, 1, width=32).map(lambda weight: 0.0 if abs(weight) < 1e-6 else weight)
matrices = st.lists(st.lists(weights, min_size=WIDTH, max_size=WIDTH), min_size=1, max_size=12)


def as_int32(numbers):
    return np.array(numbers, np.int32)


def written(folder, rows):
    folder.mkdir()
    write_quantized_matrix(folder, dense_rows(np.array(rows, np.float64).reshape(-1, WIDTH), "space"))
    return QuantizedMatrix(folder, len(rows))


@given(rows=matrices)
def test_rows_are_quantized_as_by_the_reference(rows):
    levels, scales = scalar_quantize(np.array(rows))
    assert np.allclose(
        levels * scales[:, None].astype(np.float64), [quantized(row) for row in rows], atol=1e-9
    )


@given(rows=matrices)
def test_quantization_keeps_norms_and_is_read_back_exactly(rows):
    levels, scales = scalar_quantize(np.array(rows))
    matrix = levels * scales.astype(np.float64)[:, None]
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(np.linalg.norm(rows, axis=1), abs=1e-6)
    again, same_scales = read_levels(matrix)
    assert np.array_equal(again * same_scales.astype(np.float64)[:, None], matrix)


def test_rows_that_are_not_quantized_are_refused():
    with pytest.raises(ValueError, match="not quantized"):
        read_levels(np.array([[1.0, 1 / 3]]))


@settings(max_examples=30)
@given(rows=matrices, query=st.lists(weights, min_size=WIDTH, max_size=WIDTH))
def test_products_are_those_of_the_reference(tmp_path_factory, rows, query):
    matrix = written(tmp_path_factory.mktemp("matrix") / "part", rows)
    encoded = dense_rows(np.array([query]), "space")
    features, values = encoded.row(0)
    expected = [inner_product(quantized(row), quantized(query)) for row in rows]
    none = np.zeros(len(features))
    if any(any(row) for row in rows):
        assert matrix.dot_all(features, values, none, len(rows)) == pytest.approx(expected, abs=1e-6)
        picked = np.arange(0, len(rows), 2)
        found = matrix.dot_rows(features, values, none, picked)
        assert found.tolist() == matrix.dot_all(features, values, none, len(rows))[picked].tolist()
    assert matrix.filled(len(rows)).tolist() == [any(row) for row in rows]


@settings(max_examples=30)
@given(rows=matrices, query=st.lists(weights, min_size=WIDTH, max_size=WIDTH), data=st.data())
def test_weighted_products_are_added_where_their_rows_belong(tmp_path_factory, rows, query, data):
    matrix = written(tmp_path_factory.mktemp("matrix") / "part", rows)
    if not any(any(row) for row in rows):
        return
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True))
    positions = data.draw(st.permutations(range(len(rows))))[: len(chosen)]
    own, factors = 0.25, np.linspace(0, 1, len(rows))
    sums = np.full(len(rows), 0.5)
    query_row = dense_rows(np.array([query]), "space").row(0)
    matrix.add_weighted(query_row, as_int32(chosen), as_int32(positions), own, factors, sums)
    expected = np.full(len(rows), 0.5)
    for row, position in zip(chosen, positions, strict=True):
        product = inner_product(quantized(rows[row]), quantized(query))
        expected[position] += (own + factors[position]) / 2 * product
    assert sums == pytest.approx(expected, abs=1e-6)


@settings(max_examples=30)
@given(rows=matrices, others=matrices, data=st.data())
def test_merged_matrices_hold_the_rows_kept(tmp_path_factory, rows, others, data):
    folder = tmp_path_factory.mktemp("merge")
    parts = [written(folder / "a", rows), written(folder / "b", others)]
    total = len(rows) + len(others)
    kept = data.draw(st.lists(st.booleans(), min_size=total, max_size=total))
    numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    (folder / "merged").mkdir()
    merge_quantized_matrices(folder / "merged", parts, [numbers[: len(rows)], numbers[len(rows) :]])
    merged = QuantizedMatrix(folder / "merged", sum(kept))
    expected = [quantized(row) for row, keep in zip([*rows, *others], kept, strict=True) if keep]
    found = np.zeros((len(expected), WIDTH))
    found[:, : merged.columns] = merged.rows(np.arange(len(expected)))
    assert np.allclose(found, np.array(expected).reshape(-1, WIDTH), atol=1e-6)


def test_stored_rows_that_are_not_quantized_are_damage(tmp_path):
    save(tmp_path, levels=np.array([[3, -4], [127, 0]], np.int8), scales=np.ones(2, np.float32))
    matrix = QuantizedMatrix(tmp_path, 2)
    assert len(matrix.vectors(np.array([1]), "space")) == 1
    with pytest.raises(DamagedFile, match="a row is not quantized"):
        matrix.vectors(np.array([0]), "space")
