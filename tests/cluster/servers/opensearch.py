"""An OpenSearch cluster of several processes on this machine, from the jars of Maven Central.

Needs Java 17 and Maven. The jars, 49 MB, are downloaded once into a cache.
"""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any, Self

from .maven import HERE, jars  # bench imports this module by another name

VERSION = "2.19.6"
HEAP = 512  # MiB of each node
START = 180  # seconds that a cluster on busy processors may take


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class OpenSearchCluster:
    """Nodes as processes of their own; a context manager that stops them at the end."""

    def __init__(self, folder: str | Path, nodes: int = 3) -> None:
        self.folder = Path(folder)
        self._jars = jars("opensearch-pom.xml", f"opensearch-{VERSION}")
        ports = free_ports(2 * nodes)
        self._http, self._transport = ports[:nodes], ports[nodes:]
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        try:
            for number in range(len(self._http)):
                self.start(number)
            self.wait_for(len(self._http))
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def urls(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self._http]

    def start(self, number: int) -> None:
        """Start a node, or start it again over the data that it left."""
        home = self.folder / f"node-{number}"
        home.mkdir(parents=True, exist_ok=True)
        names = ",".join(f"node-{each}" for each in range(len(self._http)))
        settings: dict[str, object] = {
            "cluster.name": "querykin-tests",
            "node.name": f"node-{number}",
            "network.host": "127.0.0.1",
            "http.port": self._http[number],
            "transport.port": self._transport[number],
            "discovery.seed_hosts": ",".join(f"127.0.0.1:{port}" for port in self._transport),
            "cluster.initial_cluster_manager_nodes": names,
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            "node.store.allow_mmap": "false",
            "node.processors": 2,
        }
        if len(self._http) == 1:
            del settings["discovery.seed_hosts"]
        java = ["java", f"-Xms{HEAP}m", f"-Xmx{HEAP}m", "-XX:+UseSerialGC", "-cp", f"{self._jars}/*"]
        options = [f"{name}={value}" for name, value in settings.items()]
        with (self.folder / f"node-{number}.log").open("ab") as log:
            node = subprocess.Popen(
                [*java, str(HERE / "OpenSearchNode.java"), str(home), *options], stdout=log, stderr=log
            )
        self._processes[number : number + 1] = [node]

    def kill(self, number: int) -> None:
        """End a node at once, by SIGKILL."""
        self._processes[number].send_signal(signal.SIGKILL)
        self._processes[number].wait()

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def wait_for(self, nodes: int, status: str = "green") -> None:
        """Wait until so many nodes have formed a cluster whose shards are all there."""
        path = f"/_cluster/health?wait_for_nodes={nodes}&wait_for_status={status}&timeout=5s"
        end = time.monotonic() + START
        while time.monotonic() < end:
            for number, process in enumerate(self._processes):
                if process.poll() is not None:
                    continue
                try:
                    health = self.get(path, number)
                except OSError:
                    continue
                if not health["timed_out"] and not health["relocating_shards"]:
                    return
            time.sleep(0.2)
        logs = [path.read_text("utf-8", "replace")[-2000:] for path in sorted(self.folder.glob("*.log"))]
        raise TimeoutError(f"no {status} cluster of {nodes} nodes in {START} s\n" + "\n".join(logs))

    def get(self, path: str, number: int = 0) -> dict[str, Any]:
        """What a node answers to a GET request."""
        with urllib.request.urlopen(self.urls[number] + path, timeout=10) as response:
            found: dict[str, Any] = json.load(response)
            return found

    def processor_seconds(self) -> float:
        """The processor time of all nodes until now."""
        ticks = 0
        for process in self._processes:
            if process.poll() is None:
                fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")
