"""An index build in tasks: `python -m bench spark`.

The same build in this process, in processes, and on Spark: local, and a standalone cluster of one and two workers with one
core each. Wall-clock time includes the start of processes, but not that of Spark and of the cluster.
"""

import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from tests.cluster.servers.spark import spark_cluster

from bench import workload
from bench.result import Result
from querykin import Workspace
from querykin.distributed.masters import task_runner
from querykin.distributed.processes import Processes
from querykin.distributed.task_runner import run_tasks
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
    table, figures, ratios, largest = [], dict[str, float](), dict[str, float](), 0.0
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            home = _stocked(Path(folder) / str(size), size)
            wall = {}
            for place in PLACES:
                # In a process of its own: a process has one Spark.
                with (
                    _master(place, Path(folder)) as master,
                    ProcessPoolExecutor(1, get_context("spawn")) as pool,
                ):
                    wall[place], cpu, tasks, megabytes = pool.submit(_build, home, master).result()
                largest = max(largest, megabytes)
                table.append([f"{size:,}", place, f"{wall[place]:.1f}", f"{cpu:.1f}", tasks])
                figures |= {f"{size} {place} wall": wall[place], f"{size} {place} cpu": cpu}
                print(table[-1], flush=True)
            ratios[f"spark_{size}_2_workers_vs_1"] = wall["1 worker"] / wall["2 workers"]
    text = (
        f"A build of {MEASURE} from nothing. Wall-clock seconds; processor seconds of the tasks, and in this process of "
        f"the whole build; how evenly the tasks were spread. The largest process of a task had {largest:,.0f} MB."
    )
    header = ["queries", "on", "seconds", "processor seconds", "tasks"]
    return Result("spark", "Builds in tasks", text, header, table, figures, ratios)


def _stocked(home: Path, queries: int) -> Path:
    home.mkdir(parents=True)
    (home / "corpus").symlink_to(workload.corpus().path / "corpus", target_is_directory=True)
    workload.filled(Workspace.open(home), queries, ())
    return home


@contextmanager
def _master(place: str, folder: Path) -> Iterator[str | None]:
    if place.endswith(("worker", "workers")):
        with spark_cluster(folder / "cluster", int(place[0])) as cluster:
            yield cluster.master
    else:
        yield None if place == "this process" else place


def _build(home: Path, master: str | None) -> tuple[float, float, str, float]:
    """Seconds, processor seconds, the spread of the tasks, and the memory of the largest process of processes[N]."""
    shutil.rmtree(home / "index", ignore_errors=True)
    messages, runner = _Messages(), task_runner(master)
    opened = Workspace.open(home, runner=runner, progress=messages)
    run_tasks(runner, abs, [1])  # starts Spark
    began, cpu = time.perf_counter(), getrusage(RUSAGE_SELF)
    opened.indexes.update([opened.measure(MEASURE)], progress=messages)
    wall, after = time.perf_counter() - began, getrusage(RUSAGE_SELF)
    if isinstance(runner, Processes):
        runner.close()
    megabytes = getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024 if isinstance(runner, Processes) else 0.0
    spread = next((line for line in messages.lines if line.startswith("rows: ")), "")
    if found := re.search(r"rows: (.* ([\d,]+) CPU-s, .*)", spread):
        return wall, float(found[2].replace(",", "")), found[1], megabytes
    return wall, after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime, "-", megabytes
