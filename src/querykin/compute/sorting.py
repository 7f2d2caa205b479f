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
def _split(values: NDArray[Any], low: int, high: int, pivot: Any) -> tuple[int, int]:
    """Hoare's partition: values up to the second index are at most the pivot, from the first at least."""
    i, j = low, high
    while i <= j:
        while values[i] < pivot:
            i += 1
        while pivot < values[j]:
            j -= 1
        if i <= j:
            values[i], values[j] = values[j], values[i]
            i += 1
            j -= 1
    return i, j


@njit_inlined
def _insertion_sort(values: NDArray[Any], low: int, high: int) -> None:
    for i in range(low + 1, high + 1):
        value, j = values[i], i
        while j > low and value < values[j - 1]:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


@njit
def sort_in_place(values: NDArray[Any]) -> None:
    """Sort ascending: quicksort with the middle value as pivot, insertion sort of short runs."""
    stack, top = np.empty(_STACK, np.int64), 2
    stack[0], stack[1] = 0, len(values) - 1
    while top > 0:
        top -= 2
        low, high = stack[top], stack[top + 1]
        while high - low > _SHORT:
            i, j = _split(values, low, high, values[(low + high) // 2])
            if j - low < high - i:  # the longer side waits, so that the stack stays small
                stack[top], stack[top + 1] = i, high
                high = j
            else:
                stack[top], stack[top + 1] = low, j
                low = i
            top += 2
        _insertion_sort(values, low, high)


@njit
def kth_largest(values: NDArray[Any], k: int) -> Any:
    """The k-th largest value, 1 <= k <= their number, the largest for 1: Hoare's quickselect on a copy."""
    left = np.empty(len(values), values.dtype)
    for i in range(len(values)):
        left[i] = values[i]
    low, high, at = 0, len(left) - 1, len(left) - k
    while low < high:
        i, j = _split(left, low, high, left[(low + high) // 2])
        if at <= j:
            high = j
        elif at >= i:
            low = i
        else:
            break
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
