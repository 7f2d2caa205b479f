"""From a file of judged pairs to term weights that the workspace keeps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path

from querykin.errors import InputError
from querykin.evaluation.files import Progress, silent
from querykin.evaluation.reading import read_judgements
from querykin.landing_pages import SHIPPED as PAGES
from querykin.learning.losses import losses
from querykin.learning.models import Model
from querykin.measures import measures
from querykin.training.judged_pages import read_judged_pages
from querykin.training.page_threshold import check_precision, with_threshold
from querykin.training.tweak import (
    FEATURES,
    LOSS,
    PAGE_FEATURES,
    PAGE_LOSS,
    TweakLesson,
    page_lesson,
    text_lesson,
    train_tweak,
)
from querykin.weighting.term_weights import RESULTS, feature_names
from querykin.workspace import Workspace


@dataclass(frozen=True)
class TweakTask:
    """What to learn from: a file of judged pairs, or with `pages` of queries and pages."""

    file: str
    name: str = ""  # without one: the name of the shipped model for such pairs, which it then goes before
    loss: str = ""  # the best for such pairs, unless named; so the features
    features: str = ""
    results: int = RESULTS
    pages: bool = False
    precision: float | None = None
    relevant: float | None = None
    columns: str = ""
    where: Sequence[str] = ()
    seed: int = 0
    progress: Progress = silent

    @property
    def called(self) -> str:
        """The name of the model."""
        return self.name or (PAGES if self.pages else "tweak")

    def check(self, workspace: Workspace) -> None:
        """Complain about what cannot be, before anything is read."""
        workspace.models.check_new(self.called, "tweak")
        if self.called != "tweak" and self.called in list(measures):
            raise InputError(f"{self.called!r} is a measure already; choose another --name")
        losses[self.loss or LOSS]
        feature_names(self.features or FEATURES)
        if self.relevant is not None and not isfinite(self.relevant):
            raise InputError(f"--relevant must be a grade, a number like 2, got {self.relevant}")
        if self.precision is not None:
            check_precision(self.precision)
            if not self.pages:
                raise InputError("--precision chooses a threshold for pages; add --pages")


def train_file(workspace: Workspace, task: TweakTask) -> Model:
    """Learn what a task says and keep the model in the workspace."""
    task.check(workspace)
    lesson = _lesson(workspace, task)
    learnings = 1 if task.precision is None else 1 + lesson.folds
    with task.progress("learning", learnings * lesson.steps) as done:
        model = train_tweak(replace(lesson, done=done), task.called, Path(task.file).name)
        if task.precision is not None:
            model, _ = with_threshold(model, replace(lesson, done=done), task.precision)
    if task.pages:
        model = replace(model, training={**model.training, "pages": True})
    workspace.models.write(model)
    return model


def _lesson(workspace: Workspace, task: TweakTask) -> TweakLesson:
    how = task.results, task.relevant, task.seed
    if task.pages:
        features, loss = task.features or PAGE_FEATURES, task.loss or PAGE_LOSS
        judged, pages = read_judged_pages(task.file, task.columns, task.where)
        with task.progress("reading pages", len(judged.queries.distinct) + len(pages)) as done:
            return page_lesson(workspace, judged, pages, features, loss, *how, done)
    judged = read_judgements(task.file, task.columns, task.where)
    features, loss = task.features or FEATURES, task.loss or LOSS
    texts = {*judged.queries.distinct, *judged.candidates.distinct}
    with task.progress("reading results", len(texts)) as done:
        return text_lesson(workspace, judged, features, loss, *how, done)
