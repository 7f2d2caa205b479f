"""Masters: where `--on` runs tasks, as an address in Spark's own form or as processes of this machine."""

import re
from importlib.util import find_spec

from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner
from querykin.errors import InputError, MissingExtra
from querykin.progress import SILENT, Progress

ALLOWED = "processes, processes[N], local[*], local[N], spark://HOST:PORT, yarn or k8s://HOST:PORT"
_PROCESSES = re.compile(r"processes(?:\[(?P<slots>[1-9]\d*)\])?")
_SPARK = re.compile(r"local\[(?:\*|[1-9]\d*)\]|spark://\S+:\d+|yarn|k8s://\S+")


def task_runner(master: str | None, progress: Progress = SILENT) -> TaskRunner:
    """The task runner of a master; without one, tasks run in this process.

    Nothing is started before the first task. `progress` receives a message when processes or
    executors are lost.

    >>> task_runner("processes[2]").slots
    2
    >>> task_runner("mesos://host:5050")
    Traceback (most recent call last):
    querykin.errors.InputError: --on must be processes, processes[N], local[*], local[N], spark://HOST:PORT,
    yarn or k8s://HOST:PORT, got 'mesos://host:5050'
    """
    if master is None:
        return THIS_PROCESS
    if found := _PROCESSES.fullmatch(master):
        from querykin.distributed.processes import Processes

        return Processes(int(found["slots"]) if found["slots"] else None, progress)
    if not _SPARK.fullmatch(master):
        raise InputError(f"--on must be {ALLOWED}, got {master!r}")
    if find_spec("pyspark") is None:
        raise MissingExtra(f"--on {master}", "spark")
    from querykin.distributed.spark import Spark

    return Spark(master, progress)
