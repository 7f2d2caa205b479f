"""From the judgements of a task to an evaluation or a trained measure, as background jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from querykin.counted_nouns import counted
from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.learning.combination.fitting import LEARNERS
from querykin.learning.combination.report import CURVE, FOLDS, report_tables, verdict
from querykin.measures import measures as registered
from querykin.model_files import Model, check_name
from querykin.server.judgement_records import Judgement
from querykin.server.not_found import NotFound
from querykin.server.pages_jobs import redirect_to_job
from querykin.server.snapshot import Snapshot
from querykin.server.views import get_service, render_errors, render_page

router = APIRouter()
COMBINATION = "combination"  # the kind of model


@dataclass(frozen=True)
class JudgementCounts:
    """How much was judged in a task."""

    pairs: int
    queries: int
    not_judged: int

    @classmethod
    def of(cls, judgements: Sequence[Judgement]) -> "JudgementCounts":
        """Count the pairs and queries with a grade, and the judgements without one."""
        graded = [each for each in judgements if each.grade is not None]
        pairs = {(each.query, each.candidate) for each in graded}
        return cls(len(pairs), len({query for query, _ in pairs}), len(judgements) - len(graded))

    @property
    def warning(self) -> str:
        """Why a measure trained on them may be worse than its parts; empty if they are enough."""
        if self.pairs >= CURVE[0] and self.queries >= FOLDS:
            return ""
        got = f"{counted(self.pairs, 'judged pair')} of {counted(self.queries, 'query')}"
        return (
            f"{got}: too few to tell whether a trained measure is better than its parts. "
            f"Judge {CURVE[0]} pairs of {FOLDS} queries at least."
        )


def choices(snapshot: Snapshot, chosen: Sequence[str]) -> dict[str, Any]:
    """The measures to evaluate and to train on, those of the task first."""
    trained = snapshot.workspace.trained()
    ready = sorted(snapshot.measures, key=lambda name: name not in chosen)
    return {
        "ready": ready,
        "combinable": [name for name in ready if name not in trained or trained[name].kind != COMBINATION],
        "learners": LEARNERS,
    }


@router.post("/judge/evaluate")
@render_errors
async def evaluate(
    request: Request,
    task: Annotated[str, Form()] = "",
    measures: Annotated[tuple[str, ...], Form()] = (),
) -> Response:
    """Start the evaluation of measures on the judgements of a task."""
    service = get_service(request)

    def start(snapshot: Snapshot) -> Any:
        _check(snapshot, measures, "whose scores are to be compared with the judgements")
        _check_judged(service.judgements.given(service.judgements.task(task).name))
        return service.jobs.start("evaluate", {"task": task, "measures": list(measures)})

    return redirect_to_job(request, await service.run(start))


@router.post("/judge/train")
@render_errors
async def train(
    request: Request,
    task: Annotated[str, Form()] = "",
    measures: Annotated[tuple[str, ...], Form()] = (),
    learner: Annotated[str, Form()] = LEARNERS[0],
    name: Annotated[str, Form()] = "",
) -> Response:
    """Start the training of a combination on the judgements of a task."""
    service = get_service(request)

    def start(snapshot: Snapshot) -> Any:
        _check(snapshot, measures, "to combine")
        _check_judged(service.judgements.given(service.judgements.task(task).name))
        if learner not in LEARNERS:
            raise UnknownName("learner", learner, LEARNERS)
        if check_name(name.strip()) in registered:
            raise InputError(f"{name.strip()!r} is a measure already; choose another name")
        arguments = {"task": task, "measures": list(measures), "learner": learner, "name": name.strip()}
        return service.jobs.start("train", arguments)

    return redirect_to_job(request, await service.run(start))


def _check(snapshot: Snapshot, measures: Sequence[str], purpose: str) -> None:
    if not measures:
        raise InputError(f"choose at least one measure {purpose}")
    for name in measures:
        if name not in snapshot.measures:
            raise UnknownName("measure", name[:100], snapshot.measures)


def _check_judged(judgements: Sequence[Judgement]) -> None:
    if not judgements:
        raise InputError("nothing is judged in this task yet; judge some suggestions first")


@router.get("/model")
@render_errors
async def model(request: Request, name: str = "") -> Response:
    """A trained combination: its quality on held-out queries beside that of its parts, and how to use it."""

    def read(snapshot: Snapshot) -> dict[str, Any]:
        found = _read_combination(snapshot, name)
        figures = found.training["report"]
        return {
            "model": found,
            "report": figures,
            "verdict": verdict(figures),
            "qualities": _qualities(found),
            "tables": [table for table in report_tables(name, figures, found.content) if table.rows],
            "is_loaded": name in snapshot.searching,
        }

    return render_page(request, "model.html", **await get_service(request).run(read))


def _read_combination(snapshot: Snapshot, name: str) -> Model:
    models = snapshot.workspace.models
    combinations = {}
    for each in models.names():
        try:
            combinations[each] = models.read(each)
        except WorkspaceError:
            continue  # `querykin check` reports it
    combinations = {each: model for each, model in combinations.items() if model.kind == COMBINATION}
    if name not in combinations:
        known = f"there are {', '.join(combinations)}" if combinations else "nothing was trained yet"
        raise NotFound(f"there is no trained combination {name[:100]!r}; {known}")
    return combinations[name]


def _qualities(model: Model) -> list[tuple[str, float]]:
    """Mean AUC on held-out queries of the combination and of its parts, the best first."""
    figures = model.training["report"]
    values = {model.name: figures.get("mean_auc"), **figures.get("single_measures", {})}
    return sorted(((name, value) for name, value in values.items() if value), key=lambda each: -each[1])
