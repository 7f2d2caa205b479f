"""Whether the arrays of a partition fit each other, so that no kernel leaves them, at the speed of memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compute.jit import njit
from querykin.index.block_max_layout import BLOCK_ROWS, PAGE, Partition, inlined_pages_of


def is_permutation(numbers: NDArray[Any]) -> bool:
    """Whether these are the numbers from 0 on, each once.

    >>> [is_permutation(np.array(numbers)) for numbers in ([2, 0, 1], [2, 0, 2], [1])]
    [True, False, False]
    """
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= len(numbers)):
        return False
    seen = np.zeros(len(numbers), np.bool_)
    seen[numbers] = True
    return bool(seen.all())


def check_partition(partition: Partition, rows: int) -> str | None:
    """The name of the first array of a partition with so many rows that does not fit the others, or None."""
    features = partition.features
    if (features[1:] <= features[:-1]).any():
        return "features"
    if len(partition.ranks) != len(features) or not is_permutation(partition.ranks):
        return "ranks"
    if not _are_offsets(partition.list_indptr, len(features), len(partition.lists)):
        return "list_indptr"
    if not _lists_fit(partition, -(-rows // BLOCK_ROWS)):
        return "lists"
    if not _are_offsets(partition.row_indptr, rows, len(partition.rows)):
        return "row_indptr"
    return None if _rows_fit(partition) else "rows"


def _are_offsets(indptr: NDArray[Any], size: int, end: int) -> bool:
    if len(indptr) != size + 1 or indptr[0] != 0 or indptr[-1] != end:
        return False
    return bool((indptr[1:] >= indptr[:-1]).all())


@njit
def _lists_fit(partition: Partition, blocks: int) -> bool:
    """Whether every list names blocks that exist."""
    lists, indptr = partition.lists, partition.list_indptr
    for rank in range(len(indptr) - 1):
        begin = np.int64(indptr[rank])
        for p in range(begin, begin + 2 * (np.int64(indptr[rank + 1]) - begin) // 3):
            if lists[p] >= blocks:
                return False
    return True


@njit
def _rows_fit(partition: Partition) -> bool:
    """Whether every row has as many ranks as its pages count, all of which exist, and as many weights."""
    rows, indptr, ranks = partition.rows, partition.row_indptr, len(partition.features)
    pages = inlined_pages_of(partition.features)
    for position in range(len(indptr) - 1):
        begin, end = np.int64(indptr[position]), np.int64(indptr[position + 1])
        at = begin + pages
        if at > end:
            return False
        for page in range(pages):
            last, room = at + rows[begin + page], ranks - page * PAGE
            if last > end:
                return False
            for p in range(at, last):
                if rows[p] >= room:
                    return False
            at = last
        if 2 * (at - begin - pages) != end - begin - pages:
            return False
    return True
