"""Tasks on a Spark cluster, one partition each.

All tasks are one Spark job, so that Spark sees the whole queue: it places tasks, runs those of lost
executors again, and may start executors for them. Results come back through an accumulator, whose update by
a task is applied once, as soon as the task is finished; the job itself would return all of them at its end.
"""

import os
import re
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Generic
from uuid import uuid4
from weakref import finalize

from querykin.compute.cpus import VARIABLE
from querykin.distributed.java import check_java
from querykin.distributed.processes import MAX_FAILURES
from querykin.distributed.task_runner import Result, Task
from querykin.errors import QuerykinError, WorkspaceError
from querykin.progress import SILENT, Progress

if TYPE_CHECKING:
    from pyspark import SparkContext

_POLL = 1.0  # seconds between two looks at the executors
_PATIENCE = 15.0  # seconds without executors before a message says so
_CONNECT_TIMEOUT = 5.0  # seconds
_LONGEST_REASON = 300  # characters of Spark's own message in ours


class Spark:
    """Runs tasks on the executors of a Spark master, each on one thread; started with the first task."""

    def __init__(self, master: str, progress: Progress = SILENT) -> None:
        self.master, self._progress = master, progress

    @property
    def slots(self) -> int:
        """The cores of the executors that are there by now."""
        return int(self._context.defaultParallelism)

    @cached_property
    def _context(self) -> "SparkContext":
        check_java()
        _check_reachable(self.master)
        self._progress.message(f"starting Spark on {self.master}")
        context = _started(self.master)
        finalize(self, context.stop)
        return context

    def results(
        self, function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Result]]:
        """The number and the result of each task, as they are finished."""
        if not tasks:
            return
        job = _Job(self._context, function, tasks)
        executors = _Executors(self._context, self.master, self._progress)
        try:
            for outcome in job.outcomes(executors.look):
                if outcome.attempt:
                    self._progress.message(
                        f"task {outcome.number + 1} of {len(tasks)} was run again after its process was lost "
                        f"(attempt {outcome.attempt + 1})"
                    )
                if outcome.error:
                    raise outcome.error
                yield outcome.number, outcome.result
        finally:
            job.cancel()


class Outcome(Generic[Result]):
    """What became of a task: its result or its error, and how often it had failed before."""

    def __init__(self, number: int, attempt: int, result: Any = None, error: Exception | None = None) -> None:
        self.number, self.attempt, self.result, self.error = number, attempt, result, error


class _Arrivals(SimpleQueue[Outcome[Any]]):
    """The driver's value of the accumulator: updates of tasks are put into a queue."""

    def __iadd__(self, outcomes: list[Outcome[Any]]) -> "_Arrivals":
        for outcome in outcomes:
            self.put(outcome)
        return self


class _Job:
    """One Spark job over all tasks, run by a thread."""

    def __init__(
        self, context: "SparkContext", function: Callable[[Task], Result], tasks: Sequence[Task]
    ) -> None:
        self._context, self._group, self._count = context, f"querykin-{uuid4().hex[:12]}", len(tasks)
        self._arrivals, self._failure = _Arrivals(), ""
        self._thread = Thread(target=self._run, args=(function, list(enumerate(tasks))), daemon=True)

    def _run(self, function: Callable[[Task], Result], tasks: list[tuple[int, Task]]) -> None:
        from py4j.protocol import Py4JError, Py4JJavaError
        from pyspark.accumulators import AddingAccumulatorParam

        arrivals = self._context.accumulator(self._arrivals, AddingAccumulatorParam[Any]([]))
        self._context.setJobGroup(self._group, getattr(function, "__doc__", None) or "querykin")

        def run(numbered: tuple[int, Task]) -> None:
            arrivals.add([_outcome(function, *numbered)])

        try:
            self._context.parallelize(tasks, len(tasks)).foreach(run)
        except Py4JJavaError as error:
            self._failure = _reason_of(error.java_exception.getMessage())
        except (Py4JError, OSError) as error:  # the JVM of the driver is gone
            self._failure = _reason_of(str(error))

    def outcomes(self, look: Callable[[], None]) -> Iterator[Outcome[Any]]:
        """Outcomes as they arrive; `look` is called between them."""
        self._thread.start()
        arrived = 0
        while arrived < self._count:
            alive = self._thread.is_alive()
            try:
                outcome = self._arrivals.get(timeout=_POLL if alive else 0)
            except Empty:
                if not alive:
                    raise WorkspaceError(
                        f"Spark has given up after {arrived} of {self._count} tasks ({self._failure}); "
                        "finished work is kept: run the command again"
                    ) from None
            else:
                arrived += 1
                yield outcome
            look()

    def cancel(self) -> None:
        """Stop the tasks that are still running."""
        if self._thread.is_alive():
            self._context.cancelJobGroup(self._group)
            self._thread.join()


def _outcome(function: Callable[[Task], Result], number: int, task: Task) -> Outcome[Result]:
    """Run a task on an executor; its error is returned: Spark would try again and hide it in a traceback."""
    from pyspark import TaskContext

    running = TaskContext.get()
    attempt = running.attemptNumber() if running else 0
    try:
        return Outcome(number, attempt, function(task))
    except Exception as error:
        return Outcome(number, attempt, error=error)


class _Executors:
    """Tells of executors that are lost, and of clusters that have none."""

    def __init__(self, context: "SparkContext", master: str, progress: Progress) -> None:
        self._context, self._master, self._progress = context, master, progress
        self._known: set[str] = set()
        self._looked = self._seen = monotonic()

    def look(self) -> None:
        """Compare the executors with those of the last look; at most once a second."""
        if monotonic() - self._looked < _POLL or self._master.startswith("local"):
            return
        self._looked = monotonic()
        now = self._executors()
        for executor in sorted(self._known - now):
            self._progress.message(f"executor {executor} is lost; its tasks are run again elsewhere")
        self._known = now
        if now:
            self._seen = self._looked
        elif self._looked - self._seen > _PATIENCE:
            self._seen = self._looked
            self._progress.message(
                f"{self._master} has given no executor for {_PATIENCE:.0f} seconds; waiting. It needs a "
                "worker with a free core and as much free memory as spark.executor.memory"
            )

    def _executors(self) -> set[str]:
        """Those that Spark counts as active, by number and host; the driver is listed among them."""
        listed = self._context._jsc.sc().statusStore().executorList(True)
        found = [listed.apply(number) for number in range(listed.size())]
        return {f"{each.id()} on {each.hostPort().split(':')[0]}" for each in found if each.id() != "driver"}


def _started(master: str) -> "SparkContext":
    """A context whose log goes to a file: the terminal is for our progress."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    environment = {VARIABLE: "1"}
    if "PYTHONPATH" in os.environ:
        folders = os.environ["PYTHONPATH"].split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, filter(None, folders)))
    # The threads of a local master try a task once by default; executors try four times.
    conf = SparkConf().setMaster(re.sub(r"(local\[.+)\]", rf"\1,{MAX_FAILURES}]", master))
    conf.setAppName("querykin")
    conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    # The limit is on the results of all tasks together, which are taken as they arrive and not collected.
    conf.set("spark.driver.maxResultSize", "0")
    conf.setExecutorEnv(pairs=list(environment.items()))
    with TemporaryFile() as log:  # the JVM has the file open as well, until it ends
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # of pandas 3, which is not used here
                # A process has one JVM, which outlives its contexts; a second one would be left unused.
                gateway = SparkContext._gateway or launch_gateway(conf, {"stderr": log})
                settled = SparkConf(_jvm=gateway.jvm)  # with PYSPARK_SUBMIT_ARGS, which may differ from ours
                for name, value in conf.getAll():
                    settled.setIfMissing(name, value)
                settled.setMaster(conf.get("spark.master", master)).setAppName("querykin")
                return SparkContext(conf=settled, gateway=gateway)
        except Exception as error:
            raise QuerykinError(f"cannot start Spark on {master}: {_reason(log) or error}") from error


def _reason(log: IO[bytes]) -> str:
    """The last line of a log that tells of an error."""
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in reversed(lines) if "ERROR" in line or "Exception" in line), "")


def _check_reachable(master: str) -> None:
    """Raise an error if no standalone master answers: Spark itself would try for a minute."""
    if not master.startswith("spark://"):
        return
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _CONNECT_TIMEOUT).close()
        except OSError as error:
            failure = f"{address}: {error.strerror or error}"
        else:
            return
    raise QuerykinError(f"no Spark master answers at {master} ({failure}); start it, or correct --on")


def _reason_of(message: str | None) -> str:
    """What Spark's message says of a failure: the last line of a Python traceback, or else its first line.

    >>> _reason_of(chr(10).join(["Job aborted: Traceback:", "  File x", "KeyError: 3", "  at Py.scala"]))
    'KeyError: 3'
    """
    lines = (message or "no reason given").strip().splitlines()
    python_errors = [line for line in lines[1:] if re.match(r"[\w.]+(Error|Exception)\b", line)]
    return (python_errors[-1] if python_errors else lines[0].split(" Consider ")[0])[:_LONGEST_REASON]
