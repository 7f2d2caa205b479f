"""Score thresholds for pages, chosen for a required precision on cross-validated scores."""

from dataclasses import dataclass, replace

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError
from querykin.evaluation.ranked_groups import thresholds
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


def check_precision(precision: float) -> None:
    """Raise unless a precision is above 0 and at most 1."""
    if not 0 < precision <= 1:
        raise InputError(f"--precision must be above 0 and at most 1, got {precision:g}")


def threshold_for(scores: Float64Array, grades: Float64Array, relevant: float, precision: float) -> Threshold:
    """The lowest threshold that reaches a precision.

    >>> threshold_for(np.array([0.9, 0.8, 0.7, 0.1]), np.array([1.0, 1, 0, 0]), 1, 0.9)
    Threshold(score=0.8, precision=1.0, recall=1.0, kept=0.5)
    """
    check_precision(precision)
    cuts = thresholds(scores, grades, relevant)
    precisions = np.where(np.isnan(cuts.scores), 0.0, cuts.relevant / cuts.pairs)
    reached = np.flatnonzero(precisions >= precision)
    if not len(reached):
        raise InputError(
            f"no threshold reaches a precision of {precision:.0%}: the highest is {precisions.max():.1%}; "
            "choose a lower --precision"
        )
    cut = reached[-1]
    recall, kept = cuts.relevant[cut] / cuts.relevant[-1], cuts.pairs[cut] / len(scores)
    return Threshold(*map(float, (cuts.scores[cut], precisions[cut], recall, kept)))


def with_threshold(
    model: Model, training_data: TweakTrainingData, precision: float
) -> tuple[Model, Threshold]:
    """The model with a threshold chosen on out-of-fold scores, by cross-validation over groups."""
    relevant = training_data.judged.threshold() if training_data.relevant is None else training_data.relevant
    scores = cross_validate(training_data, training_data.folds, training_data.seed)
    threshold = threshold_for(scores, training_data.judged.grades, relevant, precision)
    content = {**model.content, "threshold": threshold.score}
    report = {"precision": threshold.precision, "recall": threshold.recall, "kept": threshold.kept}
    return replace(model, content=content, training={**model.training, "report": report}), threshold
