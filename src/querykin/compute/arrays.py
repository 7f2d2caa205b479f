"""Array types of the kernels, and arithmetic on `indptr` arrays (as in SciPy's CSR format)."""

from collections.abc import Iterable
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from querykin.compute.jit import njit

UInt8Array: TypeAlias = NDArray[np.uint8]
Int8Array: TypeAlias = NDArray[np.int8]
BoolArray: TypeAlias = NDArray[np.bool_]
UInt16Array: TypeAlias = NDArray[np.uint16]
UInt32Array: TypeAlias = NDArray[np.uint32]
Int32Array: TypeAlias = NDArray[np.int32]
Int64Array: TypeAlias = NDArray[np.int64]
UInt64Array: TypeAlias = NDArray[np.uint64]
Float32Array: TypeAlias = NDArray[np.float32]
Float64Array: TypeAlias = NDArray[np.float64]


@njit
def grow(values: NDArray[Any], size: int) -> NDArray[Any]:
    """The array itself, or a copy at least twice as long if it has fewer than `size` elements."""
    if len(values) >= size:
        return values
    larger = np.zeros(max(size, 2 * len(values)), values.dtype)
    for i in range(len(values)):
        larger[i] = values[i]
    return larger


def make_indptr(sizes: Iterable[int] | NDArray[Any]) -> Int64Array:
    """Offsets of consecutive runs of these sizes, and the end of the last one.

    >>> make_indptr([2, 0, 3])
    array([0, 2, 2, 5])
    """
    if isinstance(sizes, np.ndarray):
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.array([0, *accumulate(sizes)], np.int64)  # faster for the few sizes of a short text


def gather_indices(begins: Int64Array, indptr: Int64Array) -> Int64Array:
    """Source index of each element when runs that start at `begins` are copied end to end.

    >>> gather_indices(np.array([7, 3]), np.array([0, 2, 5]))
    array([7, 8, 3, 4, 5])
    """
    return np.arange(indptr[-1]) + np.repeat(begins - indptr[:-1], np.diff(indptr))


@njit
def gather_bytes(source: UInt8Array, begins: Int64Array, indptr: Int64Array) -> UInt8Array:
    """Runs of bytes that start at `begins`, copied end to end."""
    copied = np.empty(indptr[-1], np.uint8)
    for i in range(len(begins)):
        size = indptr[i + 1] - indptr[i]
        run, copy = source[begins[i] : begins[i] + size], copied[indptr[i] : indptr[i + 1]]
        for j in range(size):
            copy[j] = run[j]
    return copied
