"""Which of two was found better? Pairs of candidates of one group whose grades differ."""

import numpy as np

from querykin.compiled import Longs, Reals

PAIRS = 300  # of one group at most (more say little that is new)
ALL_PAIRS = 20_000  # of all groups together, about
LONGEST = 1000  # rows of one group that are compared with each other; of more, so many at random


def preferences(groups: Longs, grades: Reals, seed: int = 0) -> tuple[Longs, Longs, Reals]:
    """Rows that are preferred, the rows they are preferred to, and what each such pair counts.

    The pairs of a group count together as much as the group has rows, so that long lists do not outvote
    the others.

    >>> better, worse, weights = preferences(np.array([0, 0, 0, 1]), np.array([2.0, 0.0, 1.0, 5.0]))
    >>> sorted(zip(better.tolist(), worse.tolist())), weights.tolist()
    ([(0, 1), (0, 2), (2, 1)], [1.0, 1.0, 1.0])
    """
    random = np.random.default_rng(seed)
    order = np.argsort(groups, kind="stable")
    lists = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1) if len(groups) else []
    most = max(20, min(PAIRS, ALL_PAIRS // max(1, len(lists))))
    found = [np.zeros((2, 0), np.int64)]
    weights = [np.zeros(0)]
    for rows in lists:
        size = len(rows)
        if size > LONGEST:
            rows = random.choice(rows, LONGEST, replace=False)
        better, worse = np.nonzero(grades[rows][:, None] > grades[rows][None, :])
        if len(better) > most:
            chosen = random.choice(len(better), most, replace=False)
            better, worse = better[chosen], worse[chosen]
        found.append(np.stack([rows[better], rows[worse]]))
        weights.append(np.full(len(better), size / max(1, len(better))))
    preferred, other = np.hstack(found)
    return preferred, other, np.concatenate(weights)
