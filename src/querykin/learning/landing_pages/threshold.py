"""From which score on should pages be kept? Chosen for a precision, on pages that were held out."""

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
    """A score from which on pairs are kept, and what that means for pairs that were held out."""

    score: float
    precision: float  # share of good pairs among those kept
    recall: float  # share of the good pairs that are kept
    kept: float  # share of all pairs


def check_precision(precision: float) -> None:
    """Complain about a share that is none."""
    if not 0 < precision <= 1:
        raise InputError(f"--precision must be above 0 and at most 1, got {precision:g}")


def threshold_for(scores: Float64Array, grades: Float64Array, relevant: float, precision: float) -> Threshold:
    """The lowest score that keeps pairs of which at least this share are good.

    >>> threshold_for(np.array([0.9, 0.8, 0.7, 0.1]), np.array([1.0, 1, 0, 0]), 1, 0.9)
    Threshold(score=0.8, precision=1.0, recall=1.0, kept=0.5)
    """
    check_precision(precision)
    cuts = thresholds(scores, grades, relevant)
    reached = np.where(np.isnan(cuts.scores), 0.0, cuts.relevant / cuts.pairs)
    good = np.flatnonzero(reached >= precision)
    if not len(good):
        raise InputError(
            f"no threshold keeps pages of which {precision:.0%} are good: at best {reached.max():.1%} are; "
            "ask for a lower --precision"
        )
    cut = good[-1]
    recall, kept = cuts.relevant[cut] / cuts.relevant[-1], cuts.pairs[cut] / len(scores)
    return Threshold(*map(float, (cuts.scores[cut], reached[cut], recall, kept)))


def with_threshold(
    model: Model, training_data: TweakTrainingData, precision: float
) -> tuple[Model, Threshold]:
    """The model with a threshold chosen on pairs it had not seen: by cross-validation over groups."""
    relevant = training_data.judged.threshold() if training_data.relevant is None else training_data.relevant
    scores = cross_validate(training_data, training_data.folds, training_data.seed)
    found = threshold_for(scores, training_data.judged.grades, relevant, precision)
    content = {**model.content, "threshold": found.score}
    report = {"precision": found.precision, "recall": found.recall, "kept": found.kept}
    return replace(model, content=content, training={**model.training, "report": report}), found
