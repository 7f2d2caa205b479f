"""Sorting and selection inside kernels equal Python's."""

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.compute.sorting import first_at_least, kth_largest, sort_in_place

# Few different values make runs of equal ones.
integers = st.lists(st.one_of(st.integers(0, 4), st.integers(-(2**62), 2**62)), max_size=200)
reals = st.lists(st.one_of(st.sampled_from([0.0, 0.5, -1.0]), st.floats(-1e9, 1e9)), min_size=1, max_size=200)
SHAPES = {
    "ascending": range(3000),
    "descending": range(3000, 0, -1),
    "equal": [7] * 3000,
    "organ pipe": [*range(1500), *range(1500, 0, -1)],
    "saw": [i % 17 for i in range(3000)],
}


@given(integers)
@settings(deadline=None, max_examples=200)
def test_values_are_sorted_as_python_sorts_them(values):
    found = np.array(values, np.int64)
    sort_in_place(found)
    assert found.tolist() == sorted(values)


@pytest.mark.parametrize("name", SHAPES)
def test_values_in_unfavorable_orders_are_sorted(name):
    found = np.array(SHAPES[name], np.int64)
    sort_in_place(found)
    assert found.tolist() == sorted(SHAPES[name])


@given(reals, st.data())
@settings(deadline=None, max_examples=200)
def test_the_kth_largest_value_is_that_of_the_sorted_ones(values, data):
    k = data.draw(st.integers(1, len(values)))
    given_values = np.array(values)
    assert kth_largest(given_values, k) == sorted(values, reverse=True)[k - 1]
    assert given_values.tolist() == values


@given(st.lists(st.integers(0, 50)).map(sorted), st.integers(-1, 51))
@settings(deadline=None, max_examples=200)
def test_the_first_value_that_is_at_least_another_is_that_of_bisect(values, value):
    assert first_at_least(np.array(values, np.int64), value) == bisect_left(values, value)
