"""An index build in tasks: `python -m bench spark`.

The same build in this process, in processes, and on Spark: local, and a standalone cluster of one and two workers with one
core each. Wall-clock time includes the start of processes, but not that of Spark and of the cluster.
"""

import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from tests.cluster.servers.spark import spark_cluster

from bench import workload
from bench.result import Result
from querykin import Workspace
from querykin.distributed.masters import task_runner
from querykin.distributed.task_runner import TaskRunner, run_tasks
from querykin.progress import Silent

MEASURE = "web-kernel"
SIZES = (16_384, 65_536)
PLACES = ("this process", "processes[1]", "processes[2]", "local[2]", "1 worker", "2 workers")


class _Messages(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def message(self, text: str) -> None:
        """Keep the message."""
        self.lines.append(text)


def run() -> Result:
    """Seconds of a build, and how its tasks were spread."""
    table, figures, ratios = [], dict[str, float](), dict[str, float]()
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            home = _stocked(Path(folder) / str(size), size)
            wall = {}
            for place in PLACES:
                with _runner(place, Path(folder)) as runner:
                    wall[place], cpu, tasks = _build(home, runner)
                table.append([f"{size:,}", place, f"{wall[place]:.1f}", f"{cpu:.1f}", tasks])
                figures |= {f"{size} {place} wall": wall[place], f"{size} {place} cpu": cpu}
                print(table[-1], flush=True)
            ratios[f"spark_{size}_2_workers_vs_1"] = wall["1 worker"] / wall["2 workers"]
    children = getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024
    text = (
        f"A build of {MEASURE} from nothing. Wall-clock seconds; processor seconds of the tasks, and in this process of "
        f"the whole build; how evenly the tasks were spread. The largest process that was started had {children:,.0f} MB."
    )
    header = ["queries", "on", "seconds", "processor seconds", "tasks"]
    return Result("spark", "Builds in tasks", text, header, table, figures, ratios)


def _stocked(home: Path, queries: int) -> Path:
    home.mkdir(parents=True)
    (home / "corpus").symlink_to(workload.corpus().path / "corpus", target_is_directory=True)
    workload.filled(Workspace.open(home), queries, ())
    return home


@contextmanager
def _runner(place: str, folder: Path) -> Iterator[TaskRunner]:
    if place.endswith(("worker", "workers")):
        with spark_cluster(folder / "cluster", int(place[0])) as cluster:
            yield task_runner(cluster.master)
    else:
        yield task_runner(None if place == "this process" else place)


def _build(home: Path, runner: TaskRunner) -> tuple[float, float, str]:
    shutil.rmtree(home / "index", ignore_errors=True)
    messages = _Messages()
    opened = Workspace.open(home, runner=runner, progress=messages)
    run_tasks(runner, abs, [1])  # starts Spark
    began, cpu = time.perf_counter(), getrusage(RUSAGE_SELF)
    opened.indexes.update([opened.measure(MEASURE)], progress=messages)
    wall, after = time.perf_counter() - began, getrusage(RUSAGE_SELF)
    spread = next((line for line in messages.lines if line.startswith("rows: ")), "")
    if found := re.search(r"rows: (.* ([\d,]+) CPU-s, .*)", spread):
        return wall, float(found[2].replace(",", "")), found[1]
    return wall, after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime, "-"
