"""Sorting and selection inside kernels.

numba compiles its own versions of `np.sort`, `np.argsort`, `np.partition` and of assignment to slices from
hundreds of lines, for a second or two each; these take less than half of that. For the same reason a variable
that begins as a constant and is passed to another kernel in a loop begins as np.int64: numba compiles that
kernel for the constant as well.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compute.jit import njit, njit_inlined

_SHORT = 16  # values that insertion sort handles
_STACK = 128  # two for each halving of the largest array possible


@njit_inlined
def _move_below(values: NDArray[Any], low: int, high: int, pivot: Any) -> int:
    """Lomuto's partition: values below the pivot first; returns the index after them.

    Branchless: every value is swapped, since a branch would be mispredicted for every other one.
    """
    at = low
    for i in range(low, high):
        value = values[i]
        values[i] = values[at]
        values[at] = value
        at += value < pivot
    return at


@njit_inlined
def _move_equal(values: NDArray[Any], low: int, high: int, pivot: Any) -> int:
    """Values equal to the pivot first; returns the index after them."""
    at = low
    for i in range(low, high):
        value = values[i]
        values[i] = values[at]
        values[at] = value
        at += value == pivot
    return at


@njit_inlined
def _insertion_sort(values: NDArray[Any], low: int, high: int) -> None:
    for i in range(low + 1, high):
        value, j = values[i], i
        while j > low and value < values[j - 1]:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


@njit
def sort_in_place(values: NDArray[Any]) -> None:
    """Sort ascending: quicksort with the middle value as pivot, insertion sort of short runs."""
    stack, top = np.empty(_STACK, np.int64), 2
    stack[0], stack[1] = 0, len(values)
    while top > 0:
        top -= 2
        low, high = stack[top], stack[top + 1]
        while high - low > _SHORT:
            pivot = values[(low + high) // 2]
            middle = _move_below(values, low, high, pivot)
            if middle == low:  # the pivot is the smallest
                low = _move_equal(values, low, high, pivot)
                continue
            if middle - low < high - middle:  # the longer side waits, so that the stack stays small
                stack[top], stack[top + 1] = middle, high
                high = middle
            else:
                stack[top], stack[top + 1] = low, middle
                low = middle
            top += 2
        _insertion_sort(values, low, high)


@njit
def kth_largest(values: NDArray[Any], k: int) -> Any:
    """The k-th largest value, 1 <= k <= their number, the largest for 1: quickselect on a copy."""
    left = np.empty(len(values), values.dtype)
    for i in range(len(values)):
        left[i] = values[i]
    low, high, at = 0, len(left), len(left) - k
    while high - low > 1:
        pivot = left[(low + high) // 2]
        middle = _move_below(left, low, high, pivot)
        if at < middle:
            high = middle
            continue
        low = _move_equal(left, middle, high, pivot)
        if at < low:
            return pivot
    return left[at]


@njit
def first_at_least(values: NDArray[Any], value: int | np.int64) -> int:
    """The index of the first of ascending values that is at least this one; their number if none is."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
