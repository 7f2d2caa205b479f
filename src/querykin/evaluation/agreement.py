"""Do people agree with each other? Kappas between raters, of their grades and of their preferences."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.jit import njit
from querykin.errors import InputError
from querykin.evaluation.metrics import mean

# Which of worse, equal, better begin a class: the lines of Yih & Meek's table 1.
WAYS = {
    "better, equal, worse": [0, 1, 2],
    "better or equal, worse": [0, 1],
    "better, equal or worse": [0, 2],
}


@dataclass(frozen=True)
class Kappas:
    """How far two raters agree beyond chance: 1 is always, 0 no more than chance, NaN not defined.

    `simple`, `linear` and `quadratic` are Cohen's, the last two with disagreement weighted by the distance of
    the grades and its square. `pooled` takes chance as Yih & Meek (2007) do, with one distribution for both
    raters: kappa = (observed - expected) / (1 - expected), expected = sum over classes of (uses / 2n)^2.
    """

    items: float  # n; a mean may have a fraction
    observed: float  # share of equal classes: Pa in the paper
    expected: float  # Pe
    pooled: float
    simple: float
    linear: float
    quadratic: float


@dataclass(frozen=True)
class Agreement:
    """What two raters say about the items that both have graded."""

    raters: tuple[int, int]
    confusion: Int64Array  # a row for each grade of the first rater, a column for each of the second
    grades: Kappas
    preferences: dict[str, Kappas]


def agreements(
    items: Int64Array, raters: Int64Array, grades: Float64Array, groups: Int64Array
) -> tuple[Float64Array, list[Agreement]]:
    """All grades that occur, and the agreement of every two raters who share items.

    One entry per judgement: the item's number, the rater's, the grade and the number of the item's group.
    Of two candidates of a group, the one with the smaller number is the first; the two-way preferences
    depend on that order.

    >>> items, raters = np.array([0, 1, 2, 0, 1, 2]), np.array([5, 5, 5, 8, 8, 8])
    >>> grades, groups = np.array([2.0, 1.0, 0.0, 2.0, 0.0, 0.0]), np.zeros(6, np.int64)
    >>> scale, (found,) = agreements(items, raters, grades, groups)
    >>> found.raters, found.confusion.tolist(), round(found.grades.quadratic, 3)
    ((5, 8), [[1, 0, 0], [1, 0, 0], [0, 0, 1]], 0.8)
    >>> round(found.preferences["better, equal, worse"].observed, 3)
    0.667
    """
    order = np.lexsort((items, raters))
    items, raters, grades, groups = items[order], raters[order], grades[order], groups[order]
    twice = np.flatnonzero((np.diff(items) == 0) & (np.diff(raters) == 0))
    if len(twice):
        raise InputError(
            f"rater {raters[twice[0]]} has graded item {items[twice[0]]} twice; keep one grade for each"
        )
    scale, classes = np.unique(grades, return_inverse=True)
    numbers, first = np.unique(raters, return_index=True)
    parts = np.split(np.arange(len(items)), first[1:])
    found = []
    for a, b in combinations(range(len(numbers)), 2):
        _, mine, theirs = np.intersect1d(items[parts[a]], items[parts[b]], True, return_indices=True)
        if len(mine):
            rows, other = parts[a][mine], parts[b][theirs]
            confusion = _confusion(classes[rows], classes[other], len(scale))
            preferences = _preferences(grades[rows], grades[other], groups[rows])
            found.append(
                Agreement(
                    (int(numbers[a]), int(numbers[b])),
                    confusion,
                    kappas(confusion, scale),
                    preference_kappas(preferences),
                )
            )
    return scale, found


def kappas(confusion: Int64Array, scale: Float64Array) -> Kappas:
    """Every kappa of a confusion matrix, whose classes lie on a scale.

    >>> found = kappas(np.array([[20, 5], [10, 15]]), np.array([0.0, 1.0]))
    >>> found.items, found.observed, round(found.expected, 3), round(found.pooled, 3), round(found.simple, 3)
    (50, 0.7, 0.505, 0.394, 0.4)
    """
    n = int(confusion.sum())
    if not n:
        return Kappas(0, *[np.nan] * 6)
    rows, columns = confusion.sum(axis=1) / n, confusion.sum(axis=0) / n
    observed, expected = float(np.trace(confusion) / n), float((((rows + columns) / 2) ** 2).sum())
    distance = np.abs(scale[:, None] - scale) / (scale[-1] - scale[0] or 1.0)
    chance = np.outer(rows, columns)
    cohen = [
        kappa(float((weights * confusion).sum() / n), float((weights * chance).sum()))
        for weights in (distance == 0, 1 - distance, 1 - distance**2)
    ]
    return Kappas(n, observed, expected, kappa(observed, expected), *cohen)


def kappa(observed: float, expected: float) -> float:
    """Agreement beyond chance: (observed - expected) / (1 - expected); NaN when chance alone always agrees.

    >>> round(kappa(0.844, 0.723), 3)
    0.437
    """
    return (observed - expected) / (1 - expected) if expected < 1 - 1e-12 else np.nan


def preference_kappas(table: Int64Array) -> dict[str, Kappas]:
    """Kappas of preferences, three ways and two: a tie counts as better, or as worse, in the latter.

    `table` counts pairs of candidates. Rows: the first candidate is worse than the second, equal, better for
    the first rater; columns: for the second rater.
    """
    found = {}
    for name, first in WAYS.items():
        merged = np.add.reduceat(np.add.reduceat(table, first), first, axis=1)
        found[name] = kappas(merged, np.array(first, np.float64))
    return found


def mean_kappas(found: Sequence[Kappas]) -> Kappas:
    """The mean over pairs of raters of each figure, where it is defined.

    The mean of kappas is not the kappa of the mean shares: Yih & Meek (2007) print .338 beside .598 and .397,
    which alone would give .333.
    """
    figures = np.array([astuple(each) for each in found]).reshape(len(found), len(fields(Kappas)))
    return Kappas(*map(mean, figures.T))


def _confusion(ours: Int64Array, theirs: Int64Array, count: int) -> Int64Array:
    return np.bincount(ours * count + theirs, minlength=count * count).reshape(count, count)


def _preferences(ours: Float64Array, theirs: Float64Array, groups: Int64Array) -> Int64Array:
    """Count the preferences of two raters between every two candidates of one group, in the order given."""
    order = np.argsort(groups, kind="stable")
    _, first = np.unique(groups[order], return_index=True)
    return _count_preferences(ours[order], theirs[order], np.append(first, len(order)))


@njit
def _count_preferences(ours: Float64Array, theirs: Float64Array, first: Int64Array) -> Int64Array:
    table = np.zeros((3, 3), np.int64)
    for group in range(len(first) - 1):
        for i in range(first[group], first[group + 1]):
            for j in range(i + 1, first[group + 1]):
                table[int(np.sign(ours[i] - ours[j])) + 1, int(np.sign(theirs[i] - theirs[j])) + 1] += 1
    return table
