"""Orderings of measures in a published table, checked on our data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations

from querykin.compute.arrays import Float64Array
from querykin.evaluation import Evaluation
from querykin.evaluation.metrics import auc_pr, tpr_at
from querykin.evaluation.ranked_groups import Thresholds, thresholds
from querykin.evaluation.significance import Interval, compare, compare_auc
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import interval, number, table
from reproduce.pooled import compare_pooled

DIGITS = 3  # of a printed interval
MIN_DIFFERENCE = 0.01  # smaller differences in a paper are not counted as orderings
Figures = Mapping[str, Mapping[str, float]]  # by our measures' names, then by the metrics'
VERDICTS = {1: "holds", 0: "no clear difference", -1: "reversed"}
CURVES: dict[str, Callable[[Thresholds], float]] = {
    "auc_pr": auc_pr,
    "tpr@0.1": partial(tpr_at, fpr=0.1),
    "tpr@0.2": partial(tpr_at, fpr=0.2),
}


@dataclass(frozen=True)
class Ordering:
    """A measure that the paper ranks above another, with our difference and its interval."""

    metric: str
    higher: str
    lower: str
    paper: float  # the published difference
    ours: Interval

    @property
    def verdict(self) -> str:
        """Whether it holds; there is a verdict only where the 95 % interval excludes 0."""
        return VERDICTS[clear(self.ours)]


def clear(found: Interval) -> int:
    """1 better, -1 worse, 0 if the interval includes 0 in the digits that are printed.

    >>> clear(Interval(0.0003, 0.0001, 0.0004)), clear(Interval(0.03, 0.01, 0.05))
    (0, 1)
    """
    return int(round(found.low, DIGITS) > 0) - int(round(found.high, DIGITS) < 0)


def by_metric(metrics: Iterable[str], rows: Mapping[str, Sequence[float]]) -> Figures:
    """A published table with its columns named; further columns are left out.

    >>> by_metric(["auc", "map"], {"tfidf": (0.7, 0.5)})
    {'tfidf': {'auc': 0.7, 'map': 0.5}}
    """
    columns = list(metrics)
    return {name: dict(zip(columns, values, strict=False)) for name, values in rows.items()}


def difference(
    metric: str,
    first: str,
    second: str,
    found: Evaluation,
    judged: JudgedSet,
    scores: Mapping[str, Float64Array],
) -> Interval:
    """The difference of two measures by a metric."""
    if metric == "auc":
        return compare_auc(
            scores[first], scores[second], judged.judged.grades, judged.judged.groups.ids, judged.relevant
        )
    if curve := CURVES.get(metric):
        return compare_pooled(
            lambda values, grades: curve(thresholds(values, grades, judged.relevant)),
            scores[first],
            scores[second],
            judged.judged.grades,
            judged.judged.groups.ids,
        )
    ours, theirs = (found.result(name).metrics.by_group[metric] for name in (first, second))
    return compare(ours, theirs).interval


def orderings(
    printed: Figures, found: Evaluation, judged: JudgedSet, scores: Mapping[str, Float64Array]
) -> list[Ordering]:
    """All orderings in the published figures, with our differences."""
    metrics = list(next(iter(printed.values())))
    seen = []
    for metric in metrics:
        for first, second in permutations(printed, 2):
            apart = printed[first][metric] - printed[second][metric]
            if apart >= MIN_DIFFERENCE - 1e-9:
                ours = difference(metric, first, second, found, judged, scores)
                seen.append(Ordering(metric, first, second, apart, ours))
    return seen


def counted(found: list[Ordering]) -> str:
    """The number of orderings by metric and verdict."""
    rows = []
    for metric in dict.fromkeys(each.metric for each in found):
        verdicts = [each.verdict for each in found if each.metric == metric]
        rows.append([metric, str(len(verdicts)), *(str(verdicts.count(name)) for name in VERDICTS.values())])
    return table(["metric", "orderings in the paper", *VERDICTS.values()], rows)


def listed(found: list[Ordering], verdict: str) -> str:
    """The orderings with one verdict."""
    rows = [
        [each.metric, each.higher, each.lower, f"+{number(each.paper)}", interval(each.ours)]
        for each in found
        if each.verdict == verdict
    ]
    header = [
        "metric",
        "higher in the paper",
        "lower in the paper",
        "difference in the paper",
        "ours, 95 % interval",
    ]
    return table(header, rows) if rows else "None."
