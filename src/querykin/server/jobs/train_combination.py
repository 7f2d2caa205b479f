"""Job: train a combination of measures on the judgements of a task, as `querykin train combination` does."""

from urllib.parse import urlencode

from querykin.learning.combination.training import CombinationTask
from querykin.learning.combination.training import train_combination as train
from querykin.progress import Progress
from querykin.server.jobs.evaluate_measures import task_page
from querykin.server.jobs.judgement_file import judgement_file
from querykin.server.jobs.kinds import LINK, Arguments, Result, job_kind
from querykin.workspace import Workspace


@job_kind("train", lambda arguments: f"Train “{arguments['name']}” on “{arguments['task']}”", task_page)
def train_combination(workspace: Workspace, arguments: Arguments, progress: Progress) -> Result:
    """Train and store a combination, and build what it needs to search."""
    name = arguments["name"]
    with judgement_file(workspace, arguments["task"]) as (task, file):
        train(
            workspace,
            CombinationTask(
                file,
                name,
                arguments["measures"],
                arguments["learner"],
                relevant=task.scale.relevant,
                progress=progress,
            ),
        )
    if len(workspace.repository):
        workspace.retriever(name)
    return {LINK: f"/model?{urlencode({'name': name})}"}
