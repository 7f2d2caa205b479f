"""Which plots belong to an evaluation? Those of all measures together, and those of each."""

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.evaluation import curves
from querykin.evaluation.failures import changes
from querykin.evaluation.metrics import RECALLS
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.ranked_groups import Thresholds, thresholds
from querykin.evaluation.results import Evaluation
from querykin.evaluation.svg import Line, Plot, grade_colour, style

StoredRun = dict[str, Thresholds]  # by the measures' names


def common_plots(outcome: EvaluationOutcome) -> list[Plot]:
    """Precision-recall, ROC, mean grade against the number of suggestions, and reliability."""
    if not outcome.scores:
        return []
    grades, relevant = outcome.judged.grades, outcome.evaluation.relevant
    kept = {name: thresholds(scores, grades, relevant) for name, scores in outcome.scores.items()}
    return [
        _precision_recall(kept),
        _eleven_points(outcome.evaluation),
        _roc(kept),
        _suggestions(kept, outcome.evaluation.groups),
        _reliability(outcome),
    ]


def _precision_recall(kept: StoredRun) -> Plot:
    lines = _lines({name: _points(curves.precision_recall(each)) for name, each in kept.items()})
    title, caption = "Precision and recall, all pairs", "One threshold for all groups."
    return Plot(title, "recall", "precision", caption, lines, unit=True)


def _eleven_points(found: Evaluation) -> Plot:
    points = {result.measure: (RECALLS, result.metrics.eleven_points) for result in found.results}
    title = "Precision and recall, mean over groups"
    caption = "The best precision at each recall or a higher one (11 points)."
    return Plot(title, "recall", "precision", caption, _lines(points, dots=True), unit=True)


def _roc(kept: StoredRun) -> Plot:
    lines = _lines({name: _points(curves.roc(each)) for name, each in kept.items()})
    x, y = "irrelevant pairs let through", "relevant pairs kept"
    return Plot("ROC, all pairs", x, y, "The broken line is chance.", lines, unit=True, diagonal=True)


def _suggestions(kept: StoredRun, groups: int) -> Plot:
    rated = {name: curves.ratings(each, groups) for name, each in kept.items()}
    lines = _lines({name: (each.per_group, each.mean_grades) for name, each in rated.items()})
    caption = "As the threshold falls, more is suggested (Sahami & Heilman, figure 2)."
    return Plot("Mean grade by number of suggestions", "suggestions per group", "mean grade", caption, lines)


def _reliability(outcome: EvaluationOutcome) -> Plot:
    grades, relevant = outcome.judged.grades, outcome.evaluation.relevant
    found = {name: curves.reliability(scores, grades, relevant) for name, scores in outcome.scores.items()}
    lines = _lines({name: (each.scores, each.relevant) for name, each in found.items()}, dots=True)
    caption = "On the broken line a score is a probability. Measures that leave 0 to 1 are not drawn."
    return Plot(
        "Reliability", "mean score", "share of relevant pairs", caption, lines, unit=True, diagonal=True
    )


def measure_plots(outcome: EvaluationOutcome, measure: str) -> list[Plot]:
    """How the scores of one measure lie, what a threshold gives, and where it wins and loses."""
    plots = []
    if measure in outcome.scores:
        plots += [_distribution(outcome, measure), _ratings(outcome, measure)]
    if measure != outcome.evaluation.baseline:
        plots.append(_changes(outcome, measure))
    return plots


def legend(outcome: EvaluationOutcome) -> list[Line]:
    """How each measure is drawn."""
    empty = np.empty(0)
    return _lines({result.measure: (empty, empty) for result in outcome.evaluation.results})


def _points(curve: curves.Curve) -> tuple[Float64Array, Float64Array]:
    return curve.x, curve.y


def _lines(points: dict[str, tuple[Float64Array, Float64Array]], dots: bool = False) -> list[Line]:
    return [
        Line(name, x[~np.isnan(y)], y[~np.isnan(y)], *style(number), dots=dots)
        for number, (name, (x, y)) in enumerate(points.items())
    ]


def _distribution(outcome: EvaluationOutcome, measure: str) -> Plot:
    """Summed up from the right: many measures have a heap at 0 or 1 that would dwarf everything else."""
    found = curves.distribution(outcome.scores[measure], outcome.judged.grades, outcome.evaluation.relevant)
    above = np.cumsum(found.counts[:, ::-1], axis=1)[:, ::-1]
    shares = above / np.maximum(above[:, :1], 1)
    lines = [
        Line(f"grade {grade:g}", found.edges[:-1], share, grade_colour(number, len(found.grades)))
        for number, (grade, share) in enumerate(zip(found.grades, shares, strict=True))
    ]
    caption = "Of the pairs of each grade, how many have at least a score."
    return Plot("Scores of each grade", "score", "share of pairs", caption, lines, legend=True)


def _ratings(outcome: EvaluationOutcome, measure: str) -> Plot:
    judged, found = outcome.judged, outcome.evaluation
    rated = curves.ratings(thresholds(outcome.scores[measure], judged.grades, found.relevant), found.groups)
    number = list(outcome.scores).index(measure)
    line = Line(measure, rated.thresholds, rated.mean_grades, *style(number))
    return Plot(
        "Mean grade by threshold",
        "least score",
        "mean grade",
        "Of all pairs with at least this score (Sahami & Heilman, figure 1).",
        [line],
    )


def _changes(outcome: EvaluationOutcome, measure: str) -> Plot:
    values = np.sort(changes(outcome.evaluation, measure))
    values = values[~np.isnan(values)]
    places = np.unique(np.linspace(0, max(0, len(values) - 1), curves.POINTS).astype(np.int64))[: len(values)]
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    caption = (
        f"{wins:,} groups better, {len(values) - wins - losses:,} equal, {losses:,} worse than the baseline."
    )
    number = [result.measure for result in outcome.evaluation.results].index(measure)
    line = Line(measure, (places + 1).astype(np.float64), values[places], *style(number))
    return Plot("Average precision, group by group", "groups, the worst first", "difference", caption, [line])
