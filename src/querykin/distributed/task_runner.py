"""The contract of task runners: independent tasks, run somewhere, their results in the process that asked.

A task reads the workspace and writes new parts beside those in use, which are no content of a store until
the process that asked commits them. So a task may fail, be killed, or run twice: what it wrote and nobody
commits is deleted with the next writer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class TaskRunner(Protocol):
    """Runs a function over tasks. Function, tasks and results are pickled where they leave the process."""

    @property
    def slots(self) -> int:
        """How many tasks run at the same time."""

    def results(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Result]]:
        """The number and the result of each task, as they are finished; the first error of a task is raised.

        A task is run again when its process or machine is lost.
        """


def run_tasks(runner: TaskRunner, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    """The results of all tasks, in the order of the tasks.

    >>> run_tasks(THIS_PROCESS, abs, [3, -4])
    [3, 4]
    """
    found = dict(runner.results(function, tasks))
    return [found[number] for number in range(len(tasks))]


def in_order(results: Iterable[tuple[int, Result]]) -> Iterator[tuple[int, Result]]:
    """Results in the order of the tasks, each as soon as those before it are finished.

    >>> list(in_order([(1, "b"), (0, "a"), (2, "c")]))
    [(0, 'a'), (1, 'b'), (2, 'c')]
    """
    finished: dict[int, Result] = {}
    following = 0
    for number, result in results:
        finished[number] = result
        while following in finished:
            yield following, finished.pop(following)
            following += 1


class ThisProcess:
    """Runs one task after the other; each may use all threads."""

    slots = 1

    def results(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Result]]:
        """The number and the result of each task, in order."""
        for number, task in enumerate(tasks):
            yield number, function(task)


THIS_PROCESS = ThisProcess()
