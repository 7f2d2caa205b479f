"""The training report of a combination: held-out quality, learning curve, thresholds and importance."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import InputError
from querykin.evaluation.metrics import all_metrics
from querykin.evaluation.tables import TextTable
from querykin.learning.calibration import calibration_error
from querykin.learning.combination.features import owner
from querykin.learning.combination.fitting import combined
from querykin.learning.combination.training_data import CombinationTrainingData
from querykin.learning.cross_validation import Content, cross_validate, group_folds
from querykin.learning.preferences import comparable, pairwise_accuracy

FOLDS = 10
CURVE = (50, 200, 1000)  # labels
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_CURVE_FOLDS = 5
_MAX_CURVE_SHARE = 0.8  # of the pairs: what remains for training in a fold
_IMPORTANCE_GROUPS = 100  # groups that permutation importance is computed on
Done = Callable[[int], None]


def report(
    training_data: CombinationTrainingData, content: Content, seed: int = 0, done: Done = lambda steps: None
) -> dict[str, Any]:
    """The report as plain numbers; apart from the importance, everything is about held-out pairs.

    With too few groups to hold any out, only the importance is reported.
    """
    groups = training_data.judged.groups.ids
    folds = min(FOLDS, int(groups.max()) + 1)
    importance = {"permutation_importance": permutation_importance(training_data, content, seed)}
    try:
        held_out = cross_validate(training_data, folds, seed, lambda rows: done(1))
    except InputError:
        return importance
    features = training_data.features
    single = {
        name: _metrics(training_data, features.values[:, features.names.index(name)])["mean_auc"]
        for name in training_data.training_config.measures
    }
    return {
        "folds": folds,
        **_metrics(training_data, held_out),
        "calibration_error": calibration_error(held_out, training_data.labels),
        "single_measures": single,
        "learning_curve": learning_curve(training_data, seed, done),
        "thresholds": at_thresholds(training_data, held_out),
        **importance,
    }


def _metrics(training_data: CombinationTrainingData, scores: Float64Array) -> dict[str, float | None]:
    judged = training_data.judged
    values = all_metrics(scores, judged.grades, judged.groups.ids, training_data.relevant).values
    return {name: _rounded(values[name]) for name in ("auc", "mean_auc", "map", "p@1", "p@3")}


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)


def learning_curve(
    training_data: CombinationTrainingData, seed: int = 0, done: Done = lambda steps: None
) -> list[dict[str, float | None]]:
    """Mean AUC on held-out groups after training on fewer labels: whole groups in random order."""
    groups = training_data.judged.groups.ids
    order = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
    folds = group_folds(groups, min(_CURVE_FOLDS, len(order)), seed)
    curve: list[dict[str, float | None]] = []
    for labels in _curve_sizes(training_data):
        scores = np.full(len(groups), np.nan)
        for fold in range(int(folds.max()) + 1):
            rows = _first_labels(np.flatnonzero(folds != fold), groups, order, labels)
            held_out = np.flatnonzero(folds == fold)
            with suppress(InputError):  # few labels may all be of one class
                scores[held_out] = training_data.scores(training_data.learn(rows), held_out)
            done(1)
        curve.append({"labels": labels, "mean_auc": _metrics(training_data, scores)["mean_auc"]})
    return curve


def _curve_sizes(training_data: CombinationTrainingData) -> list[int]:
    return [size for size in CURVE if size < _MAX_CURVE_SHARE * len(training_data.judged)]


def steps(training_data: CombinationTrainingData) -> int:
    """The number of models that a report fits, for a progress bar."""
    groups = int(training_data.judged.groups.ids.max()) + 1
    return min(FOLDS, groups) + len(_curve_sizes(training_data)) * min(_CURVE_FOLDS, groups)


def _first_labels(rows: Int64Array, groups: Int64Array, order: Int64Array, labels: int) -> Int64Array:
    """The rows of the first groups in the order that have about this many labels, at least two groups."""
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    ordered = rows[np.argsort(position[groups[rows]], kind="stable")]
    ends = np.flatnonzero(np.append(np.diff(groups[ordered]) != 0, True)) + 1
    last_group = max(1, int(np.searchsorted(ends, labels)))
    return np.sort(ordered[: ends[min(last_group, len(ends) - 1)]])


def at_thresholds(
    training_data: CombinationTrainingData, probabilities: Float64Array
) -> list[dict[str, float]]:
    """Precision and recall of the pairs with at least a given probability, for each threshold."""
    points = []
    for threshold in THRESHOLDS:
        selected = probabilities >= threshold
        hits = int((selected & training_data.labels).sum())
        points.append(
            {
                "threshold": threshold,
                "taken": float(selected.mean()),
                "precision": hits / selected.sum() if selected.any() else 0.0,
                "recall": hits / max(1, int(training_data.labels.sum())),
            }
        )
    return points


def permutation_importance(
    training_data: CombinationTrainingData, content: Content, seed: int = 0
) -> dict[str, float]:
    """Pairwise accuracy lost when the features of a measure are permuted (Breiman 2001), largest first.

    Features are permuted within groups. It is computed on the training pairs: it shows what the model relies
    on, not how good a model without the measure would be.
    """
    rng = np.random.default_rng(seed)
    groups = training_data.judged.groups.ids
    sampled = rng.permutation(int(groups.max()) + 1)[:_IMPORTANCE_GROUPS]
    rows = np.flatnonzero(np.isin(groups, sampled))
    rows = rows[np.argsort(groups[rows], kind="stable")]
    features, grades = training_data.features.part(rows), training_data.judged.grades[rows]
    compared = comparable(grades, groups[rows])
    names = list(dict.fromkeys(map(owner, content["features"])))
    if np.isnan(pairwise_accuracy(np.zeros(len(rows)), grades, compared)).all():
        return dict.fromkeys(names, 0.0)

    def accuracy(values: Float64Array) -> float:
        scores = combined(content, replace(features, values=values))
        return float(np.nanmean(pairwise_accuracy(scores, grades, compared)))

    full = accuracy(features.values)
    permuted = np.lexsort((rng.random(len(rows)), compared))
    importance = {}
    for name in names:
        columns = [column for column, feature in enumerate(features.names) if owner(feature) == name]
        values = features.values.copy()
        values[:, columns] = values[permuted][:, columns]
        importance[name] = round(full - accuracy(values), 6)
    return dict(sorted(importance.items(), key=lambda item: -item[1]))


def verdict(metrics: Mapping[str, Any]) -> str:
    """A warning about a combination that is not better than every single measure, or an empty string."""
    if "folds" not in metrics:
        return "too few queries for cross-validation: the quality on other queries is unknown"
    best = max((value for value in metrics["single_measures"].values() if value is not None), default=0.0)
    if (metrics["mean_auc"] or 0.0) <= best:
        return "on held-out queries it is not better than the best single measure; judge more queries"
    return ""


def report_tables(name: str, metrics: dict[str, Any], content: Content) -> list[TextTable]:
    """The report as tables of text."""
    weights = dict(zip(content["features"], content.get("weights", []), strict=False))
    rows = [
        [feature, f"{lost:+.4f}", _signed(weights.get(feature))]
        for feature, lost in metrics["permutation_importance"].items()
    ]
    tables = [TextTable("permutation importance", ["feature", "accuracy lost", "weight"], rows)]
    if "thresholds" not in metrics:
        return tables
    best = sorted(metrics["single_measures"].items(), key=lambda item: -(item[1] or 0))[:5]
    rows = [
        [name, _number(metrics["mean_auc"])],
        *([single, _number(value)] for single, value in best),
    ]
    title = f"mean AUC on held-out groups ({metrics['folds']} folds)"
    tables.append(TextTable(title, ["measure", "mean AUC"], rows))
    rows = [[str(point["labels"]), _number(point["mean_auc"])] for point in metrics["learning_curve"]]
    rows.append(["all", _number(metrics["mean_auc"])])
    tables.append(TextTable("learning curve", ["labels", "mean AUC"], rows))
    rows = [
        [f"{point['threshold']:.1f}", *(f"{point[key]:.1%}" for key in ("precision", "recall", "taken"))]
        for point in metrics["thresholds"]
    ]
    title = f"quality by minimum probability (calibration error {metrics['calibration_error']:.3f})"
    tables.append(TextTable(title, ["probability", "precision", "recall", "taken"], rows))
    return tables


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _signed(weight: float | None) -> str:
    return "" if weight is None else f"{weight:+.3f}"
