"""The documents behind each row: ascending ids as variable-byte encoded deltas (Williams & Zobel 1999)."""

import numpy as np

from querykin.compute.arrays import Int64Array, UInt8Array, UInt16Array
from querykin.compute.jit import njit
from querykin.compute.sorting import sort_in_place

Sizes = UInt16Array  # bytes of each row: a few hundred documents of at most five bytes each
_CONTINUATION = 128  # the bit that is set in all but the last byte of a number
_MAX_SHIFT = 56  # of the last byte of a number: with it, 63 bits


@njit
def pack(indptr: Int64Array, documents: Int64Array) -> tuple[Sizes, UInt8Array]:
    """The documents of every row as bytes, and the number of bytes of each row."""
    sizes = np.zeros(len(indptr) - 1, np.uint16)
    packed, ordered = np.empty(10 * len(documents), np.uint8), np.empty(len(documents), np.int64)
    end = 0
    for row in range(len(sizes)):
        begin, last = end, 0
        first, count = indptr[row], indptr[row + 1] - indptr[row]
        for i in range(count):
            ordered[i] = documents[first + i]
        sort_in_place(ordered[:count])
        for document in ordered[:count]:
            delta = document - last
            last = document
            while delta >= _CONTINUATION:
                packed[end] = _CONTINUATION | (delta & (_CONTINUATION - 1))
                delta >>= 7
                end += 1
            packed[end] = delta
            end += 1
        sizes[row] = end - begin
    return sizes, packed[:end]


@njit
def unpack(sizes: Sizes, packed: UInt8Array) -> tuple[Int64Array, Int64Array]:
    """The row and the number of every document, in order; -1 for one that does not end with its row."""
    rows, documents = np.empty(len(packed), np.int64), np.empty(len(packed), np.int64)
    at = count = 0
    for row in range(len(sizes)):
        end, last = min(at + sizes[row], len(packed)), np.int64(0)
        while at < end:
            delta, shift = np.int64(0), 0
            while at < end - 1 and packed[at] >= _CONTINUATION and shift < _MAX_SHIFT:
                delta |= np.int64(packed[at] & (_CONTINUATION - 1)) << shift
                shift += 7
                at += 1
            last += delta | np.int64(packed[at]) << shift
            if packed[at] >= _CONTINUATION:
                last = np.int64(-1)
            at += 1
            rows[count], documents[count] = row, last
            count += 1
    return rows[:count].copy(), documents[:count].copy()


@njit
def rearrange(sizes: Sizes, packed: UInt8Array, order: Int64Array) -> tuple[Sizes, UInt8Array]:
    """The bytes of the rows given, in that order."""
    begins = np.cumsum(sizes.astype(np.int64)) - sizes
    taken = sizes[order]
    out = np.empty(taken.astype(np.int64).sum(), np.uint8)
    at = 0
    for row in order:
        end = at + sizes[row]
        out[at:end] = packed[begins[row] : begins[row] + sizes[row]]
        at = end
    return taken, out
