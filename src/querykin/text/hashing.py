"""FNV-1a hashes of words and of n-grams of words."""

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.compute.jit import njit

FNV_OFFSET = 14695981039346656037  # where hashes of letters and of words begin


@njit
def extend_hash(value: np.uint64, feature: int) -> np.uint64:
    """FNV-1a: the hash of a run of letters, or of words by their own hashes, that is one longer."""
    return (value ^ np.uint64(feature)) * np.uint64(1099511628211)


@njit
def finalize_hash(value: np.uint64) -> np.int64:
    """The hash of a run, kept positive so that it fits a signed feature."""
    return np.int64((value ^ (value >> np.uint64(31))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@njit
def ngram_hashes(
    indptr: Int64Array, features: Int64Array, shortest: Int64Array, longest: int
) -> tuple[Int64Array, Int64Array]:
    """Hashes of each text's runs of at least `shortest[t]` and at most `longest` words, and of the whole."""
    borders = np.zeros(len(indptr), np.int64)
    for t in range(len(indptr) - 1):
        words = indptr[t + 1] - indptr[t]
        count = 0
        for begin in range(words):
            count += max(0, min(longest, words - begin) - shortest[t] + 1)
        borders[t + 1] = borders[t] + count + (1 if words > longest else 0)
    out = np.empty(borders[-1], np.int64)
    for t in range(len(indptr) - 1):
        at, words = borders[t], indptr[t + 1] - indptr[t]
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
    return borders, out
