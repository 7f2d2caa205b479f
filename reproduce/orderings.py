"""Which of a paper's orderings hold here? Every two lines of a table that clearly differ in the paper."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

from querykin.compute.arrays import Float64Array
from querykin.evaluation import Evaluation
from querykin.evaluation.significance import Interval, compare, compare_auc
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import interval, number, table

LEAST = 0.01  # a smaller difference in a paper is no ordering
Figures = Mapping[str, Mapping[str, float]]  # by our measures' names, then by the metrics'
VERDICTS = {1: "holds", 0: "not told apart", -1: "reversed"}


@dataclass(frozen=True)
class Ordering:
    """A measure that the paper has above another, and what we see: the difference with its interval."""

    metric: str
    higher: str
    lower: str
    paper: float  # the difference that the paper prints
    ours: Interval

    @property
    def verdict(self) -> str:
        """Whether it holds; told apart only where the 95 % interval leaves out 0."""
        return VERDICTS[clear(self.ours)]


def clear(found: Interval) -> int:
    """1 better, -1 worse, 0 not told apart: by whether the interval leaves out 0."""
    return int(found.low > 0) - int(found.high < 0)


def difference(
    metric: str,
    first: str,
    second: str,
    found: Evaluation,
    judged: JudgedSet,
    scores: Mapping[str, Float64Array],
) -> Interval:
    """How much higher one measure is than another by a metric."""
    if metric == "auc":
        return compare_auc(
            scores[first], scores[second], judged.judged.grades, judged.judged.groups.ids, judged.relevant
        )
    ours, theirs = (found.result(name).metrics.by_group[metric] for name in (first, second))
    return compare(ours, theirs).interval


def orderings(
    printed: Figures, found: Evaluation, judged: JudgedSet, scores: Mapping[str, Float64Array]
) -> list[Ordering]:
    """All orderings that the printed figures show, beside ours."""
    metrics = list(next(iter(printed.values())))
    seen = []
    for metric in metrics:
        for first, second in permutations(printed, 2):
            apart = printed[first][metric] - printed[second][metric]
            if apart >= LEAST - 1e-9:
                ours = difference(metric, first, second, found, judged, scores)
                seen.append(Ordering(metric, first, second, apart, ours))
    return seen


def counted(found: list[Ordering]) -> str:
    """How many hold, metric by metric."""
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
