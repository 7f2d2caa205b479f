"""Tasks with a progress bar and, at the end, a line on the time they took."""

from collections.abc import Callable, Generator, Sequence

from querykin.distributed.task_runner import Result, Task, TaskRunner, in_order
from querykin.distributed.task_times import timed_results
from querykin.progress import Progress


def shown_results(
    runner: TaskRunner,
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    progress: Progress,
    title: str,
    sizes: Sequence[int] | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """The results of tasks as they are finished; `sizes` are their shares of the work, by default equal."""
    steps = [1] * len(tasks) if sizes is None else sizes
    with progress.task(title, sum(steps)) as advance:
        for number, result in timed_results(runner, function, tasks, progress, title):
            advance(steps[number])
            yield number, result


def ordered_results(
    runner: TaskRunner,
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    progress: Progress,
    title: str,
    sizes: Sequence[int] | None = None,
) -> Generator[Result, None, None]:
    """The results in the order of the tasks, each as soon as those before it are finished."""
    for _, result in in_order(shown_results(runner, function, tasks, progress, title, sizes)):
        yield result
