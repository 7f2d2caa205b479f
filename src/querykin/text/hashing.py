"""FNV-1a hashes of words and of word n-grams.

64-bit FNV-1a (Fowler, Noll & Vo) applied to code points or word hashes instead of bytes.
"""

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.compute.jit import njit, njit_inlined

FNV_OFFSET = 14695981039346656037  # the initial value


@njit_inlined
def extend_hash(value: np.uint64, feature: int) -> np.uint64:
    """One step of FNV-1a: the hash of a sequence after one more code point or word hash."""
    return (value ^ np.uint64(feature)) * np.uint64(1099511628211)


@njit_inlined
def finalize_hash(value: np.uint64) -> np.int64:
    """The hash of a complete sequence as a non-negative signed integer."""
    return np.int64((value ^ (value >> np.uint64(31))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@njit
def ngram_hashes(
    indptr: Int64Array, features: Int64Array, shortest: Int64Array, longest: int
) -> tuple[Int64Array, Int64Array]:
    """Hashes of the n-grams of each text, shortest[t] <= n <= longest, and of the whole text; CSR layout."""
    out_indptr = np.zeros(len(indptr), np.int64)
    for t in range(len(indptr) - 1):
        words = indptr[t + 1] - indptr[t]
        count = 0
        for begin in range(words):
            count += max(0, min(longest, words - begin) - shortest[t] + 1)
        out_indptr[t + 1] = out_indptr[t] + count + (1 if words > longest else 0)
    out = np.empty(out_indptr[-1], np.int64)
    for t in range(len(indptr) - 1):
        at, words = out_indptr[t], indptr[t + 1] - indptr[t]
        for begin in range(words):
            whole = begin == 0 and words > longest
            end = words if whole else min(longest, words - begin)
            if end < shortest[t]:
                break
            value = np.uint64(FNV_OFFSET)
            for length in range(1, end + 1):
                value = extend_hash(value, features[indptr[t] + begin + length - 1])
                if shortest[t] <= length and (length <= longest or length == words):
                    out[at] = finalize_hash(value)
                    at += 1
    return out_indptr, out
