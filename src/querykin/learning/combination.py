"""Many measures made one: weights learnt from labels or preferences, linear or by trees.

Yih & Meek (2007): logistic regression over all measures' scores and ranks, for the probability that a pair is
relevant (*metric*) or that one candidate is preferred to another (*preference*); there a candidate's score is
the sum of the probabilities with which it is preferred to its rivals.

Beyond the paper, learning starts from the single measure that is best on the training data and leaves it as
far as held-out queries there allow; a measure's score may only raise the combined one; queries count alike,
and the metric learner knows that they differ in how much of what they are offered is relevant. All this keeps
thirty correlated measures from explaining each other away where a few dozen queries are judged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from querykin.compiled import Bools, Longs, Reals
from querykin.learning.examples import Examples
from querykin.learning.folds import fold_numbers
from querykin.learning.linear import VARIANCE, Prior, fit_weights
from querykin.learning.pair_features import PairFeatures, score_columns
from querykin.learning.preferences import comparable, simplest, well_ordered
from querykin.learning.trees import fit_trees, tree_scores

LEARNERS, LOSSES = ("logistic", "trees"), ("preference", "metric")
VARIANCES = (0.003, 0.03, 0.3)  # of weights around those of the best single measure: one is chosen
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
    """How far weights may go from those of the best single measure; `groups` stay whole."""
    if recipe.free or recipe.learner == "trees":
        return VARIANCE
    if len(np.unique(groups)) < 2 * _FOLDS:
        return VARIANCES[0]
    folds = fold_numbers(groups, _FOLDS)
    compared = comparable(grades, groups)
    found = []
    for variance in VARIANCES:
        scores = np.empty(len(grades))
        for fold in range(_FOLDS):
            inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            content = fit_combination(features.part(inside), grades[inside], groups[inside], recipe, variance)
            scores[outside] = combined(content, features.part(outside))
        found.append(well_ordered(scores, grades, compared))
    return VARIANCES[simplest(np.array(found))]


def fit_combination(features: PairFeatures, grades: Reals, groups: Longs, recipe: Recipe,
                    variance: float) -> dict[str, Any]:  # fmt: skip
    """Weights or trees from judged pairs; grades can be compared within a group."""
    scores = score_columns(features.names, recipe.measures)
    kept = np.array([len(np.unique(column[~np.isnan(column)])) > 1 for column in features.values.T])
    kept = kept if (kept & scores).any() else scores  # nothing can be learnt, but it must be something to ask
    used = features.only([name for name, keep in zip(features.names, kept, strict=True) if keep])
    low = np.array([_lowest(column) for column in used.values.T])
    filled = _filled(used.values, low)
    examples = Examples.of(filled, grades, groups, recipe.loss)
    rising = score_columns(used.names, recipe.measures)
    content: dict[str, Any] = {
        "measures": list(recipe.measures), "learner": recipe.learner, "loss": recipe.loss,
        "free": recipe.free, "features": list(used.names), "low": low.tolist(),
        "average": filled.mean(axis=0).tolist(),
    }  # fmt: skip
    if recipe.learner == "trees":
        seen = examples.mirrored() if recipe.loss == "preference" else examples
        return {
            **content,
            "trees": fit_trees(seen.lines, seen.counts, seen.targets, rising & (not recipe.free)),
        }
    if recipe.free:
        weights, shift = _as_printed(examples, recipe.loss == "metric")
    else:
        best = _strongest(filled, grades, groups, rising)
        seen = examples if recipe.loss == "preference" else examples.within(grades, groups)
        weights, shift = _around(best, seen, rising, variance), 0.0
    return {**content, "weights": weights.tolist(), "shift": shift}


def _strongest(filled: Reals, grades: Reals, groups: Longs, scores: Bools) -> int:
    """The column of the score that alone orders most preferences rightly, as a mean over groups."""
    compared = comparable(grades, groups)
    columns = np.flatnonzero(scores)
    shares = np.array([well_ordered(filled[:, column], grades, compared) for column in columns])
    known = ~np.isnan(shares[0])
    return int(columns[np.argmax(shares[:, known].sum(axis=1))])


def _around(best: int, examples: Examples, rising: Bools, variance: float) -> Reals:
    """Weights near those that the best measure would have alone."""
    sizes, mean = examples.sizes, np.zeros(len(rising))
    lines = examples.lines / sizes
    alone = Prior(np.array([VARIANCE]), np.array([True]))
    known = examples.counts, examples.targets
    mean[best] = fit_weights(lines[:, [best]], *known, alone, False, examples.offsets)[0]
    around = Prior(np.full(len(mean), variance), rising, mean)
    weights: Reals = fit_weights(lines, *known, around, False, examples.offsets) / sizes
    return weights


def _as_printed(examples: Examples, metric: bool) -> tuple[Reals, float]:
    """The paper's weights: of any sign, the same prior for all, every pair an example like any other."""
    scale = examples.lines.std(axis=0) if metric else examples.sizes
    scale = np.where(scale > 0, scale, 1.0)
    prior = Prior(np.full(len(scale), VARIANCE), np.zeros(len(scale), np.bool_))
    counts = np.ones(len(examples.lines)) if metric else examples.counts
    found = fit_weights(examples.lines / scale, counts, examples.targets, prior, metric)
    return found[: len(scale)] / scale, float(found[-1]) if metric else 0.0


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
