"""Training of term weights on a file of judged pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path

from querykin.errors import InputError
from querykin.io.judgement_files import read_judged_pairs
from querykin.learning.landing_pages.judged_pages import read_judged_pages
from querykin.learning.landing_pages.pages import SHIPPED_MODEL
from querykin.learning.landing_pages.threshold import (
    ThresholdChoice,
    check_share,
    threshold_for,
    threshold_for_recall,
    with_threshold,
)
from querykin.learning.losses import losses
from querykin.learning.training_resources import TrainingResources
from querykin.learning.tweak.term_weights import RESULTS, feature_names
from querykin.learning.tweak.training_data import (
    FEATURES,
    LOSS,
    PAGE_FEATURES,
    PAGE_LOSS,
    TweakTrainingData,
    fit_tweak_model,
    page_training_data,
    text_training_data,
)
from querykin.measures import measures
from querykin.model_files import Model
from querykin.progress import SILENT, Progress


@dataclass(frozen=True)
class TweakTask:
    """The training options of term weights: a file of judged texts, or with `pages` of queries and pages."""

    file: str
    name: str = ""  # default: that of the shipped model for such pairs, which the new one replaces
    loss: str = ""  # default: the best for such pairs
    features: str = ""  # the same
    results: int = RESULTS
    pages: bool = False
    precision: float | None = None
    recall: float | None = None
    relevant: float | None = None
    columns: str = ""
    where: Sequence[str] = ()
    seed: int = 0
    progress: Progress = SILENT

    @property
    def model_name(self) -> str:
        """The name under which the model is stored."""
        return self.name or (SHIPPED_MODEL if self.pages else "tweak")

    def check(self, workspace: TrainingResources) -> None:
        """Raise if an option is invalid, before any file is read."""
        workspace.models.check_new(self.model_name, "tweak")
        if self.model_name != "tweak" and self.model_name in measures:
            raise InputError(f"{self.model_name!r} is a measure already; choose another --name")
        losses[self.loss or LOSS]
        feature_names(self.features or FEATURES)
        if self.relevant is not None and not isfinite(self.relevant):
            raise InputError(f"--relevant must be a grade, a number like 2, got {self.relevant}")
        given = {"--precision": self.precision, "--recall": self.recall}
        chosen = {option: share for option, share in given.items() if share is not None}
        for option, share in chosen.items():
            check_share(option, share)
            if not self.pages:
                raise InputError(f"{option} chooses a threshold for pages; add --pages")
        if len(chosen) > 1:
            raise InputError("--precision and --recall each choose the threshold; give one of them")

    @property
    def threshold_choice(self) -> ThresholdChoice | None:
        """How the threshold is chosen; None for a model without one."""
        if self.precision is not None:
            return partial(threshold_for, precision=self.precision)
        return None if self.recall is None else partial(threshold_for_recall, recall=self.recall)


def train_tweak(workspace: TrainingResources, task: TweakTask) -> Model:
    """Train term weights and store the model in the workspace."""
    task.check(workspace)
    training_data = _training_data(workspace, task)
    choice = task.threshold_choice
    fits = 1 if choice is None else 1 + training_data.folds
    with task.progress.task("training", fits * training_data.steps) as done:
        model = fit_tweak_model(replace(training_data, done=done), task.model_name, Path(task.file).name)
        if choice is not None:
            model, _ = with_threshold(model, replace(training_data, done=done), choice)
    if task.pages:
        model = replace(model, training={**model.training, "pages": True})
    workspace.save_model(model)
    return model


def _training_data(workspace: TrainingResources, task: TweakTask) -> TweakTrainingData:
    options = task.results, task.relevant, task.seed
    if task.pages:
        features, loss = task.features or PAGE_FEATURES, task.loss or PAGE_LOSS
        judged, pages = read_judged_pages(task.file, task.columns, task.where)
        with task.progress.task("reading pages", len(judged.queries.distinct) + len(pages)) as done:
            return page_training_data(workspace, judged, pages, features, loss, *options, done)
    judged = read_judged_pairs(task.file, task.columns, task.where)
    features, loss = task.features or FEATURES, task.loss or LOSS
    texts = {*judged.queries.distinct, *judged.candidates.distinct}
    with task.progress.task("reading results", len(texts)) as done:
        return text_training_data(workspace, judged, features, loss, *options, done)
