"""Examples of failures: groups that lose against the baseline, and pairs scored on the wrong side."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.evaluation.results import Evaluation
from querykin.io.judged_pairs import JudgedPairs

MAX_EXAMPLES = 10


@dataclass(frozen=True)
class GroupChange:
    """The average precision of a group under the baseline and under a measure."""

    group: str
    pairs: int
    relevant: int
    baseline: float
    measure: float

    @property
    def difference(self) -> float:
        """Average precision gained over the baseline."""
        return self.measure - self.baseline


@dataclass(frozen=True)
class Example:
    """A judged pair with its score and its rank among the pairs of its group."""

    query: str
    candidate: str
    grade: float
    score: float
    rank: int
    group_size: int


def group_differences(evaluation: Evaluation, measure: str, metric: str = "map") -> Float64Array:
    """The difference of a metric between measure and baseline for each group; NaN where undefined."""
    baseline = evaluation.result(evaluation.baseline).metrics
    return evaluation.result(measure).metrics.by_group[metric] - baseline.by_group[metric]


def worst_losses(judged: JudgedPairs, evaluation: Evaluation, measure: str) -> list[GroupChange]:
    """The groups that lose most against the baseline, the largest loss first."""
    differences = group_differences(evaluation, measure)
    order = np.argsort(differences, kind="stable")[:MAX_EXAMPLES]  # NaN comes last
    return [_change(judged, evaluation, measure, group) for group in order.tolist() if differences[group] < 0]


def _change(judged: JudgedPairs, evaluation: Evaluation, measure: str, group: int) -> GroupChange:
    grades = judged.grades[judged.groups.ids == group]
    values = (
        evaluation.result(name).metrics.by_group["map"][group] for name in (evaluation.baseline, measure)
    )
    relevant = int((grades >= evaluation.relevant).sum())
    return GroupChange(judged.groups.distinct[group], len(grades), relevant, *map(float, values))


def top_irrelevant(judged: JudgedPairs, scores: Float64Array, relevant: float) -> list[Example]:
    """Irrelevant pairs with the highest scores, one per group."""
    irrelevant = (judged.grades < relevant) & ~np.isnan(scores)
    return _examples(judged, scores, irrelevant, np.lexsort((judged.grades, -scores)))


def bottom_relevant(judged: JudgedPairs, scores: Float64Array, relevant: float) -> list[Example]:
    """Relevant pairs with the lowest scores or none, one per group."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    return _examples(judged, scores, judged.grades >= relevant, np.lexsort((-judged.grades, filled)))


def _examples(
    judged: JudgedPairs, scores: Float64Array, eligible: BoolArray, order: Int64Array
) -> list[Example]:
    order = order[eligible[order]]
    _, first_of_group = np.unique(judged.groups.ids[order], return_index=True)
    rows = order[np.sort(first_of_group)][:MAX_EXAMPLES]
    return [_example(judged, scores, row) for row in rows.tolist()]


def _example(judged: JudgedPairs, scores: Float64Array, row: int) -> Example:
    group_scores = scores[judged.groups.ids == judged.groups.ids[row]]
    above = ~np.isnan(group_scores) if np.isnan(scores[row]) else group_scores > scores[row]
    return Example(
        judged.queries[row],
        judged.candidates[row],
        float(judged.grades[row]),
        float(scores[row]),
        int(above.sum()) + 1,
        len(group_scores),
    )
