"""The time that tasks took, and how evenly it is spread over them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Generic

from querykin.counted_nouns import counted
from querykin.distributed.task_runner import THIS_PROCESS, Result, Task, TaskRunner
from querykin.progress import Progress


def timed_results(
    runner: TaskRunner,
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    progress: Progress,
    work: str,
) -> Iterator[tuple[int, Result]]:
    """The results of tasks as they are finished; at the end one line says how long the tasks took.

    `work` names them in that line. Nothing is said of tasks in this process.
    """
    seconds, cpu_seconds = list[float](), 0.0
    for number, outcome in runner.results(Timed(function), tasks):
        seconds.append(outcome.seconds)
        cpu_seconds += outcome.cpu_seconds
        yield number, outcome.result
    if seconds and runner is not THIS_PROCESS:
        progress.message(f"{work}: {spread(seconds, cpu_seconds)}")


def spread(seconds: Sequence[float], cpu_seconds: float) -> str:
    """The median and the longest of some tasks, and their ratio, which shows skew.

    >>> spread([2.0, 2.5, 4.0], 8.1)
    '3 tasks, 8 CPU-s, median 2.5 s, longest 4.0 s (1.6 times the median)'
    """
    from statistics import median

    middle, longest = median(seconds), max(seconds)
    ratio = f" ({longest / middle:.1f} times the median)" if middle > 0 else ""
    tasks = counted(len(seconds), "task")
    return f"{tasks}, {cpu_seconds:,.0f} CPU-s, median {middle:.1f} s, longest {longest:.1f} s{ratio}"


@dataclass(frozen=True)
class TimedResult(Generic[Result]):
    """The result of a task and the time it took."""

    result: Result
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Timed(Generic[Task, Result]):
    """A function that takes its own time."""

    function: Callable[[Task], Result]

    def __call__(self, task: Task) -> TimedResult[Result]:
        """The result with the time it took."""
        begin, cpu_begin = perf_counter(), process_time()
        result = self.function(task)
        return TimedResult(result, perf_counter() - begin, process_time() - cpu_begin)
