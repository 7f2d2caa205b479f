"""Trained measures judged fairly: learnt anew for every fold, without the pairs they are judged on."""

import numpy as np

from querykin.compiled import Reals
from querykin.evaluation.files import Progress, silent
from querykin.evaluation.judgements import Judgements
from querykin.learning.models import Model
from querykin.training.combination import CombinationLesson, recipe_of
from querykin.training.lessons import Lesson, cross_validated
from querykin.training.tweak import tweak_again
from querykin.workspace import Workspace


def folded_scores(
    workspace: Workspace, name: str, judged: Judgements, relevant: float, folds: int, seed: int = 0,
    progress: Progress = silent,
) -> Reals:  # fmt: skip
    """The scores of judged pairs by a trained measure's recipe, each pair's group left out when learning."""
    lesson = _lesson(workspace, workspace.model(name), judged, relevant, progress)
    with progress(f"learning {name} in {folds} folds", len(judged)) as done:
        found = cross_validated(lesson, folds, seed, done)
    return np.where(lesson.silent, np.nan, found) if isinstance(lesson, CombinationLesson) else found


def _lesson(
    workspace: Workspace, model: Model, judged: Judgements, relevant: float, progress: Progress
) -> Lesson:
    if model.kind == "combination":
        return CombinationLesson.prepare(workspace, judged, recipe_of(model), relevant, progress)
    return tweak_again(workspace, model, judged)
