"""Training of combinations on a file of judged pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from querykin.errors import InputError
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import open_judged_pairs
from querykin.learning.combination.fitting import LEARNERS, LOSSES, TrainingConfig
from querykin.learning.combination.measure import Combination
from querykin.learning.combination.report import report, steps
from querykin.learning.combination.training_data import CombinationTrainingData, with_first_stage
from querykin.learning.training_resources import TrainingResources
from querykin.measures import measures
from querykin.model_files import Model
from querykin.progress import SILENT, Progress


@dataclass(frozen=True)
class CombinationTask:
    """The training options of a combination, as given by the user."""

    file: str
    name: str
    measures: Sequence[str]
    learner: str = "logistic"
    loss: str = "preference"
    relevant: float | None = None
    columns: str = ""
    where: Sequence[str] = ()
    seed: int = 0
    progress: Progress = SILENT

    def training_config(self, workspace: TrainingResources) -> TrainingConfig:
        """Validate the options and return the configuration of the learner."""
        for option, given, allowed in (("--learner", self.learner, LEARNERS), ("--loss", self.loss, LOSSES)):
            if given not in allowed:
                raise InputError(f"{option} must be one of {', '.join(allowed)}, got {given!r}")
        if self.relevant is not None and not isfinite(self.relevant):
            raise InputError(f"--relevant must be a grade, a number like 2, got {self.relevant}")
        if self.name in measures:
            raise InputError(f"{self.name!r} is a measure already; choose another --name for the combination")
        workspace.models.check_new(self.name, "combination")
        for name in self.measures:
            if isinstance(workspace.measure(name), Combination):
                raise InputError(f"{name!r} is itself a combination; combine its measures instead")
        return TrainingConfig(tuple(self.measures), self.learner, self.loss)  # type: ignore[arg-type]


def train_combination(workspace: TrainingResources, task: CombinationTask) -> Model:
    """Train a combination, add its report and store the model; on an error nothing is stored."""
    training_config = task.training_config(workspace)
    with task.progress.task("reading", None) as done:
        judged = open_judged_pairs(task.file, task.columns, task.where).read(done=done).merged()
    _check_groups(judged, training_config)
    relevant = judged.threshold() if task.relevant is None else task.relevant
    training_data = CombinationTrainingData.prepare(
        workspace, judged, training_config, relevant, task.progress
    )
    with task.progress.task("training", steps(training_data)) as done:
        content = training_data.learn(training_data.rows)
        training_report = report(training_data, content, task.seed, done)
    content = with_first_stage(content, training_report["permutation_importance"], training_data.searchable)
    metadata = {
        "file": Path(task.file).name,
        "fingerprint": judged.fingerprint,
        "pairs": len(judged),
        "groups": int(judged.groups.ids.max()) + 1,
        "relevant": relevant,
        "seed": task.seed,
        "report": training_report,
    }
    model = Model("combination", task.name, content, metadata)
    workspace.save_model(model)
    return model


def _check_groups(judged: JudgedPairs, training_config: TrainingConfig) -> None:
    if training_config.loss == "preference" and int(judged.groups.ids.max()) == 0:
        raise InputError(
            "preferences need judged pairs of at least two queries (groups), so that one can be held out; "
            "got one: judge more queries"
        )
