"""Many measures made one: weights learnt from labels or preferences, linear or by trees.

Yih & Meek (2007): logistic regression over all measures' scores and ranks, for the probability that a pair is
relevant (*metric*) or that one candidate is preferred to another (*preference*); there a candidate's score is
the sum of the probabilities with which it is preferred to its rivals.

Beyond the paper, a measure's score may only raise the combined one: with a few dozen judged queries this
keeps thirty correlated measures from explaining each other away. How much everything else may say (ranks,
coverage, lengths) is chosen by cross-validation inside the training data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from querykin.compiled import Longs, Reals
from querykin.learning.folds import fold_numbers
from querykin.learning.linear import VARIANCE, Prior, fit_weights
from querykin.learning.pair_features import PairFeatures, score_columns
from querykin.learning.preferences import preferences
from querykin.learning.trees import fit_trees, tree_scores

LEARNERS, LOSSES = ("logistic", "trees"), ("preference", "metric")
OTHERS = (0.0, 0.03, VARIANCE)  # what the prior's variance of features that are no scores is chosen from
_FOLDS = 3  # for that choice
_LINES = 100_000  # comparisons held in memory at once
_LOW = 0.05  # a pair that a measure has no opinion of is taken for one with this quantile of its scores


@dataclass(frozen=True)
class Recipe:
    """How a combination is learnt. `free`: as in the paper, weights of any sign, the same prior for all."""

    measures: tuple[str, ...]
    learner: Literal["logistic", "trees"] = "logistic"
    loss: Literal["preference", "metric"] = "preference"
    free: bool = False


def choose_variance(features: PairFeatures, grades: Reals, groups: Longs, recipe: Recipe) -> float:
    """How much features that are no scores may say, as the variance of their prior; `groups` stay whole."""
    several = len(np.unique(groups))
    if recipe.free or recipe.learner == "trees":
        return VARIANCE
    if several < 2 * _FOLDS:
        return OTHERS[0]
    folds = fold_numbers(groups, _FOLDS)
    compared = comparable(grades, groups)
    found = []
    for variance in OTHERS:
        right = []
        for fold in range(_FOLDS):
            inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            content = fit_combination(features.part(inside), grades[inside], groups[inside], recipe, variance)
            scores = combined(content, features.part(outside))
            right.append(well_ordered(scores, grades[outside], compared[outside]))
        found.append(np.concatenate(right))
    if np.isnan(found[0]).all():
        return OTHERS[0]
    best = int(np.argmax(np.nanmean(found, axis=1)))
    return next(
        (OTHERS[column] for column in range(best) if _as_good(found[column], found[best])), OTHERS[best]
    )


def _as_good(simpler: Reals, best: Reals) -> bool:
    """Whether the simpler one loses less than a standard error of the difference."""
    lost = (best - simpler)[~np.isnan(best - simpler)]
    return bool(lost.mean() <= lost.std() / np.sqrt(len(lost)))


def comparable(grades: Reals, groups: Longs) -> Longs:
    """The groups, or all rows as one where no group has two different grades: single pairs are such."""
    known = ~np.isnan(well_ordered(np.zeros(len(grades)), grades, groups))
    return groups if known.any() else np.zeros_like(groups)


def well_ordered(scores: Reals, grades: Reals, groups: Longs) -> Reals:
    """For each group the share of its preferences that scores order rightly; NaN where it has none."""
    better, worse, _ = preferences(groups, grades)
    right = (scores[better] > scores[worse]) + 0.5 * (scores[better] == scores[worse])
    names, place = np.unique(groups, return_inverse=True)
    counts = np.bincount(place[better], minlength=len(names))
    shares: Reals = np.bincount(place[better], right, len(names)) / np.where(counts, counts, np.nan)
    return shares


def fit_combination(features: PairFeatures, grades: Reals, groups: Longs, recipe: Recipe,
                    others: float) -> dict[str, Any]:  # fmt: skip
    """Weights or trees from judged pairs; grades can be compared within a group."""
    scores = score_columns(features.names, recipe.measures)
    varying = np.array([len(np.unique(column[~np.isnan(column)])) > 1 for column in features.values.T])
    kept = varying if others else varying & scores
    kept = kept if kept.any() else scores  # nothing can be learnt, but it must be something that one can ask
    used = features.only([name for name, keep in zip(features.names, kept, strict=True) if keep])
    low = np.array([_lowest(column) for column in used.values.T])
    filled = _filled(used.values, low)
    if recipe.loss == "preference":
        better, worse, counts = preferences(groups, grades)
        lines, targets = filled[better] - filled[worse], np.ones(len(better))
        scale = np.sqrt((lines**2).mean(axis=0)) if len(lines) else np.ones(len(low))
    else:
        lines, counts = filled, np.ones(len(filled))
        targets = (grades - grades.min()) / max(np.ptp(grades), 1e-12)
        scale = lines.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    rising = score_columns(used.names, recipe.measures) & (not recipe.free)
    content: dict[str, Any] = {
        "measures": list(recipe.measures), "learner": recipe.learner, "loss": recipe.loss,
        "free": recipe.free, "features": list(used.names), "low": low.tolist(),
        "average": filled.mean(axis=0).tolist(),
    }  # fmt: skip
    if recipe.learner == "trees":
        if recipe.loss == "preference":  # both ways round: the trees do not know that one mirrors the other
            lines, counts = np.concatenate([lines, -lines]), np.tile(counts, 2)
            targets = np.concatenate([targets, 1 - targets])
        return {**content, "trees": fit_trees(lines, counts, targets, rising)}
    variance = np.where(score_columns(used.names, recipe.measures), VARIANCE, others or VARIANCE)
    weights = fit_weights(lines / scale, counts, targets, Prior(variance, rising), recipe.loss == "metric")
    shift = float(weights[-1]) if recipe.loss == "metric" else 0.0
    return {**content, "weights": (weights[: len(scale)] / scale).tolist(), "shift": shift}


def _lowest(column: Reals) -> float:
    known = column[~np.isnan(column)]
    return float(np.quantile(known, _LOW)) if len(known) else 0.0


def _filled(values: Reals, low: Reals) -> Reals:
    return np.where(np.isnan(values), low, values)


def combined(content: Mapping[str, Any], features: PairFeatures) -> Reals:
    """The combined score of each pair, higher meaning more alike; for use among pairs of the same model."""
    filled = _filled(features.only(content["features"]).values, np.array(content["low"]))
    if "weights" in content:
        # The vote of a linear model rises with this sum, whoever the rivals are.
        scores: Reals = filled @ np.array(content["weights"]) + content["shift"]
        return scores
    if content["loss"] == "metric":
        return tree_scores(content["trees"], filled)
    average = np.array(content["average"])
    return votes(filled, features.lists, lambda lines: tree_scores(content["trees"], lines), average)


def votes(values: Reals, lists: Longs, preferred: Any, average: Reals) -> Reals:
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
