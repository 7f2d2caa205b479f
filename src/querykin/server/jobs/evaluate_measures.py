"""Job: evaluate measures on the judgements of a task, as `querykin evaluate` does."""

from urllib.parse import urlencode

from querykin.evaluation.history import store_run
from querykin.experiments.evaluation import EvaluationTask, evaluate_file
from querykin.io.judgement_files import read_judged_pairs
from querykin.progress import Progress
from querykin.server.jobs.judgement_file import judgement_file
from querykin.server.jobs.kinds import LINK, Arguments, Result, job_kind
from querykin.workspace import Workspace

FOLDS = 10  # of trained measures: each query is scored by a model that was trained without it


def task_page(arguments: Arguments) -> str:
    """The path of the page of a task."""
    return f"/judge/task?{urlencode({'name': arguments['task']})}"


@job_kind("evaluate", lambda arguments: f"Evaluate the judgements of “{arguments['task']}”", task_page)
def evaluate_measures(workspace: Workspace, arguments: Arguments, progress: Progress) -> Result:
    """Evaluate and store the evaluation; trained measures are cross-validated."""
    names = arguments["measures"]
    with judgement_file(workspace, arguments["task"]) as (task, file):
        queries = len(read_judged_pairs(file).queries.distinct)
        trained = [name for name in names if name in workspace.trained()]
        outcome = evaluate_file(
            workspace,
            EvaluationTask(
                file,
                names,
                relevant=task.scale.relevant,
                folds=min(FOLDS, queries) if trained else None,
                progress=progress,
            ),
        )
    run = store_run(workspace.path / "evaluations", outcome, task.name)
    return {LINK: f"/report/run?{urlencode({'id': run.id})}"}
