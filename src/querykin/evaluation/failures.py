"""Where does it fail? Groups that a measure orders worse than the baseline, and pairs on the wrong side."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.evaluation.results import Evaluation
from querykin.io.judged_pairs import JudgedPairs

SHOWN = 10


@dataclass(frozen=True)
class GroupChange:
    """A group's average precision under the baseline and under a measure."""

    group: str
    pairs: int
    relevant: int
    before: float
    after: float


@dataclass(frozen=True)
class Example:
    """A judged pair, its score and its rank among the pairs of its group."""

    query: str
    candidate: str
    grade: float
    score: float
    rank: int
    of: int


def changes(found: Evaluation, measure: str, metric: str = "map") -> Float64Array:
    """For each group how much better the measure is than the baseline; NaN where it cannot be said."""
    ours, base = found.result(measure).metrics, found.result(found.baseline).metrics
    return ours.by_group[metric] - base.by_group[metric]


def worst_losses(judged: JudgedPairs, found: Evaluation, measure: str) -> list[GroupChange]:
    """The groups that lose most against the baseline, the worst first."""
    values = changes(found, measure)
    order = np.argsort(values, kind="stable")[:SHOWN]  # NaN comes last
    return [_change(judged, found, measure, group) for group in order.tolist() if values[group] < 0]


def _change(judged: JudgedPairs, found: Evaluation, measure: str, group: int) -> GroupChange:
    grades = judged.grades[judged.groups.ids == group]
    values = (found.result(name).metrics.by_group["map"][group] for name in (found.baseline, measure))
    relevant = int((grades >= found.relevant).sum())
    return GroupChange(judged.groups.distinct[group], len(grades), relevant, *map(float, values))


def best_wrong(judged: JudgedPairs, scores: Float64Array, relevant: float) -> list[Example]:
    """Irrelevant pairs with the highest scores, one a group."""
    wrong = (judged.grades < relevant) & ~np.isnan(scores)
    return _examples(judged, scores, wrong, np.lexsort((judged.grades, -scores)))


def worst_right(judged: JudgedPairs, scores: Float64Array, relevant: float) -> list[Example]:
    """Relevant pairs with the lowest scores, or without one, one a group."""
    low = np.where(np.isnan(scores), -np.inf, scores)
    return _examples(judged, scores, judged.grades >= relevant, np.lexsort((-judged.grades, low)))


def _examples(
    judged: JudgedPairs, scores: Float64Array, wanted: BoolArray, order: Int64Array
) -> list[Example]:
    order = order[wanted[order]]
    _, first = np.unique(judged.groups.ids[order], return_index=True)
    return [_example(judged, scores, row) for row in order[np.sort(first)][:SHOWN].tolist()]


def _example(judged: JudgedPairs, scores: Float64Array, row: int) -> Example:
    among = scores[judged.groups.ids == judged.groups.ids[row]]
    better = among > scores[row] if scores[row] == scores[row] else ~np.isnan(among)
    return Example(
        judged.queries[row],
        judged.candidates[row],
        float(judged.grades[row]),
        float(scores[row]),
        int(better.sum()) + 1,
        len(among),
    )
