"""Agreement of two raters: kappa statistics of their grades and of their preferences."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.jit import njit
from querykin.errors import InputError
from querykin.evaluation.metrics import mean

# Which of worse, equal and better begin a class: the rows of Yih & Meek's table 1.
PREFERENCE_CLASSES = {
    "better, equal, worse": [0, 1, 2],
    "better or equal, worse": [0, 1],
    "better, equal or worse": [0, 2],
}


@dataclass(frozen=True)
class Kappas:
    """Agreement beyond chance: 1 always, 0 no more than chance, NaN undefined. The fields are JSON keys too.

    `simple`, `linear` and `quadratic` are Cohen's kappa (1960), unweighted and weighted by the distance of
    the grades or its square (1968). `pooled` estimates chance from one distribution for both raters, as Yih &
    Meek (2007) do (Scott's pi, 1955): expected = sum over classes of (uses / 2n)^2.
    """

    items: float  # n; a mean may have a fraction
    observed: float  # share of equal classes: Pa in Yih & Meek (2007)
    expected: float  # chance agreement under `pooled`: Pe
    pooled: float
    simple: float
    linear: float
    quadratic: float


@dataclass(frozen=True)
class Agreement:
    """The agreement of two raters on the items that both have graded."""

    raters: tuple[int, int]
    confusion: Int64Array  # rows: grades of the first rater, columns: grades of the second
    grades: Kappas
    preferences: dict[str, Kappas]


def agreements(
    items: Int64Array, raters: Int64Array, grades: Float64Array, groups: Int64Array
) -> tuple[Float64Array, list[Agreement]]:
    """The grades that occur, in ascending order, and the agreement of every two raters with common items.

    One entry per judgement: the item, the rater, the grade, and the group of the item. Preferences compare
    two items of one group, the one with the smaller number first; the two-way preferences depend on that.

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
    repeated = np.flatnonzero((np.diff(items) == 0) & (np.diff(raters) == 0))
    if len(repeated):
        row = repeated[0]
        raise InputError(f"rater {raters[row]} has graded item {items[row]} twice; keep one grade for each")
    scale, classes = np.unique(grades, return_inverse=True)
    rater_ids, starts = np.unique(raters, return_index=True)
    rows_of = np.split(np.arange(len(items)), starts[1:])
    results = []
    for a, b in combinations(range(len(rater_ids)), 2):
        _, in_a, in_b = np.intersect1d(items[rows_of[a]], items[rows_of[b]], True, return_indices=True)
        if not len(in_a):
            continue
        rows_a, rows_b = rows_of[a][in_a], rows_of[b][in_b]
        confusion = _confusion(classes[rows_a], classes[rows_b], len(scale))
        preferences = _preferences(grades[rows_a], grades[rows_b], groups[rows_a])
        pair = int(rater_ids[a]), int(rater_ids[b])
        results.append(Agreement(pair, confusion, kappas(confusion, scale), preference_kappas(preferences)))
    return scale, results


def kappas(confusion: Int64Array, scale: Float64Array) -> Kappas:
    """All kappas of a confusion matrix; `scale` gives the grade of each class.

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
    """Agreement beyond chance: (observed - expected) / (1 - expected); NaN if chance alone always agrees.

    >>> round(kappa(0.844, 0.723), 3)
    0.437
    """
    return (observed - expected) / (1 - expected) if expected < 1 - 1e-12 else np.nan


def preference_kappas(table: Int64Array) -> dict[str, Kappas]:
    """Kappas of preferences, three-way and two-way; in the latter a tie counts as better, or as worse.

    `table` counts pairs of items. Row 0, 1 or 2: for the first rater the first item is worse than the second,
    equal or better; the columns are the same for the second rater.
    """
    results = {}
    for name, starts in PREFERENCE_CLASSES.items():
        merged = np.add.reduceat(np.add.reduceat(table, starts), starts, axis=1)
        results[name] = kappas(merged, np.array(starts, np.float64))
    return results


def mean_kappas(kappas_of_pairs: Sequence[Kappas]) -> Kappas:
    """The mean over pairs of raters of each field, where it is defined.

    The mean of kappas is not the kappa of the mean shares: Yih & Meek (2007) print .338 beside .598 and .397,
    which alone would give .333.
    """
    values = np.array([astuple(each) for each in kappas_of_pairs]).reshape(
        len(kappas_of_pairs), len(fields(Kappas))
    )
    return Kappas(*map(mean, values.T))


def _confusion(first: Int64Array, second: Int64Array, classes: int) -> Int64Array:
    return np.bincount(first * classes + second, minlength=classes * classes).reshape(classes, classes)


def _preferences(first: Float64Array, second: Float64Array, groups: Int64Array) -> Int64Array:
    """Count the preferences of two raters between every two items of a group, in the given order."""
    order = np.argsort(groups, kind="stable")
    _, starts = np.unique(groups[order], return_index=True)
    return _count_preferences(first[order], second[order], np.append(starts, len(order)))


@njit
def _count_preferences(first: Float64Array, second: Float64Array, indptr: Int64Array) -> Int64Array:
    table = np.zeros((3, 3), np.int64)
    for group in range(len(indptr) - 1):
        for i in range(indptr[group], indptr[group + 1]):
            for j in range(i + 1, indptr[group + 1]):
                table[int(np.sign(first[i] - first[j])) + 1, int(np.sign(second[i] - second[j])) + 1] += 1
    return table
