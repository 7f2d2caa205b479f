"""Which documents stand behind each row? Their numbers, rising, as differences of seven bits a byte."""

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Int64Array, UInt8Array
from querykin.compute.jit import njit

Sizes = NDArray[np.uint16]  # bytes of a row: results are a few hundred at most, and each takes five at most
_MORE = 128  # the bit of a byte that says that its number goes on


@njit
def pack(first: Int64Array, documents: Int64Array) -> tuple[Sizes, UInt8Array]:
    """The documents of every row as bytes, and how many bytes each row takes."""
    sizes = np.zeros(len(first) - 1, np.uint16)
    packed = np.empty(10 * len(documents), np.uint8)
    at = 0
    for row in range(len(sizes)):
        begin, last = at, 0
        for document in np.sort(documents[first[row] : first[row + 1]]):
            step = document - last
            last = document
            while step >= _MORE:
                packed[at] = _MORE | (step & (_MORE - 1))
                step >>= 7
                at += 1
            packed[at] = step
            at += 1
        sizes[row] = at - begin
    return sizes, packed[:at].copy()


@njit
def unpack(sizes: Sizes, packed: UInt8Array) -> tuple[Int64Array, Int64Array]:
    """The row and the number of every document, in order."""
    rows, documents = np.empty(len(packed), np.int64), np.empty(len(packed), np.int64)
    at = count = 0
    for row in range(len(sizes)):
        end, last = at + sizes[row], np.int64(0)
        while at < end:
            step, shift = np.int64(0), 0
            while packed[at] >= _MORE:
                step |= np.int64(packed[at] & (_MORE - 1)) << shift
                shift += 7
                at += 1
            last += step | np.int64(packed[at]) << shift
            at += 1
            rows[count], documents[count] = row, last
            count += 1
    return rows[:count].copy(), documents[:count].copy()


@njit
def rearrange(sizes: Sizes, packed: UInt8Array, order: Int64Array) -> tuple[Sizes, UInt8Array]:
    """The bytes of some rows, in the order given."""
    begins = np.cumsum(sizes.astype(np.int64)) - sizes
    taken = sizes[order]
    out = np.empty(taken.astype(np.int64).sum(), np.uint8)
    at = 0
    for row in order:
        end = at + sizes[row]
        out[at:end] = packed[begins[row] : begins[row] + sizes[row]]
        at = end
    return taken, out
