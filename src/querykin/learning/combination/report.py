"""What a trained combination is worth: on queries it has not seen, with few labels, at every threshold."""

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
from querykin.learning.cross_validation import Content, cross_validate
from querykin.learning.folds import group_folds
from querykin.learning.preferences import comparable, pairwise_accuracy

FOLDS = 10
CURVE = (50, 200, 1000)  # labels
_TRIED = 100  # groups on which the worth of a measure is tried
_CURVE_FOLDS = 5
Done = Callable[[int], None]


def report(
    training_data: CombinationTrainingData, content: Content, seed: int = 0, done: Done = lambda steps: None
) -> dict[str, Any]:
    """All of it as plain numbers; every probability in it comes from a model that has not seen the pair."""
    groups = training_data.judged.groups.ids
    folds = min(FOLDS, int(groups.max()) + 1)
    relied_on = {"worth": permutation_importance(training_data, content, seed)}
    try:
        unseen = cross_validate(training_data, folds, seed, lambda rows: done(1))
    except InputError:  # too few groups: without one of them there is nothing to learn from
        return relied_on
    measured = _metrics(training_data, unseen)
    single = {
        name: _metrics(
            training_data, training_data.features.values[:, training_data.features.names.index(name)]
        )["mean_auc"]
        for name in training_data.training_config.measures
    }
    return {
        "folds": folds,
        **measured,
        "calibration_error": calibration_error(unseen, training_data.labels),
        "single_measures": single,
        "learning_curve": learning_curve(training_data, seed, done),
        "thresholds": at_thresholds(training_data, unseen),
        **relied_on,
    }


def _metrics(training_data: CombinationTrainingData, scores: Float64Array) -> dict[str, float | None]:
    judged = training_data.judged
    values = all_metrics(scores, judged.grades, judged.groups.ids, training_data.relevant).values
    return {name: _known(values[name]) for name in ("auc", "mean_auc", "map", "p@1", "p@3")}


def _known(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)


def learning_curve(
    training_data: CombinationTrainingData, seed: int = 0, done: Done = lambda steps: None
) -> list[dict[str, float | None]]:
    """Mean AUC on groups held out, after learning from so many labels: whole groups in random order."""
    groups = training_data.judged.groups.ids
    random = np.random.default_rng(seed)
    order = random.permutation(int(groups.max()) + 1)
    folds = group_folds(groups, min(_CURVE_FOLDS, len(order)), seed)
    found: list[dict[str, float | None]] = []
    for labels in _sizes(training_data):
        scores = np.full(len(groups), np.nan)
        for fold in range(int(folds.max()) + 1):
            rows = _first_labels(np.flatnonzero(folds != fold), groups, order, labels)
            held_out = np.flatnonzero(folds == fold)
            with suppress(InputError):  # so few labels may all be of one kind
                scores[held_out] = training_data.scores(training_data.learn(rows), held_out)
            done(1)
        found.append({"labels": labels, "mean_auc": _metrics(training_data, scores)["mean_auc"]})
    return found


def _sizes(training_data: CombinationTrainingData) -> list[int]:
    return [size for size in CURVE if size < 0.8 * len(training_data.judged)]


def steps(training_data: CombinationTrainingData) -> int:
    """How many models a report learns: for a progress bar."""
    groups = int(training_data.judged.groups.ids.max()) + 1
    return min(FOLDS, groups) + len(_sizes(training_data)) * min(_CURVE_FOLDS, groups)


def _first_labels(rows: Int64Array, groups: Int64Array, order: Int64Array, labels: int) -> Int64Array:
    """The rows of the first groups in an order that have about so many labels together; at least two."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    ordered = rows[np.argsort(place[groups[rows]], kind="stable")]
    ends = np.flatnonzero(np.append(np.diff(groups[ordered]) != 0, True)) + 1
    enough = max(1, int(np.searchsorted(ends, labels)))
    return np.sort(ordered[: ends[min(enough, len(ends) - 1)]])


def at_thresholds(
    training_data: CombinationTrainingData, probabilities: Float64Array
) -> list[dict[str, float]]:
    """Precision and recall when only pairs from a probability on are taken."""
    found = []
    for threshold in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        taken = probabilities >= threshold
        right = int((taken & training_data.labels).sum())
        found.append(
            {
                "threshold": threshold,
                "taken": float(taken.mean()),
                "precision": right / taken.sum() if taken.any() else 0.0,
                "recall": right / max(1, int(training_data.labels.sum())),
            }
        )
    return found


def permutation_importance(
    training_data: CombinationTrainingData, content: Content, seed: int = 0
) -> dict[str, float]:
    """What is lost when a measure's features are shuffled within groups: the share of preferences turned.

    On the pairs it was learnt from: it tells what the model relies on, not what it would be without it.
    """
    random = np.random.default_rng(seed)
    groups = training_data.judged.groups.ids
    tried = random.permutation(int(groups.max()) + 1)[:_TRIED]
    rows = np.flatnonzero(np.isin(groups, tried))
    rows = rows[np.argsort(groups[rows], kind="stable")]
    features, grades = training_data.features.part(rows), training_data.judged.grades[rows]
    own = comparable(grades, groups[rows])
    if np.isnan(pairwise_accuracy(np.zeros(len(rows)), grades, own)).all():
        return dict.fromkeys(map(owner, content["features"]), 0.0)
    whole = np.nanmean(pairwise_accuracy(combined(content, features), grades, own))
    shuffled = np.lexsort((random.random(len(rows)), own))
    lost = {}
    for name in dict.fromkeys(map(owner, content["features"])):
        columns = [place for place, feature in enumerate(features.names) if owner(feature) == name]
        values = features.values.copy()
        values[:, columns] = values[shuffled][:, columns]
        without = np.nanmean(
            pairwise_accuracy(combined(content, replace(features, values=values)), grades, own)
        )
        lost[name] = round(float(whole - without), 6)
    return dict(sorted(lost.items(), key=lambda item: -item[1]))


def verdict(found: Mapping[str, Any]) -> str:
    """What a user should know before using the combination; empty where it is worth having."""
    if "folds" not in found:
        return "too few queries to hold some out: nothing is known of how it does on others"
    best = max((value for value in found["single_measures"].values() if value is not None), default=0.0)
    if (found["mean_auc"] or 0.0) <= best:
        return "on queries held out it is no better than the best single measure; judge more queries"
    return ""


def report_tables(name: str, found: dict[str, Any], content: Content) -> list[TextTable]:
    """The report as tables for people."""
    weights = dict(zip(content["features"], content.get("weights", []), strict=False))
    rows = [
        [measure, f"{lost:+.4f}", _signed(weights.get(measure))] for measure, lost in found["worth"].items()
    ]
    grids = [TextTable("what it relies on", ["feature", "order lost without", "weight"], rows)]
    if "thresholds" not in found:
        return grids
    best = sorted(found["single_measures"].items(), key=lambda item: -(item[1] or 0))[:5]
    rows = [[name, _figure(found["mean_auc"])], *([single, _figure(value)] for single, value in best)]
    grids.append(
        TextTable(f"mean AUC on groups held out ({found['folds']} folds)", ["measure", "mean AUC"], rows)
    )
    rows = [[str(point["labels"]), _figure(point["mean_auc"])] for point in found["learning_curve"]]
    rows.append(["all", _figure(found["mean_auc"])])
    grids.append(TextTable("with fewer labels", ["labels", "mean AUC"], rows))
    rows = [
        [f"{point['threshold']:.1f}", *(f"{point[key]:.1%}" for key in ("precision", "recall", "taken"))]
        for point in found["thresholds"]
    ]
    title = f"taking pairs from a probability on (calibration error {found['calibration_error']:.3f})"
    grids.append(TextTable(title, ["probability", "precision", "recall", "taken"], rows))
    return grids


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _signed(weight: float | None) -> str:
    return "" if weight is None else f"{weight:+.3f}"
