"""Shards and a router as processes: one is killed in the middle of requests, and comes back."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Event

import pytest

from querykin import Workspace
from querykin.index.shard import Shard
from topics import DOCUMENTS, FACTS

PROGRAM = str(Path(sys.executable).with_name("querykin"))
QUERIES = ["space exploration", "java", "baseball", "seattle mariners", "rice terraces", "telescope"]
SHARDS = 3
ALL = 1000  # more than there are queries


@dataclass(frozen=True)
class Served:
    """A `querykin serve` process."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def match(self, query: str, k: int = 10) -> tuple[int, str, dict]:
        """Status, the header of partial answers, and the answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            body = json.dumps({"queries": [query], "k": k})
            connection.request("POST", "/v1/match", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            found = json.loads(response.read())
            header = response.getheader("Missing-Shards") or ""
            return response.status, header, found[0] if response.status == 200 else found
        finally:
            connection.close()


@contextmanager
def serve(path: Path, folder: Path, *arguments: str, port: int = 0) -> Iterator[Served]:
    config, log = folder / "settings.toml", folder / f"log-{time.monotonic_ns()}"
    config.write_text("[server]\nrate = 0\ncache = 0\n")
    command = [PROGRAM, "serve", "--workspace", str(path), "--port", str(port), "--config", str(config)]
    with log.open("wb") as messages:
        process = subprocess.Popen(
            [*command, *arguments], stderr=messages, env={**os.environ, "QUERYKIN_THREADS": "1"}
        )
    try:
        while not (found := re.search(r"http://[^/]*:(\d+)/", log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        served = Served(process, int(found[1]))
        connection = HTTPConnection("127.0.0.1", served.port, timeout=120)
        connection.request("GET", "/readyz")  # answered after the warm-up
        assert connection.getresponse().status == 200
        connection.close()
        yield served
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    workspace = Workspace.open(tmp_path_factory.mktemp("sharded") / "workspace")
    workspace.corpus.add(DOCUMENTS)
    workspace = workspace.reopen()
    titles = (title for facts in FACTS.values() for title, _ in facts)
    workspace.repository.add([(title, 1 + number % 4) for number, title in enumerate(titles)])
    workspace.reopen().build()
    return workspace.path


@pytest.fixture(scope="module")
def expected(path) -> dict[tuple[str, str], list[tuple[str, float]]]:
    """The ten best of each query: of all shards, and without each of them."""
    workspace = Workspace.open(path)
    total = len(workspace.repository.counts)
    found = {}
    for result in workspace.match(QUERIES, ALL):
        for shard in ("", *(f"{number}/{SHARDS}" for number in range(1, SHARDS + 1))):
            absent = Shard.parse(shard).ids(total) if shard else ()
            left = [each for each in result.suggestions if each.query_id not in absent]
            found[result.query, shard] = [(each.query, round(each.score, 9)) for each in left[:10]]
    return found


def listed(answer: dict) -> list[tuple[str, float]]:
    return [(each["query"], each["score"]) for each in answer["suggestions"]]


class Clients:
    """Three threads that ask until they are stopped; every answer is checked."""

    def __init__(self, router: Served, expected) -> None:
        self._router, self._expected, self._stop = router, expected, Event()
        self.missing: list[str] = []  # of each answer

    def _ask(self, start: int) -> None:
        number = start
        while not self._stop.is_set():
            query = QUERIES[number % len(QUERIES)]
            status, header, answer = self._router.match(query)
            assert status == 200, answer
            assert answer.get("missing_shards", []) == ([header] if header else [])
            assert answer.get("partial", False) == bool(header)
            assert listed(answer) == self._expected[query, header]
            self.missing.append(header)
            number += 1

    def answers(self, count: int) -> list[str]:
        """What is missing in the next answers."""
        begin, deadline = len(self.missing), time.monotonic() + 60
        while len(self.missing) < begin + count and not self._failed():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return self.missing[begin:]

    def wait_until_whole(self) -> None:
        """A shard that hung while it started is asked again when it has answered a probe."""
        deadline = time.monotonic() + 30
        while set(self.answers(10)) != {""}:
            assert time.monotonic() < deadline

    def _failed(self) -> bool:
        return any(future.done() for future in self._futures)

    def __enter__(self) -> "Clients":
        self._pool = ThreadPoolExecutor(3)
        self._futures = [self._pool.submit(self._ask, start) for start in range(3)]
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        for future in self._futures:
            future.result(60)
        self._pool.shutdown()


def test_answers_go_on_without_a_killed_shard_and_are_whole_when_it_is_back(path, expected, tmp_path):
    with ExitStack() as stack:
        shards = [
            stack.enter_context(serve(path, tmp_path, "--shard", f"{number}/{SHARDS}"))
            for number in range(1, SHARDS + 1)
        ]
        urls = ",".join(shard.url for shard in shards)
        router = stack.enter_context(serve(path, tmp_path, "--shards", urls))
        with Clients(router, expected) as clients:
            assert set(clients.answers(30)) == {""}
            shards[1].process.kill()
            shards[1].process.wait()
            clients.answers(3)  # may have been sent before
            assert set(clients.answers(30)) == {"2/3"}
            stack.enter_context(serve(path, tmp_path, "--shard", "2/3", port=shards[1].port))
            clients.wait_until_whole()
            assert set(clients.answers(30)) == {""}


def test_a_replica_takes_the_place_of_a_killed_or_hanging_one(path, expected, tmp_path):
    with ExitStack() as stack:
        names = ["1/3", "1/3", "2/3", "3/3"]
        first, second, *others = [
            stack.enter_context(serve(path, tmp_path, "--shard", name)) for name in names
        ]
        urls = ",".join([f"{first.url}|{second.url}", *(shard.url for shard in others)])
        router = stack.enter_context(serve(path, tmp_path, "--shards", urls))
        with Clients(router, expected) as clients:
            clients.answers(30)
            first.process.send_signal(signal.SIGSTOP)
            clients.answers(60)
            first.process.send_signal(signal.SIGCONT)
            clients.answers(30)
            first.process.kill()
            clients.answers(60)
        assert set(clients.missing) == {""}  # no answer was partial


def test_without_any_shard_the_router_says_so_and_recovers(path, expected, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with ExitStack() as stack:
        shard = stack.enter_context(serve(path, tmp_path, "--shard", "1/1", port=port))
        router = stack.enter_context(serve(path, tmp_path, "--shards", shard.url))
        assert listed(router.match("java")[2]) == expected["java", ""]
        shard.process.kill()
        shard.process.wait()
        status, _, problem = router.match("java")
        assert (status, problem["type"]) == (503, "/docs#shards")
        stack.enter_context(serve(path, tmp_path, "--shard", "1/1", port=port))
        assert listed(router.match("java")[2]) == expected["java", ""]
