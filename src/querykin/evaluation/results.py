"""Which measure is better? The metrics of several, and how each differs from one of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import nan

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError, UnknownName
from querykin.evaluation.metrics import Metrics, all_metrics
from querykin.evaluation.significance import Comparison, Interval, compare, compare_auc, holm
from querykin.io.judged_pairs import JudgedPairs

LEVEL = 0.05  # a p-value below it is called significant


@dataclass(frozen=True)
class Difference:
    """How much better a measure is by one metric, and whether it may be luck.

    `t_test` and `permutation` are p-values over groups, NaN where there is no such test; the other two are
    the same after Holm's correction for the number of measures compared.
    """

    interval: Interval
    t_test: float = nan
    permutation: float = nan
    t_test_holm: float = nan
    permutation_holm: float = nan

    @property
    def direction(self) -> int:
        """1 better, -1 worse, 0 perhaps luck: both the corrected permutation test and the interval decide."""
        apart = self.interval.low > 0 or self.interval.high < 0
        return int(np.sign(self.interval.difference)) if apart and self.permutation_holm < LEVEL else 0


@dataclass(frozen=True)
class Result:
    """What one measure reaches, and its differences from the baseline by the metrics' names."""

    measure: str
    metrics: Metrics
    differences: Mapping[str, Difference] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """Several measures on the same judged pairs; the others are compared with the baseline."""

    pairs: int
    groups: int
    relevant: float
    baseline: str
    fingerprint: str  # of the judgements
    results: tuple[Result, ...]

    @property
    def usable_groups(self) -> int:
        """How many groups the means are over."""
        values = next(iter(self.results[0].metrics.by_group.values()))
        return int(np.count_nonzero(~np.isnan(values)))

    def result(self, measure: str) -> Result:
        """What one measure reaches."""
        return next(result for result in self.results if result.measure == measure)


def evaluate(
    judged: JudgedPairs,
    scores: Mapping[str, Float64Array],
    relevant: float | None = None,
    baseline: str | None = None,
    always_scores: Collection[str] = (),
    seed: int = 0,
) -> Evaluation:
    """Evaluate measures by their scores of judged pairs: one array for each, in the order of the pairs.

    A pair is relevant from the grade `relevant` on (default: above the middle of the scale). `always_scores`
    names the measures that never leave a pair out: their coverage counts what is above 0.

    >>> from querykin.evaluation.texts import TextColumn
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
    found = {
        name: all_metrics(values, judged.grades, groups, threshold, name in always_scores, seed)
        for name, values in scores.items()
    }
    base = check_baseline(baseline, found)
    against_base = differences(found, {name: found[base] for name in found if name != base}, seed)
    for name in against_base:
        interval = compare_auc(scores[name], scores[base], judged.grades, groups, threshold, seed)
        against_base[name] = {"auc": Difference(interval), **against_base[name]}
    results = [Result(name, metrics, against_base.get(name, {})) for name, metrics in found.items()]
    return Evaluation(len(judged), int(groups.max()) + 1, threshold, base, judged.fingerprint, tuple(results))


def check_baseline(baseline: str | None, measures: Collection[str]) -> str:
    """The measure that the others are compared with: the first, unless another is named."""
    if not measures:
        raise InputError("nothing to evaluate: name at least one measure")
    if baseline is not None and baseline not in measures:
        raise UnknownName("baseline", baseline, measures)
    return baseline or next(iter(measures))


def differences(
    ours: Mapping[str, Metrics], theirs: Mapping[str, Metrics], seed: int = 0
) -> dict[str, dict[str, Difference]]:
    """Compare measures with what stands under their names in `theirs`, by every metric that goes by group."""
    compared: dict[str, dict[str, Difference]] = {name: {} for name in theirs}
    metrics = next((list(other.by_group) for other in theirs.values()), [])
    for metric in metrics:
        if any(metric not in ours[name].by_group for name in theirs):
            continue  # an evaluation that was kept without its groups
        found = [compare(ours[name].by_group[metric], theirs[name].by_group[metric], seed) for name in theirs]
        for name, difference in zip(theirs, _corrected(found), strict=True):
            compared[name][metric] = difference
    return compared


def _corrected(found: list[Comparison]) -> list[Difference]:
    """Comparisons by one metric with their p-values corrected for their number."""
    t_tests = holm(np.array([one.t_test for one in found])).tolist()
    permutations = holm(np.array([one.permutation for one in found])).tolist()
    return [
        Difference(one.interval, one.t_test, one.permutation, *corrected)
        for one, *corrected in zip(found, t_tests, permutations, strict=True)
    ]
