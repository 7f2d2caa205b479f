"""Many measures made one: weights learnt from labels or preferences, linear or by trees.

Yih & Meek (2007): logistic regression over all measures' scores and ranks, for the probability that a pair is
relevant (*metric*) or that one candidate is preferred to another (*preference*); there a candidate's score is
the sum of the probabilities with which it is preferred to its rivals.

Beyond the paper, a measure's score may only raise the combined one: with a few dozen judged queries this
keeps thirty correlated measures from explaining each other away. How much everything else may say (ranks,
coverage, lengths) is chosen by cross-validation inside the training data. Queries count alike, however many
of their candidates were judged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.learning.combination.examples import Examples
from querykin.learning.combination.features import PairFeatures, score_columns
from querykin.learning.folds import group_folds
from querykin.learning.linear import VARIANCE, Prior, fit_weights
from querykin.learning.preferences import comparable, one_standard_error_rule, pairwise_accuracy
from querykin.learning.trees import fit_trees, tree_scores

LEARNERS, LOSSES = ("logistic", "trees"), ("preference", "metric")
OTHERS = (0.003, 0.03, VARIANCE)  # what the prior's variance of features that are no scores is chosen from
_FOLDS = 3  # for that choice
_LINES = 100_000  # comparisons held in memory at once
_LOW = 0.05  # a pair that a measure has no opinion of is taken for one with this quantile of its scores


@dataclass(frozen=True)
class TrainingConfig:
    """How a combination is learnt. `free`: as in the paper, weights of any sign, the same prior for all."""

    measures: tuple[str, ...]
    learner: Literal["logistic", "trees"] = "logistic"
    loss: Literal["preference", "metric"] = "preference"
    free: bool = False


def choose_variance(
    features: PairFeatures, grades: Float64Array, groups: Int64Array, training_config: TrainingConfig
) -> float:
    """How much features that are no scores may say, as the variance of their prior; `groups` stay whole."""
    if training_config.free or training_config.learner == "trees":
        return VARIANCE
    if len(np.unique(groups)) < 2 * _FOLDS:
        return OTHERS[0]
    folds = group_folds(groups, _FOLDS)
    compared = comparable(grades, groups)
    found = []
    for variance in OTHERS:
        scores = np.empty(len(grades))
        for fold in range(_FOLDS):
            inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            content = fit_combination(
                features.part(inside), grades[inside], groups[inside], training_config, variance
            )
            scores[outside] = combined(content, features.part(outside))
        found.append(pairwise_accuracy(scores, grades, compared))
    return OTHERS[one_standard_error_rule(np.array(found))]


def fit_combination(
    features: PairFeatures,
    grades: Float64Array,
    groups: Int64Array,
    training_config: TrainingConfig,
    others: float,
) -> dict[str, Any]:
    """Weights or trees from judged pairs; grades can be compared within a group."""
    scores = score_columns(features.names, training_config.measures)
    kept = np.array([len(np.unique(column[~np.isnan(column)])) > 1 for column in features.values.T])
    kept = kept if (kept & scores).any() else scores  # nothing can be learnt, but it must be something to ask
    used = features.only([name for name, keep in zip(features.names, kept, strict=True) if keep])
    low = np.array([_lowest(column) for column in used.values.T])
    filled = _filled(used.values, low)
    examples = Examples.of(filled, grades, groups, training_config.loss)
    rising = score_columns(used.names, training_config.measures)
    content: dict[str, Any] = {
        "measures": list(training_config.measures),
        "learner": training_config.learner,
        "loss": training_config.loss,
        "free": training_config.free,
        "features": list(used.names),
        "low": low.tolist(),
        "average": filled.mean(axis=0).tolist(),
    }
    bound = rising & (not training_config.free)
    if training_config.learner == "trees":
        seen = examples.mirrored() if training_config.loss == "preference" else examples
        return {**content, "trees": fit_trees(seen.lines, seen.counts, seen.targets, bound)}
    scale, level = examples.sizes, examples.intercept
    counts = (
        np.ones(len(examples.lines)) if training_config.free and level else examples.counts
    )  # as printed: pairs alike
    prior = Prior(np.where(rising, VARIANCE, others), bound)
    weights = fit_weights(examples.lines / scale, counts, examples.targets, prior, level)
    shift = float(weights[-1]) if level else 0.0
    return {**content, "weights": (weights[: len(scale)] / scale).tolist(), "shift": shift}


def _lowest(column: Float64Array) -> float:
    known = column[~np.isnan(column)]
    return float(np.quantile(known, _LOW)) if len(known) else 0.0


def _filled(values: Float64Array, low: Float64Array) -> Float64Array:
    return np.where(np.isnan(values), low, values)


def combined(content: Mapping[str, Any], features: PairFeatures) -> Float64Array:
    """The combined score of each pair, higher meaning more alike; for use among pairs of the same model."""
    filled = _filled(features.only(content["features"]).values, np.array(content["low"]))
    if "weights" in content:
        # The vote of a linear model rises with this sum, whoever the rivals are.
        scores: Float64Array = filled @ np.array(content["weights"]) + content["shift"]
        return scores
    if content["loss"] == "metric":
        return tree_scores(content["trees"], filled)
    average = np.array(content["average"])
    return votes(filled, features.lists, lambda lines: tree_scores(content["trees"], lines), average)


def votes(values: Float64Array, lists: Int64Array, preferred: Any, average: Float64Array) -> Float64Array:
    """The mean probability with which each pair is preferred to the others of its list, itself included.

    A pair that is alone in its list has an average pair for a rival.
    """
    found = np.empty(len(values))
    order = np.argsort(lists, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(lists[order])) + 1) if len(lists) else []:
        rivals = values[rows] if len(rows) > 1 else average[None, :]
        step = max(1, _LINES // len(rows))
        for some in (rows[begin : begin + step] for begin in range(0, len(rows), step)):
            lines = (values[some][:, None, :] - rivals[None, :, :]).reshape(-1, values.shape[1])
            odds = preferred(lines).reshape(len(some), len(rivals))
            found[some] = (1 / (1 + np.exp(-odds))).mean(axis=1)
    return found


def ranks_matter(features: Sequence[str]) -> bool:
    """Whether what a pair gets depends on the other candidates of its query."""
    return any(name.startswith("rank by ") for name in features)
