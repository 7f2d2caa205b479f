"""Array types of the compiled kernels, and arithmetic on `indptr` arrays (as in SciPy's CSR format)."""

from collections.abc import Iterable
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from querykin.compute.jit import njit

UInt8Array: TypeAlias = NDArray[np.uint8]
Int8Array: TypeAlias = NDArray[np.int8]
BoolArray: TypeAlias = NDArray[np.bool_]
UInt32Array: TypeAlias = NDArray[np.uint32]
Int32Array: TypeAlias = NDArray[np.int32]
Int64Array: TypeAlias = NDArray[np.int64]
UInt64Array: TypeAlias = NDArray[np.uint64]
Float64Array: TypeAlias = NDArray[np.float64]


@njit
def grow(values: NDArray[Any], size: int) -> NDArray[Any]:
    """The same values in an array at least this long, at least twice as long where it has to grow."""
    if len(values) >= size:
        return values
    larger = np.zeros(max(size, 2 * len(values)), values.dtype)
    larger[: len(values)] = values
    return larger


def make_indptr(sizes: Iterable[int] | NDArray[Any]) -> Int64Array:
    """Where each of several runs of these sizes begins, and where the last one ends."""
    if isinstance(sizes, np.ndarray):
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.array([0, *accumulate(sizes)], np.int64)  # faster for the few of a short text


def gather_indices(begins: Int64Array, indptr: Int64Array) -> Int64Array:
    """The places of runs that begin where they do and are laid end to end at `indptr`."""
    return np.arange(indptr[-1]) + np.repeat(begins - indptr[:-1], np.diff(indptr))
