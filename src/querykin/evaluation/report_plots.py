"""The plots of an evaluation report: those of all measures together, and those of each."""

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.evaluation import curves
from querykin.evaluation.failures import group_differences
from querykin.evaluation.metrics import RECALLS
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.ranked_groups import Thresholds, thresholds
from querykin.evaluation.results import Evaluation
from querykin.evaluation.svg import Line, Plot, grade_color, style

ThresholdsByMeasure = dict[str, Thresholds]


def common_plots(outcome: EvaluationOutcome) -> list[Plot]:
    """Precision-recall, ROC, mean grade by number of suggestions, and reliability, with all measures."""
    if not outcome.scores:
        return []
    grades, relevant = outcome.judged.grades, outcome.evaluation.relevant
    cuts = {name: thresholds(scores, grades, relevant) for name, scores in outcome.scores.items()}
    return [
        _precision_recall(cuts),
        _eleven_points(outcome.evaluation),
        _roc(cuts),
        _suggestions(cuts, outcome.evaluation.groups),
        _reliability(outcome),
    ]


def _precision_recall(cuts: ThresholdsByMeasure) -> Plot:
    lines = _lines({name: _points(curves.precision_recall(each)) for name, each in cuts.items()})
    title, caption = "Precision and recall, all pairs", "One threshold for all groups."
    return Plot(title, "recall", "precision", caption, lines, unit=True)


def _eleven_points(evaluation: Evaluation) -> Plot:
    points = {result.measure: (RECALLS, result.metrics.eleven_points) for result in evaluation.results}
    title = "Precision and recall, mean over groups"
    caption = "The best precision at each recall or a higher one (11 points)."
    return Plot(title, "recall", "precision", caption, _lines(points, all_marked=True), unit=True)


def _roc(cuts: ThresholdsByMeasure) -> Plot:
    lines = _lines({name: _points(curves.roc(each)) for name, each in cuts.items()})
    x, y = "irrelevant pairs let through", "relevant pairs kept"
    return Plot("ROC, all pairs", x, y, "The broken line is chance.", lines, unit=True, diagonal=True)


def _suggestions(cuts: ThresholdsByMeasure, groups: int) -> Plot:
    rated = {name: curves.ratings(each, groups) for name, each in cuts.items()}
    lines = _lines({name: (each.per_group, each.mean_grades) for name, each in rated.items()})
    caption = "As the threshold falls, more is suggested (Sahami & Heilman, figure 2)."
    return Plot("Mean grade by number of suggestions", "suggestions per group", "mean grade", caption, lines)


def _reliability(outcome: EvaluationOutcome) -> Plot:
    grades, relevant = outcome.judged.grades, outcome.evaluation.relevant
    diagrams = {name: curves.reliability(scores, grades, relevant) for name, scores in outcome.scores.items()}
    lines = _lines({name: (each.scores, each.relevant) for name, each in diagrams.items()}, all_marked=True)
    caption = "On the broken line a score is a probability. Measures that leave 0 to 1 are not drawn."
    return Plot(
        "Reliability", "mean score", "share of relevant pairs", caption, lines, unit=True, diagonal=True
    )


def measure_plots(outcome: EvaluationOutcome, measure: str) -> list[Plot]:
    """The plots of one measure: distribution of scores, mean grade by threshold, differences by group."""
    plots = []
    if measure in outcome.scores:
        plots += [_distribution(outcome, measure), _ratings(outcome, measure)]
    if measure != outcome.evaluation.baseline:
        plots.append(_differences(outcome, measure))
    return plots


def legend(outcome: EvaluationOutcome) -> list[Line]:
    """A line without points for each measure, in the style of all plots."""
    empty = np.empty(0)
    return _lines({result.measure: (empty, empty) for result in outcome.evaluation.results})


def _points(curve: curves.Curve) -> tuple[Float64Array, Float64Array]:
    return curve.x, curve.y


def _lines(points: dict[str, tuple[Float64Array, Float64Array]], all_marked: bool = False) -> list[Line]:
    return [
        Line(name, x[~np.isnan(y)], y[~np.isnan(y)], *style(number), all_marked)
        for number, (name, (x, y)) in enumerate(points.items())
    ]


def _distribution(outcome: EvaluationOutcome, measure: str) -> Plot:
    """Complementary cumulative distribution: many measures have a peak at 0 or 1 that would hide the rest."""
    histogram = curves.distribution(
        outcome.scores[measure], outcome.judged.grades, outcome.evaluation.relevant
    )
    above = np.cumsum(histogram.counts[:, ::-1], axis=1)[:, ::-1]
    shares = above / np.maximum(above[:, :1], 1)
    count = len(histogram.grades)
    lines = [
        Line(f"grade {grade:g}", histogram.edges[:-1], share, grade_color(number, count), *style(number)[1:])
        for number, (grade, share) in enumerate(zip(histogram.grades, shares, strict=True))
    ]
    caption = "Of the pairs of each grade, how many have at least a score."
    return Plot("Scores of each grade", "score", "share of pairs", caption, lines, legend=True)


def _ratings(outcome: EvaluationOutcome, measure: str) -> Plot:
    judged, evaluation = outcome.judged, outcome.evaluation
    rated = curves.ratings(
        thresholds(outcome.scores[measure], judged.grades, evaluation.relevant), evaluation.groups
    )
    number = list(outcome.scores).index(measure)
    line = Line(measure, rated.thresholds, rated.mean_grades, *style(number))
    return Plot(
        "Mean grade by threshold",
        "minimum score",
        "mean grade",
        "Of all pairs with at least this score (Sahami & Heilman, figure 1).",
        [line],
    )


def _differences(outcome: EvaluationOutcome, measure: str) -> Plot:
    values = np.sort(group_differences(outcome.evaluation, measure))
    values = values[~np.isnan(values)]
    chosen = np.linspace(0, max(0, len(values) - 1), curves.MAX_POINTS).astype(np.int64)
    chosen = np.unique(chosen)[: len(values)]
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    caption = (
        f"{wins:,} groups better, {len(values) - wins - losses:,} equal, {losses:,} worse than the baseline."
    )
    number = [result.measure for result in outcome.evaluation.results].index(measure)
    line = Line(measure, (chosen + 1).astype(np.float64), values[chosen], *style(number))
    return Plot("Average precision, group by group", "groups, the worst first", "difference", caption, [line])
