"""Which pairs are judged by what was learnt from which others? Whole groups go into one fold."""

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.errors import InputError


def group_folds(groups: Int64Array, folds: int, seed: int = 0) -> Int64Array:
    """The fold of every row: all rows of a group in the same one, folds of about the same size.

    >>> group_folds(np.array([0, 0, 1, 1, 2, 2]), 3).tolist()[::2]
    [1, 2, 0]
    """
    names, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if not 2 <= folds <= len(names):
        raise InputError(
            f"--folds must be from 2 to the number of groups, {len(names)} here (one query is one group, "
            f"unless a column says otherwise), got {folds}"
        )
    order = np.random.default_rng(seed).permutation(len(names))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold, filled = np.zeros(len(names), np.int64), np.zeros(folds, np.int64)
    for group in order:  # the largest first, each to the emptiest fold
        fold[group] = np.argmin(filled)
        filled[fold[group]] += sizes[group]
    return fold[place]
