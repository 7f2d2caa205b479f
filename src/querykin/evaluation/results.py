"""Comparison of measures: the metrics of each, and its differences from a baseline."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import nan

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError, UnknownName
from querykin.evaluation.metrics import Metrics, all_metrics
from querykin.evaluation.significance import Comparison, Interval, compare, compare_auc, holm
from querykin.io.judged_pairs import JudgedPairs

LEVEL = 0.05  # of significance


@dataclass(frozen=True)
class Difference:
    """The difference of one metric from the baseline, with its interval and p-values.

    `t_test` and `permutation` are p-values over groups, NaN where there is no test; the other two are
    adjusted by Holm's method for the number of measures compared.
    """

    interval: Interval
    t_test: float = nan
    permutation: float = nan
    t_test_holm: float = nan
    permutation_holm: float = nan

    @property
    def direction(self) -> int:
        """1 better, -1 worse, 0 not significant: permutation test and interval must both exclude 0."""
        excludes_zero = self.interval.low > 0 or self.interval.high < 0
        significant = excludes_zero and self.permutation_holm < LEVEL
        return int(np.sign(self.interval.difference)) if significant else 0


@dataclass(frozen=True)
class Result:
    """The metrics of one measure, and its differences from the baseline by metric."""

    measure: str
    metrics: Metrics
    differences: Mapping[str, Difference] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """Several measures on the same judged pairs, compared with a baseline among them."""

    pairs: int
    groups: int
    relevant: float
    baseline: str
    fingerprint: str  # of the judgements
    results: tuple[Result, ...]

    @property
    def usable_groups(self) -> int:
        """The number of groups that means are taken over."""
        values = next(iter(self.results[0].metrics.by_group.values()))
        return int(np.count_nonzero(~np.isnan(values)))

    def result(self, measure: str) -> Result:
        """The result of one measure."""
        return next(result for result in self.results if result.measure == measure)


def evaluate(
    judged: JudgedPairs,
    scores: Mapping[str, Float64Array],
    relevant: float | None = None,
    baseline: str | None = None,
    always_scores: Collection[str] = (),
    seed: int = 0,
) -> Evaluation:
    """Evaluate measures by their scores of judged pairs: one array each, in the order of the pairs.

    A pair is relevant from the grade `relevant` on (default: above the middle of the scale). `always_scores`
    names the measures that never return NaN: their coverage is the share of scores above 0.

    >>> from querykin.io.text_column import TextColumn
    >>> queries, candidates = TextColumn(["a", "a", "b", "b"]), TextColumn(["c", "d", "e", "f"])
    >>> judged = JudgedPairs(queries, candidates, np.array([1.0, 0.0, 1.0, 0.0]), queries)
    >>> scores = {"poor": np.array([0.5, 0.5, 0.1, 0.9]), "good": np.array([0.9, 0.1, 0.8, 0.2])}
    >>> found = evaluate(judged, scores)
    >>> found.relevant, [result.metrics.values["mean_auc"] for result in found.results]
    (1.0, [0.25, 1.0])
    >>> found.result("good").differences["mean_auc"].interval
    Interval(difference=0.75, low=0.5, high=1.0)
    """
    threshold = judged.threshold() if relevant is None else relevant
    groups = judged.groups.ids
    metrics = {
        name: all_metrics(values, judged.grades, groups, threshold, name in always_scores, seed)
        for name, values in scores.items()
    }
    base = check_baseline(baseline, metrics)
    compared = differences(metrics, {name: metrics[base] for name in metrics if name != base}, seed)
    for name in compared:
        interval = compare_auc(scores[name], scores[base], judged.grades, groups, threshold, seed)
        compared[name] = {"auc": Difference(interval), **compared[name]}
    results = [Result(name, each, compared.get(name, {})) for name, each in metrics.items()]
    return Evaluation(len(judged), int(groups.max()) + 1, threshold, base, judged.fingerprint, tuple(results))


def check_baseline(baseline: str | None, measures: Collection[str]) -> str:
    """The baseline: the named measure, which must be among the measures, or the first."""
    if not measures:
        raise InputError("nothing to evaluate: name at least one measure")
    if baseline is not None and baseline not in measures:
        raise UnknownName("baseline", baseline, measures)
    return baseline or next(iter(measures))


def differences(
    metrics: Mapping[str, Metrics], baselines: Mapping[str, Metrics], seed: int = 0
) -> dict[str, dict[str, Difference]]:
    """Compare each measure with the baseline of the same name, by every metric with values by group."""
    compared: dict[str, dict[str, Difference]] = {name: {} for name in baselines}
    for metric in next((list(baseline.by_group) for baseline in baselines.values()), []):
        if any(metric not in metrics[name].by_group for name in baselines):
            continue  # a stored run without values by group
        comparisons = [
            compare(metrics[name].by_group[metric], baseline.by_group[metric], seed)
            for name, baseline in baselines.items()
        ]
        for name, difference in zip(baselines, _adjusted(comparisons), strict=True):
            compared[name][metric] = difference
    return compared


def _adjusted(comparisons: list[Comparison]) -> list[Difference]:
    """Comparisons by one metric with p-values adjusted for their number."""
    t_tests = holm(np.array([each.t_test for each in comparisons])).tolist()
    permutations = holm(np.array([each.permutation for each in comparisons])).tolist()
    return [
        Difference(each.interval, each.t_test, each.permutation, *adjusted)
        for each, *adjusted in zip(comparisons, t_tests, permutations, strict=True)
    ]
