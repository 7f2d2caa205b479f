"""Trained measures judged fairly: learnt anew for every fold, without the pairs they are judged on."""

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.io.judged_pairs import JudgedPairs
from querykin.learning.combination.training_data import CombinationTrainingData, config_of
from querykin.learning.cross_validation import TrainingData, cross_validate
from querykin.learning.model_files import Model
from querykin.learning.training_resources import TrainingResources
from querykin.learning.tweak.training_data import tweak_training_data
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
    """The scores of judged pairs by a trained measure's recipe, each pair's group left out when learning."""
    training_data = _training_data(workspace, workspace.model(name), judged, relevant, progress)
    with progress.task(f"learning {name} in {folds} folds", len(judged)) as done:
        found = cross_validate(training_data, folds, seed, done)
    return (
        np.where(training_data.silent, np.nan, found)
        if isinstance(training_data, CombinationTrainingData)
        else found
    )


def _training_data(
    workspace: TrainingResources, model: Model, judged: JudgedPairs, relevant: float, progress: Progress
) -> TrainingData:
    if model.kind == "combination":
        return CombinationTrainingData.prepare(workspace, judged, config_of(model), relevant, progress)
    return tweak_training_data(workspace, model, judged)
