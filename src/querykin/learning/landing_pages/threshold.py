"""Score thresholds for pages, chosen for a required precision or recall on cross-validated scores."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError
from querykin.evaluation.ranked_groups import Thresholds, thresholds
from querykin.learning.cross_validation import cross_validate
from querykin.learning.tweak.training_data import TweakTrainingData
from querykin.model_files import Model


@dataclass(frozen=True)
class Threshold:
    """A minimum score of pairs that are kept, with its precision and recall on held-out pairs."""

    score: float
    precision: float  # share of relevant pairs among those kept
    recall: float  # share of the relevant pairs that are kept
    kept: float  # share of all pairs that are kept


# From scores, grades and the lowest grade of a good page.
ThresholdChoice: TypeAlias = Callable[[Float64Array, Float64Array, float], Threshold]


def check_share(option: str, share: float) -> None:
    """Raise unless a precision or a recall is above 0 and at most 1."""
    if not 0 < share <= 1:
        raise InputError(f"{option} must be above 0 and at most 1, got {share:g}")


def threshold_for(scores: Float64Array, grades: Float64Array, relevant: float, precision: float) -> Threshold:
    """The lowest threshold that reaches a precision.

    >>> threshold_for(np.array([0.9, 0.8, 0.7, 0.1]), np.array([1.0, 1, 0, 0]), 1, 0.9)
    Threshold(score=0.8, precision=1.0, recall=1.0, kept=0.5)
    """
    check_share("--precision", precision)
    cuts = thresholds(scores, grades, relevant)
    precisions = np.where(np.isnan(cuts.scores), 0.0, cuts.relevant / cuts.pairs)
    reached = np.flatnonzero(precisions >= precision)
    if not len(reached):
        raise InputError(
            f"no threshold reaches a precision of {precision:.0%}: the highest is {precisions.max():.1%}; "
            "choose a lower --precision"
        )
    return _threshold(cuts, int(reached[-1]))


def threshold_for_recall(
    scores: Float64Array, grades: Float64Array, relevant: float, recall: float
) -> Threshold:
    """The highest threshold that keeps a share of the relevant pairs.

    >>> threshold_for_recall(np.array([0.9, 0.8, 0.7, 0.1]), np.array([1.0, 0, 1, 0]), 1, 0.9)
    Threshold(score=0.7, precision=0.6666666666666666, recall=1.0, kept=0.75)
    """
    check_share("--recall", recall)
    cuts = thresholds(scores, grades, relevant)
    recalls = np.where(np.isnan(cuts.scores), 0.0, cuts.relevant / max(1, cuts.relevant[-1]))
    reached = np.flatnonzero(recalls >= recall)
    if not len(reached):
        raise InputError(
            f"no threshold reaches a recall of {recall:.0%}: {recalls.max():.1%} of the relevant pages have "
            "a score; choose a lower --recall, or add documents about the queries to the corpus"
        )
    return _threshold(cuts, int(reached[0]))


def _threshold(cuts: Thresholds, cut: int) -> Threshold:
    precision, recall = cuts.relevant[cut] / cuts.pairs[cut], cuts.relevant[cut] / cuts.relevant[-1]
    return Threshold(*map(float, (cuts.scores[cut], precision, recall, cuts.pairs[cut] / cuts.pairs[-1])))


def with_threshold(
    model: Model, training_data: TweakTrainingData, choice: ThresholdChoice
) -> tuple[Model, Threshold]:
    """The model with a threshold chosen on out-of-fold scores, by cross-validation over groups."""
    relevant = training_data.judged.threshold() if training_data.relevant is None else training_data.relevant
    scores = cross_validate(training_data, training_data.folds, training_data.seed)
    threshold = choice(scores, training_data.judged.grades, relevant)
    content = {**model.content, "threshold": threshold.score}
    report = {"precision": threshold.precision, "recall": threshold.recall, "kept": threshold.kept}
    return replace(model, content=content, training={**model.training, "report": report}), threshold
