"""The order of many texts in UTF-8 by arrays: eight bytes at a time, of the texts that are equal so far."""

import numpy as np

from querykin.compute.arrays import BoolArray, Int64Array, UInt8Array, UInt64Array
from querykin.compute.jit import njit

_WIDTH = 8  # bytes compared at once


@njit
def _prefixes(arena: UInt8Array, begins: Int64Array, ends: Int64Array) -> UInt64Array:
    """The next bytes of each text as a number, most significant first; what is missing counts as zero."""
    found = np.zeros(len(begins), np.uint64)
    for i in range(len(begins)):
        for j in range(_WIDTH):
            at = begins[i] + j
            byte = np.uint64(arena[at]) if at < ends[i] else np.uint64(0)
            found[i] = (found[i] << np.uint64(8)) | byte
    return found


def text_ranks(arena: UInt8Array, begins: Int64Array, ends: Int64Array) -> Int64Array:
    """The rank of each text arena[begins[i]:ends[i]] by its bytes, of which none is zero.

    >>> text_ranks(np.frombuffer(b"bananaapple", np.uint8), np.array([0, 6]), np.array([6, 11]))
    array([1, 0])
    """
    ranks = np.zeros(len(begins), np.int64)  # of the first of the texts that are equal so far
    tied = np.arange(len(begins))
    offset = 0
    while (begins[tied] + offset < ends[tied]).any():
        prefixes = _prefixes(arena, begins[tied] + offset, ends[tied])
        order = np.lexsort((prefixes, ranks[tied]))
        tied, prefixes = tied[order], prefixes[order]
        before = ranks[tied]
        groups = _first_of_run(np.diff(before) != 0)
        runs = _first_of_run((np.diff(before) != 0) | (np.diff(prefixes) != 0))
        ranks[tied] = before + runs - groups
        tied = tied[np.bincount(runs, minlength=len(runs))[runs] > 1]
        offset += _WIDTH
    return ranks


def _first_of_run(changes: BoolArray) -> Int64Array:
    """For each element the position of the first one of its run; `changes` are true between two runs."""
    starts = np.concatenate([[True], changes])
    return np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))
