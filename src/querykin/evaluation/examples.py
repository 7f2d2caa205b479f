"""Where does it fail? Groups that a measure orders worse than the baseline, and pairs on the wrong side."""

from dataclasses import dataclass

import numpy as np

from querykin.compiled import Bools, Longs, Reals
from querykin.evaluation.judgements import Judgements
from querykin.evaluation.results import Evaluation

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


def changes(found: Evaluation, measure: str, metric: str = "map") -> Reals:
    """For each group how much better the measure is than the baseline; NaN where it cannot be said."""
    ours, base = found.result(measure).metrics, found.result(found.baseline).metrics
    return ours.by_group[metric] - base.by_group[metric]


def worst_losses(judged: Judgements, found: Evaluation, measure: str) -> list[GroupChange]:
    """The groups that lose most against the baseline, the worst first."""
    values = changes(found, measure)
    order = np.argsort(values, kind="stable")[:SHOWN]  # NaN comes last
    return [_change(judged, found, measure, group) for group in order.tolist() if values[group] < 0]


def _change(judged: Judgements, found: Evaluation, measure: str, group: int) -> GroupChange:
    grades = judged.grades[judged.groups.numbers == group]
    values = (found.result(name).metrics.by_group["map"][group] for name in (found.baseline, measure))
    relevant = int((grades >= found.relevant).sum())
    return GroupChange(judged.groups.distinct[group], len(grades), relevant, *map(float, values))


def best_wrong(judged: Judgements, scores: Reals, relevant: float) -> list[Example]:
    """Irrelevant pairs with the highest scores, one a group."""
    wrong = (judged.grades < relevant) & ~np.isnan(scores)
    return _examples(judged, scores, wrong, np.lexsort((judged.grades, -scores)))


def worst_right(judged: Judgements, scores: Reals, relevant: float) -> list[Example]:
    """Relevant pairs with the lowest scores, or without one, one a group."""
    low = np.where(np.isnan(scores), -np.inf, scores)
    return _examples(judged, scores, judged.grades >= relevant, np.lexsort((-judged.grades, low)))


def _examples(judged: Judgements, scores: Reals, wanted: Bools, order: Longs) -> list[Example]:
    order = order[wanted[order]]
    _, first = np.unique(judged.groups.numbers[order], return_index=True)
    return [_example(judged, scores, row) for row in order[np.sort(first)][:SHOWN].tolist()]


def _example(judged: Judgements, scores: Reals, row: int) -> Example:
    among = scores[judged.groups.numbers == judged.groups.numbers[row]]
    better = among > scores[row] if scores[row] == scores[row] else ~np.isnan(among)
    return Example(
        judged.queries[row],
        judged.candidates[row],
        float(judged.grades[row]),
        float(scores[row]),
        int(better.sum()) + 1,
        len(among),
    )
