"""Tasks in several processes of this machine, each on one thread."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread

from querykin.compute.cpus import VARIABLE, available_cpus, set_library_threads
from querykin.distributed.task_runner import Result, Task
from querykin.errors import WorkspaceError
from querykin.progress import SILENT, Progress

MAX_FAILURES = 4  # pools lost in a row without one finished task; spark.task.maxFailures has the same default


class Processes:
    """Runs tasks in processes; those of a process that was killed are run again."""

    def __init__(self, slots: int | None = None, progress: Progress = SILENT) -> None:
        self.slots, self._progress = slots or available_cpus(), progress
        self._pool: ProcessPoolExecutor | None = None  # kept: what a task has opened serves the next

    def close(self) -> None:
        """End the processes; the next task starts new ones."""
        if self._pool:
            self._pool.shutdown()
        self._pool = None

    def results(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Result]]:
        """The number and the result of each task, as they are finished."""
        waiting, failures = set(range(len(tasks))), 0
        while waiting:
            before = len(waiting)
            for number, result in self._until_one_is_killed(function, tasks, sorted(waiting)):
                waiting.discard(number)
                yield number, result
            if waiting:
                self._progress.message("a process was killed; its tasks are run again")
            failures = failures + 1 if len(waiting) == before else 0
            if failures == MAX_FAILURES:
                raise WorkspaceError(
                    f"a process was killed {failures} times in a row before any of {len(waiting)} tasks was "
                    "finished, perhaps for lack of memory; finished work is kept: run the command again "
                    "with fewer processes"
                )

    def _until_one_is_killed(
        self, function: Callable[[Task], Result], tasks: Sequence[Task], numbers: Sequence[int]
    ) -> Iterator[tuple[int, Result]]:
        """Results from one pool; its end without all of them means that one of its processes was killed."""
        pool = self._pool = self._pool or ProcessPoolExecutor(
            self.slots, get_context("spawn"), initializer=_prepare
        )
        running: dict[Future[Result], int] = {}
        try:
            upcoming = iter(numbers)
            while True:
                # Two for each process: none waits, and little is lost with a pool.
                while len(running) < 2 * self.slots and (number := next(upcoming, None)) is not None:
                    running[pool.submit(function, tasks[number])] = number
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
        except BrokenProcessPool:
            self.close()
        finally:
            for future in running:
                future.cancel()


def _prepare() -> None:
    """Use one thread, as many processes as CPUs are busy already; end with the process that asked."""
    os.environ[VARIABLE] = "1"
    available_cpus.cache_clear()
    set_library_threads()
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A pool does not notice that its owner was killed: its processes would wait for tasks forever."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
