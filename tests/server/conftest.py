"""A workspace that has something to suggest, the application over it, and the service as a process."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from querykin import Workspace
from querykin.server.app import create_app
from querykin.server.settings import Settings
from topics import DOCUMENTS, FACTS

PROGRAM = str(Path(sys.executable).with_name("querykin"))
QUERIES = [(title, 1 + number) for facts in FACTS.values() for number, (title, _) in enumerate(facts)]


@pytest.fixture(scope="session")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """61 documents, their titles as past queries, the index of the default measure; tests only read it."""
    workspace = Workspace.open(tmp_path_factory.mktemp("stocked") / "workspace")
    workspace.corpus.add(DOCUMENTS)
    workspace = workspace.reopen()
    workspace.repository.add(QUERIES)
    workspace.reopen().build()
    return workspace.path


@pytest.fixture
def own(stocked: Path, tmp_path: Path) -> Path:
    """A copy of the workspace that the test may change."""
    return Path(shutil.copytree(stocked, tmp_path / "workspace"))


@contextmanager
def _client(path: Path, settings: Settings, **options: Any) -> Iterator[TestClient]:
    with TestClient(create_app(Workspace.open(path), settings), **options) as client:
        yield client


@pytest.fixture
def serving(own: Path) -> Callable[..., Any]:
    """The application over a workspace of the test's own, under settings of its own."""

    def start(path: Path = own, **settings: Any) -> Any:
        return _client(path, Settings(**{"rate": 0.0, **settings}), follow_redirects=False)

    return start


@pytest.fixture(scope="module")
def client(stocked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The application under the usual settings; judgements of one module share a workspace."""
    path = Path(shutil.copytree(stocked, tmp_path_factory.mktemp("shared") / "workspace"))
    with _client(path, Settings(rate=0.0), follow_redirects=False) as client:
        yield client


@dataclass(frozen=True)
class Served:
    """The service as a process."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """One request over a connection of its own: the status, and the JSON that came."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            kind = {"Content-Type": "application/json"} if body is not None else {}
            content = json.dumps(body) if body is not None else None
            connection.request(method, path, content, {**kind, **headers})
            answer = connection.getresponse()
            text = answer.read()
            plain = "json" not in (answer.getheader("Content-Type") or "")
            return answer.status, text.decode() if plain else json.loads(text)
        finally:
            connection.close()

    def lines(self) -> list[dict[str, Any]]:
        """The log so far."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def _starting(folder: Path) -> Iterator[Callable[..., Served]]:
    """Starts services on free ports; they are gone in the end."""
    started = []

    def start(workspace: Path, *arguments: str, settings: str = "") -> Served:
        config, log = folder / "settings.toml", folder / f"log-{len(started)}"
        config.write_text(f"[server]\n{settings}\n")
        command = [PROGRAM, "serve", "--workspace", str(workspace), "--port", "0", "--config", str(config)]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("QUERYKIN_")}
        with log.open("wb") as messages:
            process = subprocess.Popen([*command, *arguments], stderr=messages, env=kept)
        started.append(process)
        served = Served(process, _port(process, log), log)
        assert served.ask("GET", "/readyz") == (200, {"status": "ready"})
        return served

    try:
        yield start
    finally:
        for process in started:
            process.terminate()
            process.wait(60)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Start the service."""
    with _starting(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def served(stocked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service of two workers that tests share."""
    with _starting(tmp_path_factory.mktemp("served")) as start:
        yield start(stocked, "--workers", "2", settings="rate = 0\ntimeout = 2")


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    """The port that the first message names."""
    while process.poll() is None:
        if found := re.search(r"http://[^/]*:(\d+)/", log.read_text()):
            return int(found[1])
        time.sleep(0.1)
    raise AssertionError(log.read_text())
