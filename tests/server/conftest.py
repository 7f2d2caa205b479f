"""Fixtures: a built workspace, the application over it, and the service as a process."""

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
from querykin.settings_sections import ServerSettings
from topics import DOCUMENTS, FACTS

PROGRAM = str(Path(sys.executable).with_name("querykin"))
QUERIES = [(title, 1 + number) for facts in FACTS.values() for number, (title, _) in enumerate(facts)]


@pytest.fixture(scope="session")
def built_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read-only workspace: 61 documents, their titles as past queries, the index of the default measure."""
    workspace = Workspace.open(tmp_path_factory.mktemp("built") / "workspace")
    workspace.corpus.add(DOCUMENTS)
    workspace = workspace.reopen()
    workspace.repository.add(QUERIES)
    workspace.reopen().build()
    return workspace.path


@pytest.fixture
def workspace_copy(built_workspace: Path, tmp_path: Path) -> Path:
    """Copy of the built workspace that a test may change."""
    return Path(shutil.copytree(built_workspace, tmp_path / "workspace"))


@contextmanager
def _client(path: Path, settings: ServerSettings, **options: Any) -> Iterator[TestClient]:
    with TestClient(create_app(Workspace.open(path), settings), **options) as client:
        yield client


@pytest.fixture
def make_client(workspace_copy: Path) -> Callable[..., Any]:
    """Factory of test clients over a copy of the workspace, with the given settings."""

    def start(path: Path = workspace_copy, **settings: Any) -> Any:
        return _client(path, ServerSettings(**{"rate": 0.0, **settings}), follow_redirects=False)

    return start


@pytest.fixture(scope="module")
def client(built_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Client with default settings; the tests of a module share its workspace and judgements."""
    path = Path(shutil.copytree(built_workspace, tmp_path_factory.mktemp("shared") / "workspace"))
    with _client(path, ServerSettings(rate=0.0), follow_redirects=False) as client:
        yield client


@dataclass(frozen=True)
class RunningService:
    """A `querykin serve` process."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Send one request over a new connection; returns the status and the JSON or text of the response."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            content_type = {"Content-Type": "application/json"} if body is not None else {}
            content = json.dumps(body) if body is not None else None
            connection.request(method, path, content, {**content_type, **headers})
            response = connection.getresponse()
            text = response.read()
            is_json = "json" in (response.getheader("Content-Type") or "")
            return response.status, json.loads(text) if is_json else text.decode()
        finally:
            connection.close()

    def log_lines(self) -> list[dict[str, Any]]:
        """Whole JSON lines of the log so far; a line that is still being written is left out."""
        lines = self.log.read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("\n")]

    def stop(self) -> int:
        """Send SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def _service_starter(folder: Path) -> Iterator[Callable[..., RunningService]]:
    """Function that starts services on free ports; all are stopped at the end."""
    started = []

    def start(workspace: Path, *arguments: str, settings: str = "") -> RunningService:
        config, log = folder / "settings.toml", folder / f"log-{len(started)}"
        config.write_text(f"[server]\n{settings}\n")
        command = [PROGRAM, "serve", "--workspace", str(workspace), "--port", "0", "--config", str(config)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("QUERYKIN_")}
        with log.open("wb") as messages:
            process = subprocess.Popen([*command, *arguments], stderr=messages, env=environment)
        started.append(process)
        service = RunningService(process, _port(process, log), log)
        status, content = service.request("GET", "/readyz")
        assert (status, content["status"]) == (200, "ready")
        return service

    try:
        yield start
    finally:
        for process in started:
            process.terminate()
            process.wait(60)


@pytest.fixture
def start_service(tmp_path: Path) -> Iterator[Callable[..., RunningService]]:
    """Function that starts a service."""
    with _service_starter(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def start_shared_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., RunningService]]:
    """Function that starts a service for all tests of a module."""
    with _service_starter(tmp_path_factory.mktemp("shared-service")) as start:
        yield start


@pytest.fixture(scope="module")
def running_service(
    built_workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service with two workers, shared by the tests of a module."""
    with _service_starter(tmp_path_factory.mktemp("service")) as start:
        yield start(built_workspace, "--workers", "2", settings="rate = 0\ntimeout = 2")


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    """Port in the first message of the service."""
    while process.poll() is None:
        if match := re.search(r"http://[^/]*:(\d+)/", log.read_text()):
            return int(match[1])
        time.sleep(0.1)
    raise AssertionError(log.read_text())
