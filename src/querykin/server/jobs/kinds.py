"""Kinds of jobs by name; a new kind is one file with a function under `@job_kind(...)` and one line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from querykin.progress import Progress
from querykin.registry import Registry
from querykin.workspace import Workspace

Arguments = Mapping[str, Any]  # what JSON can hold
Result = dict[str, Any]  # what JSON can hold; "link" is the path of the page that shows it
Run = Callable[[Workspace, Arguments, Progress], Result]
LINK = "link"


@dataclass(frozen=True)
class JobKind:
    """What a job does, its title, and the path of the page that it is started from."""

    run: Run
    title: Callable[[Arguments], str]
    origin: Callable[[Arguments], str]


job_kinds: Registry[JobKind] = Registry(
    "kind of job",
    {
        "evaluate": "querykin.server.jobs.evaluate_measures",
        "train": "querykin.server.jobs.train_combination",
        "compare-keywords": "querykin.server.jobs.compare_keywords",
    },
)


def job_kind(
    name: str, title: Callable[[Arguments], str], origin: Callable[[Arguments], str]
) -> Callable[[Run], Run]:
    """Register a function as the work of a kind of jobs."""

    def register(run: Run) -> Run:
        job_kinds.register(name)(JobKind(run, title, origin))
        return run

    return register
