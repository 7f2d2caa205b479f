"""Cross-validated scores of trained measures: each fold is scored by a model fitted to the other folds."""

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.io.judged_pairs import JudgedPairs
from querykin.learning.combination.training_data import CombinationTrainingData, config_of
from querykin.learning.cross_validation import TrainingData, cross_validate
from querykin.learning.training_resources import TrainingResources
from querykin.learning.tweak.training_data import tweak_training_data
from querykin.model_files import Model
from querykin.progress import SILENT, Progress


def cross_validated_scores(
    workspace: TrainingResources,
    name: str,
    judged: JudgedPairs,
    relevant: float,
    folds: int,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Float64Array:
    """Scores of judged pairs by a trained measure, refitted without the group of each pair.

    The refitted models have the configuration of the stored one. A combination's score is NaN where none of
    its measures covers the pair.
    """
    training_data = _training_data(workspace, workspace.model(name), judged, relevant, progress)
    with progress.task(f"training {name} in {folds} folds", len(judged)) as done:
        scores = cross_validate(training_data, folds, seed, done)
    if isinstance(training_data, CombinationTrainingData):
        return np.where(training_data.uncovered, np.nan, scores)
    return scores


def _training_data(
    workspace: TrainingResources, model: Model, judged: JudgedPairs, relevant: float, progress: Progress
) -> TrainingData:
    if model.kind == "combination":
        return CombinationTrainingData.prepare(workspace, judged, config_of(model), relevant, progress)
    return tweak_training_data(workspace, model, judged)
