"""Sorting and selection inside kernels.

numba compiles its own versions of `np.sort`, `np.argsort`, `np.partition` and of assignment to slices from
hundreds of lines, for a second or two each; these take a tenth of that. For the same reason a variable that
begins as a constant and is passed to another kernel in a loop begins as np.int64(0): numba compiles that
kernel for the constant as well.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compute.jit import njit

_SHORT = 16  # values that insertion sort handles
_STACK = 128  # two for each halving of the largest array possible


@njit
def copy_values(source: NDArray[Any], target: NDArray[Any], at: int) -> None:
    """Copy an array into another one, from `at` on."""
    for i in range(len(source)):
        target[at + i] = source[i]


@njit
def sort_in_place(values: NDArray[Any]) -> None:  # noqa: C901
    """Sort ascending: quicksort with the median of three as pivot, insertion sort of short runs."""
    stack, top = np.empty(_STACK, np.int64), 2
    stack[0], stack[1] = 0, len(values) - 1
    while top > 0:
        top -= 2
        low, high = stack[top], stack[top + 1]
        while high - low > _SHORT:
            first, pivot, last = values[low], values[(low + high) // 2], values[high]
            if last < first:
                first, last = last, first
            if pivot < first:
                pivot = first
            elif last < pivot:
                pivot = last
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
            if j - low < high - i:  # the longer side waits, so that the stack stays small
                stack[top], stack[top + 1] = i, high
                high = j
            else:
                stack[top], stack[top + 1] = low, j
                low = i
            top += 2
        for i in range(low + 1, high + 1):
            value, j = values[i], i
            while j > low and value < values[j - 1]:
                values[j] = values[j - 1]
                j -= 1
            values[j] = value


@njit
def kth_largest(values: NDArray[Any], k: int) -> Any:
    """The k-th largest value, the largest for 1: Hoare's quickselect on a copy."""
    left = np.empty_like(values)
    for i in range(len(values)):
        left[i] = values[i]
    low, high, at = 0, len(left) - 1, len(left) - k
    while low < high:
        pivot = left[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while left[i] < pivot:
                i += 1
            while pivot < left[j]:
                j -= 1
            if i <= j:
                left[i], left[j] = left[j], left[i]
                i += 1
                j -= 1
        if at <= j:
            high = j
        elif at >= i:
            low = i
        else:
            break
    return left[at]


@njit
def first_at_least(values: NDArray[Any], value: int) -> int:
    """The index of the first of ascending values that is at least this one; their number if none is."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
