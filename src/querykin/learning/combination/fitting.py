"""Fitting of combinations of measures: logistic regression or boosted trees, on labels or preferences.

Yih & Meek (2007): logistic regression over the scores and ranks of all measures, for the probability that a
pair is relevant (*metric*) or that one candidate is preferred to another (*preference*); in the latter case
the score of a candidate is the sum of the probabilities with which it is preferred to the others.

Beyond the paper, the combined score never falls as the score of a measure rises: with a few dozen judged
queries this keeps thirty correlated measures from cancelling each other. The prior variance of all other
features (ranks, coverage, lengths) is chosen by cross-validation within the training data. Every query has
the same weight, however many of its candidates were judged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.learning.combination.examples import Examples, Objective
from querykin.learning.combination.features import RANK, PairFeatures, score_columns
from querykin.learning.cross_validation import group_folds
from querykin.learning.linear import VARIANCE, Prior, fit_weights
from querykin.learning.preferences import comparable, one_standard_error_rule, pairwise_accuracy
from querykin.learning.trees import fit_trees, tree_scores

LEARNERS, LOSSES = ("logistic", "trees"), ("preference", "metric")
OTHER_VARIANCES = (0.003, 0.03, VARIANCE)  # candidate prior variances of features other than scores
_FOLDS = 3  # for the choice among them
_MAX_COMPARISONS = 100_000  # in memory at once
_MISSING_QUANTILE = 0.05  # of a measure's scores, which replaces a missing one


@dataclass(frozen=True)
class TrainingConfig:
    """How a combination is fitted.

    `unconstrained` is the setting of the paper: weights of any sign, with the same prior for all features.
    """

    measures: tuple[str, ...]
    learner: Literal["logistic", "trees"] = "logistic"
    loss: Objective = "preference"
    unconstrained: bool = False


def choose_variance(
    features: PairFeatures, grades: Float64Array, groups: Int64Array, training_config: TrainingConfig
) -> float:
    """The prior variance of features other than scores, by cross-validation over groups.

    The smallest one whose pairwise accuracy is within one standard error of the best.
    """
    if training_config.unconstrained or training_config.learner == "trees":
        return VARIANCE
    if len(np.unique(groups)) < 2 * _FOLDS:
        return OTHER_VARIANCES[0]
    folds = group_folds(groups, _FOLDS)
    compared = comparable(grades, groups)
    accuracies = []
    for variance in OTHER_VARIANCES:
        scores = np.empty(len(grades))
        for fold in range(_FOLDS):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            content = fit_combination(
                features.part(train), grades[train], groups[train], training_config, variance
            )
            scores[test] = combined(content, features.part(test))
        accuracies.append(pairwise_accuracy(scores, grades, compared))
    return OTHER_VARIANCES[one_standard_error_rule(np.array(accuracies))]


def fit_combination(
    features: PairFeatures,
    grades: Float64Array,
    groups: Int64Array,
    training_config: TrainingConfig,
    other_variance: float,
) -> dict[str, Any]:
    """Fit weights or trees to judged pairs and return the content of a model.

    Grades are comparable within a group; `other_variance` is the prior variance of features that are not
    scores.
    """
    used = _varying(features, training_config)
    missing_values = np.array([_low_quantile(column) for column in used.values.T])
    filled = _fill_missing(used.values, missing_values)
    examples = Examples.of(filled, grades, groups, training_config.loss)
    is_score = score_columns(used.names, training_config.measures)
    content: dict[str, Any] = {
        "measures": list(training_config.measures),
        "learner": training_config.learner,
        "loss": training_config.loss,
        "unconstrained": training_config.unconstrained,
        "features": list(used.names),
        "missing_values": missing_values.tolist(),
        "feature_means": filled.mean(axis=0).tolist(),
    }
    increasing = is_score & (not training_config.unconstrained)
    if training_config.learner == "trees":
        if training_config.loss == "preference":
            examples = examples.mirrored()
        trees = fit_trees(examples.rows, examples.sample_weight, examples.targets, increasing)
        return {**content, "trees": trees}
    scales, intercept = examples.scales, examples.intercept
    sample_weight = examples.sample_weight
    if training_config.unconstrained and intercept:  # in the paper every pair has the same weight
        sample_weight = np.ones_like(sample_weight)
    prior = Prior(np.where(is_score, VARIANCE, other_variance), increasing)
    weights = fit_weights(examples.rows / scales, sample_weight, examples.targets, prior, intercept)
    shift = float(weights[-1]) if intercept else 0.0
    return {**content, "weights": (weights[: len(scales)] / scales).tolist(), "shift": shift}


def _varying(features: PairFeatures, training_config: TrainingConfig) -> PairFeatures:
    """Features with at least two values; all scores if no score varies, so that the model has features."""
    is_score = score_columns(features.names, training_config.measures)
    varies = np.array([len(np.unique(column[~np.isnan(column)])) > 1 for column in features.values.T])
    used = varies if (varies & is_score).any() else is_score
    return features.only([name for name, is_used in zip(features.names, used, strict=True) if is_used])


def _low_quantile(column: Float64Array) -> float:
    known = column[~np.isnan(column)]
    return float(np.quantile(known, _MISSING_QUANTILE)) if len(known) else 0.0


def _fill_missing(values: Float64Array, missing_values: Float64Array) -> Float64Array:
    return np.where(np.isnan(values), missing_values, values)


def combined(content: Mapping[str, Any], features: PairFeatures) -> Float64Array:
    """The combined score of each pair, not calibrated; higher is more similar."""
    used = features.only(content["features"])
    filled = _fill_missing(used.values, np.array(content["missing_values"]))
    if "weights" in content:
        # For a linear model the order by votes is the order by this sum.
        scores: Float64Array = filled @ np.array(content["weights"]) + content["shift"]
        return scores
    if content["loss"] == "metric":
        return tree_scores(content["trees"], filled)
    means = np.array(content["feature_means"])
    return votes(filled, features.lists, lambda rows: tree_scores(content["trees"], rows), means)


def votes(
    values: Float64Array,
    lists: Int64Array,
    log_odds: Callable[[Float64Array], Float64Array],
    means: Float64Array,
) -> Float64Array:
    """Mean probability with which each pair is preferred to the pairs of its list, itself included.

    `log_odds` are those of a preference, from differences of features. A pair alone in its list is compared
    with the mean of the training data.
    """
    preferred = np.empty(len(values))
    order = np.argsort(lists, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(lists[order])) + 1) if len(lists) else []:
        opponents = values[rows] if len(rows) > 1 else means[None, :]
        step = max(1, _MAX_COMPARISONS // len(rows))
        for batch in (rows[begin : begin + step] for begin in range(0, len(rows), step)):
            differences = (values[batch][:, None, :] - opponents[None, :, :]).reshape(-1, values.shape[1])
            odds = log_odds(differences).reshape(len(batch), len(opponents))
            preferred[batch] = (1 / (1 + np.exp(-odds))).mean(axis=1)
    return preferred


def ranks_matter(features: Sequence[str]) -> bool:
    """Whether a pair's score depends on the other candidates of its query."""
    return any(name.startswith(RANK) for name in features)
