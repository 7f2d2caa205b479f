"""Sparse rows: every operation equals the reference implementation on dictionaries."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.vectors import Vectors, concatenate
from reference import vectors as reference
from reference.vectors import Row

# Thirds of integers: many equal weights, so that tie-breaking is tested too.
weights = st.integers(-6, 6).map(lambda n: n / 3)
rows = st.lists(st.dictionaries(st.integers(0, 20), weights, max_size=10), min_size=1, max_size=5)
# Halves have exact squares: both implementations truncate at the same entry.
positive = st.lists(
    st.dictionaries(st.integers(0, 20), st.integers(0, 6).map(lambda n: n / 2), max_size=10), max_size=5
)


def vectors(rows: list[Row], space: str = "s") -> Vectors:
    entries = [entry for row in rows for entry in sorted(row.items())]
    features = np.array([feature for feature, _ in entries], np.int64)
    return Vectors(
        make_indptr(map(len, rows)), features, np.array([w for _, w in entries], np.float64), space
    )


def plain(vectors: Vectors) -> list[Row]:
    found = []
    for number in range(len(vectors)):
        features, weights = (values.tolist() for values in vectors.row(number))
        assert features == sorted(set(features))
        found.append(dict(zip(features, weights, strict=True)))
    return found


def approximately(rows: list[Row]) -> list:
    return [pytest.approx(row) for row in rows]


@given(rows, rows)
@settings(deadline=None, max_examples=150)
def test_inner_products_equal_the_reference(a, b):
    pairs = [(i, j) for i in range(len(a)) for j in range(len(b))]
    left, right = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    found = vectors(a).dot(vectors(b), left, right)
    assert found == pytest.approx([reference.dot(a[i], b[j]) for i, j in pairs], nan_ok=True)


@given(rows, rows)
@settings(deadline=None, max_examples=100)
def test_a_gram_matrix_holds_the_inner_products_and_0_for_empty_rows(a, b):
    expected = [[reference.dot(x, y) if x and y else 0.0 for y in b] for x in a]
    assert vectors(a).gram(vectors(b)) == pytest.approx(np.array(expected).reshape(len(a), len(b)))


@given(rows, st.data())
@settings(deadline=None, max_examples=150)
def test_a_sum_equals_the_reference(a, data):
    b = data.draw(st.lists(st.dictionaries(st.integers(0, 20), weights), min_size=len(a), max_size=len(a)))
    found = plain(vectors(a).add(vectors(b)))
    assert found == approximately([reference.plus(x, y, 1) for x, y in zip(a, b, strict=True)])


@given(rows)
@settings(deadline=None, max_examples=100)
def test_unit_rows_have_norm_1_and_rows_of_zeros_become_empty(rows):
    unit = vectors(rows).unit()
    assert plain(unit) == approximately([reference.unit(row) for row in rows])
    assert unit.norms() == pytest.approx(unit.covered.astype(float))
    assert vectors(rows).norms() == pytest.approx([sqrt(sum(w * w for w in row.values())) for row in rows])


@given(positive, st.floats(0, 1), st.integers(1, 22))
@settings(deadline=None, max_examples=200)
def test_truncation_to_a_share_of_the_norm_equals_the_reference(rows, share, most):
    assert plain(vectors(rows).keep_norm_share(share)) == [
        reference.keep_norm_share(row, share) for row in rows
    ]
    assert plain(vectors(rows).keep_norm_share(share, most)) == [
        reference.keep_norm_share(row, share, most) for row in rows
    ]


@given(positive, st.dictionaries(st.integers(0, 20), st.floats(0, 3), min_size=1), st.floats(0, 1))
@settings(deadline=None, max_examples=150)
def test_truncation_changes_an_inner_product_of_unit_rows_by_no_more_than_its_bound(rows, other, share):
    unit, against = vectors(rows).unit(), reference.unit(other)
    for whole, truncated in zip(plain(unit), plain(unit.keep_norm_share(share)), strict=True):
        change = sum(whole[f] * against.get(f, 0.0) for f in whole if f not in truncated)
        assert abs(change) <= sqrt(1 - share) + 1e-9


@given(rows, st.data())
@settings(deadline=None, max_examples=80)
def test_rows_are_masked_concatenated_and_taken_one_by_one(rows, data):
    mask = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    found = vectors(rows)
    masked = found.mask_rows(np.array(mask, np.bool_))
    assert plain(masked) == [row if kept else {} for row, kept in zip(rows, mask, strict=True)]
    assert masked.covered.tolist() == [kept and bool(row) for row, kept in zip(rows, mask, strict=True)]
    assert plain(concatenate([found.take(np.array([number])) for number in range(len(rows))])) == rows


@given(rows)
@settings(deadline=None, max_examples=80)
def test_shared_features_add_up_to_the_inner_product(rows):
    found = vectors(rows)
    features, shares = found.shared(0, found, len(rows) - 1)
    assert set(features.tolist()) == rows[0].keys() & rows[-1].keys()
    expected = reference.dot(rows[0], rows[-1])
    assert shares.sum() == pytest.approx(0.0 if isnan(expected) else expected)


@pytest.mark.parametrize(
    "compare",
    [
        lambda a, b: a.dot(b, np.array([0]), np.array([0])),
        lambda a, b: a.gram(b),
        lambda a, b: a.add(b),
        lambda a, b: a.shared(0, b, 0),
    ],
)
def test_rows_of_different_spaces_are_never_compared(compare):
    with pytest.raises(ValueError, match="'words' and 'stems'"):
        compare(vectors([{1: 1.0}], "words"), vectors([{1: 1.0}], "stems"))
