"""A standalone Spark cluster on this machine: a master and workers as processes, from the package pyspark.

Needs Java 17.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HOST = "127.0.0.1"
START = 240  # seconds that a process on busy processors may take
CORES, MEMORY = 1, "2g"  # of a worker


class SparkCluster:
    """The processes of a running cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        port, self._page = _free_ports(2)
        self.master = f"spark://{HOST}:{port}"
        where = ["--host", HOST, "--port", str(port), "--webui-port", str(self._page)]
        self._master = self._start("master.Master", *where)
        self._workers: list[subprocess.Popen[bytes]] = []

    @property
    def workers(self) -> list[int]:
        """The process ids of the workers, some of which may have been killed."""
        return [process.pid for process in self._workers]

    def start_worker(self) -> int:
        """Start a worker and wait until the master knows it; returns its process id."""
        known = self.alive_workers()
        home = self.folder / f"worker-{len(self._workers)}"
        sizes = ["--cores", str(CORES), "--memory", MEMORY]
        options = ["--host", HOST, *sizes, "--work-dir", str(home), "--webui-port", "0", self.master]
        self._workers.append(self._start("worker.Worker", *options))
        wait_until(lambda: self.alive_workers() > known, "a worker is known to the master")
        return self._workers[-1].pid

    def kill_worker(self, number: int) -> None:
        """SIGKILL a worker; its executor notices and ends as well."""
        self._workers[number].kill()
        self._workers[number].wait()

    def executors(self, worker: int) -> list[int]:
        """The process ids of the executors of a worker."""
        return [pid for pid in _children(self.workers[worker]) if "ExecutorBackend" in _command(pid)]

    def python_workers(self, worker: int) -> list[int]:
        """The process ids of the Python processes that run the tasks of a worker's executors."""
        daemons = [pid for executor in self.executors(worker) for pid in _children(executor)]
        return [pid for daemon in daemons for pid in _children(daemon)]

    def alive_workers(self) -> int:
        """The number of workers that the master counts as alive; 0 while it starts."""
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self._page}/json/", timeout=5) as answer:
                return int(json.load(answer)["aliveworkers"])
        except (OSError, ValueError):
            return 0

    def stop(self) -> None:
        """End all processes, and the executors that the workers have started."""
        for worker in self.workers:
            for pid in _children(worker):
                os.kill(pid, signal.SIGKILL)
        for process in (*self._workers, self._master):
            process.kill()
            process.wait()

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        import pyspark

        program = Path(pyspark.__file__).parent / "bin" / "spark-class"
        environment = {**os.environ, "SPARK_LOCAL_IP": HOST, "PYSPARK_PYTHON": sys.executable}
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(
                [str(program), f"org.apache.spark.deploy.{kind}", *arguments],
                stdout=log,
                stderr=log,
                env=environment,
            )


@contextmanager
def spark_cluster(folder: Path, workers: int = 2) -> Iterator[SparkCluster]:
    """A cluster with some workers; all its processes are ended."""
    cluster = SparkCluster(folder)
    try:
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        cluster.stop()


def wait_until(condition: Callable[[], bool], what: str, seconds: float = START) -> None:
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise TimeoutError(f"waited {seconds} seconds, and still not: {what}")
        time.sleep(0.05)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((HOST, 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _children(parent: int) -> list[int]:
    """The processes that a process has started by any of its threads; none if it is gone."""
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{parent}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    except OSError:
        return found
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " ")
    except OSError:
        return ""
