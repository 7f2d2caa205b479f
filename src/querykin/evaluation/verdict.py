"""The verdict of an evaluation: its measures in order of quality, and one sentence on which is best."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from querykin.counted_nouns import counted
from querykin.evaluation.metrics import Metrics
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.results import Difference, Evaluation, Result, differences

METRIC = "ndcg"  # uses all grades, and is defined for pairs and for ranked lists


def best_first(outcome: EvaluationOutcome) -> EvaluationOutcome:
    """The same outcome with its measures by decreasing nDCG; ties stay in their order."""
    results = sorted(outcome.evaluation.results, key=lambda each: -_quality(each))
    order = [each.measure for each in results if each.measure in outcome.scores]
    scores = {name: outcome.scores[name] for name in order}
    return replace(outcome, scores=scores, evaluation=replace(outcome.evaluation, results=tuple(results)))


def _quality(result: Result) -> float:
    value = result.metrics.values[METRIC]
    return -1.0 if isnan(value) else value


def verdict(evaluation: Evaluation, seed: int = 0) -> str:
    """Which measure is best, by how much, and whether that could be chance.

    The best measure is compared with every other one by the permutation test over groups, with Holm's
    correction; what the test cannot separate is not told apart.

    >>> import numpy as np
    >>> from querykin.evaluation.results import evaluate
    >>> from querykin.io.judged_pairs import JudgedPairs
    >>> from querykin.io.text_column import TextColumn
    >>> queries = TextColumn([query for query in "abcdefgh" for _ in range(2)])
    >>> judged = JudgedPairs(queries, TextColumn(["x", "y"] * 8), np.array([1.0, 0.0] * 8), queries)
    >>> good, poor = np.array([0.9, 0.1] * 8), np.array([0.1, 0.9] * 8)
    >>> verdict(evaluate(judged, {"poor": poor, "good": good}))
    'good is best: nDCG 1.000, above poor (.631) by .369 (p = .008), over 8 groups.'
    >>> verdict(evaluate(judged, {"good": good, "as good": good}))
    'Not told apart: good has nDCG 1.000, as good 1.000 (p = 1.000), over 8 groups.'
    """
    best, *others = sorted(evaluation.results, key=lambda each: -_quality(each))
    if not evaluation.usable_groups or isnan(best.metrics.values[METRIC]):
        return "Nothing to compare: no group has both relevant pairs, with grades above 0, and others."
    groups, quality = f"over {counted(evaluation.usable_groups, 'group')}", short(_quality(best))
    if not others:
        return f"{best.measure}: nDCG {quality}, {groups}."
    tested = _differences_from(best, others, seed)
    together = [each for each in others if tested[each.measure].direction <= 0]
    below = [each for each in others if each not in together]
    if together:
        named = ", ".join(
            f"{each.measure} {short(_quality(each))} ({_p(tested[each.measure])})" for each in together
        )
        rest = f"; {best.measure} is above {_names(below)}" if below else ""
        return f"Not told apart: {best.measure} has nDCG {quality}, {named}, {groups}{rest}."
    second, difference = below[0], tested[below[0].measure]
    above = f"{second.measure} ({short(_quality(second))}) by {short(difference.interval.difference)}"
    rest = f"; {_names(below[1:])} {'is' if len(below) == 2 else 'are'} below, too" if below[1:] else ""
    return f"{best.measure} is best: nDCG {quality}, above {above} ({_p(difference)}), {groups}{rest}."


def _differences_from(best: Result, others: Sequence[Result], seed: int) -> dict[str, Difference]:
    """What the best measure has above each of the others."""
    ours, theirs = _only_metric(best), {each.measure: _only_metric(each) for each in others}
    found = differences(dict.fromkeys(theirs, ours), theirs, seed)
    return {name: each[METRIC] for name, each in found.items()}


def _only_metric(result: Result) -> Metrics:
    return replace(result.metrics, by_group={METRIC: result.metrics.by_group[METRIC]})


def short(value: float) -> str:
    """A number with three decimals and without its leading zero."""
    return "-" if isnan(value) else f"{value:.3f}".removeprefix("0")


def _p(difference: Difference) -> str:
    value = difference.permutation_holm
    if isnan(value):
        return "too few groups for a test"
    return "p < .001" if value < 0.001 else f"p = {short(value)}"


def _names(results: Sequence[Result]) -> str:
    *first, last = [each.measure for each in results]
    return f"{', '.join(first)} and {last}" if first else last
