"""The service under load: `python -m bench.service [requests]`, or `make bench-service`.

A service of two workers over the demo corpus answers four client processes on the same machine, each of which
sends the next request as soon as it has the response. Every response is checked. Figures go to bench/results.
"""

import json
import os
import platform
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import numpy as np

from querykin import Workspace

WORKSPACE = Path(".demo-workspace")
RESULTS = Path(__file__).parent / "results"
REQUESTS, CLIENTS, WORKERS = 50_000, 4, 2
REPEATED_QUERIES = 200  # queries that are repeated
PROGRAM = str(Path(sys.executable).with_name("querykin"))
Times = dict[str, list[float]]


@dataclass(frozen=True)
class Request:
    """One request: its name, its content, and the expected status."""

    route: str
    method: str
    path: str
    body: Any = None
    status: int = 200


class RequestGenerator:
    """Requests of all kinds, made from queries of the repository."""

    def __init__(self, queries: list[str], seed: int) -> None:
        self._queries, self._chance, self._seed = queries, random.Random(seed), seed
        self._made = 0
        self._kinds: dict[Callable[[], Request], int] = {
            self._new: 40,
            self._again: 25,
            self._similarity: 15,
            self._explain: 10,
            self._match: 5,
            self._judge: 5,
        }

    def next(self) -> Request:
        """A random request; frequent kinds are more likely."""
        (kind,) = self._chance.choices(list(self._kinds), list(self._kinds.values()))
        return kind()

    def _new(self) -> Request:
        """Two halves of past queries: few occur twice."""
        text = " ".join(self._sample(2))
        return Request("suggest, new", "GET", f"/v1/suggest?q={quote(text)}")

    def _again(self) -> Request:
        text = self._chance.choice(self._queries[:REPEATED_QUERIES])
        return Request("suggest, asked before", "GET", f"/v1/suggest?q={quote(text)}")

    def _similarity(self) -> Request:
        a, b = self._sample(2)
        measures = ["web-kernel", "jaccard", "backoff"]
        body = {"pairs": [{"a": a, "b": b}], "measures": measures}
        return Request("similarity, three measures", "POST", "/v1/similarity", body)

    def _explain(self) -> Request:
        a, b = self._sample(2)
        return Request("explain", "POST", "/v1/explain", {"pairs": [{"a": a, "b": b}]})

    def _match(self) -> Request:
        return Request("match, ten queries", "POST", "/v1/match", {"queries": self._sample(10), "k": 10})

    def _judge(self) -> Request:
        query, candidate = self._sample(2)
        self._made += 1
        body = {"query": query, "candidate": candidate, "grade": 1, "rater": f"client {self._seed}"}
        return Request(
            "judgements", "POST", "/v1/judgements", {**body, "task": f"load {self._made % 50}"}, 201
        )

    def _sample(self, count: int) -> list[str]:
        return self._chance.sample(self._queries, count)


def demo_workspace() -> Workspace:
    """The workspace of the demo, built on first use."""
    if not (WORKSPACE / "index").exists():
        subprocess.run(
            [PROGRAM, "demo", "--workspace", str(WORKSPACE), "--quiet"], check=True, stdout=subprocess.DEVNULL
        )
    return Workspace.open(WORKSPACE)


def run_client(port: int, queries: list[str], seed: int, requests: int) -> tuple[Times, list[str]]:
    """One client: its times by route, and its errors."""
    generator, times, wrong = RequestGenerator(queries, seed), Times(), list[str]()
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    for _ in range(requests):
        question = generator.next()
        body = None if question.body is None else json.dumps(question.body)
        start = time.perf_counter()
        try:
            connection.request(question.method, question.path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            times.setdefault(question.route, []).append(time.perf_counter() - start)
            if answer.status != question.status or not json.loads(text):
                wrong.append(f"{question.route}: {answer.status} {text[:200]!r}")
        except (OSError, ValueError) as error:
            wrong.append(f"{question.route}: {error!r}")
            connection.close()
    connection.close()
    return times, wrong


@contextmanager
def service() -> Iterator[tuple[int, int]]:
    """A running service: its process and its port."""
    with TemporaryDirectory() as folder:
        settings, log = Path(folder) / "settings.toml", Path(folder) / "log"
        settings.write_text("[server]\nrate = 0\n")
        command = [PROGRAM, "serve", "--port", "0", "--workers", str(WORKERS)]
        with log.open("wb") as messages:
            process = subprocess.Popen(
                [*command, "--workspace", str(WORKSPACE), "--config", str(settings)], stderr=messages
            )
        try:
            while not (found := re.search(r"http://[^/]*:(\d+)/", log.read_text())):
                time.sleep(0.1)
            _wait(log)
            yield process.pid, int(found[1])
        finally:
            process.send_signal(signal.SIGTERM)
            if process.wait(60):
                raise SystemExit(f"the service ended with {process.returncode}:\n{log.read_text()[-2000:]}")


def _wait(log: Path) -> None:
    """Wait until every worker answers."""
    while log.read_text().count("Application startup complete") < WORKERS:
        time.sleep(0.2)


def memory(parent: int) -> list[dict[str, int]]:
    """Memory of each worker in MB: resident set, and proportional set (shared pages divided)."""
    found = []
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        if b"spawn_main" not in Path(f"/proc/{child}/cmdline").read_bytes():
            continue
        lines = Path(f"/proc/{child}/smaps_rollup").read_text().splitlines()[1:]
        sizes = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines}
        found.append({"resident": sizes["Rss"], "own": sizes["Pss"]})
    return found


def figures(times: Times) -> list[dict[str, Any]]:
    """Milliseconds by route."""
    rows = []
    for route, seconds in sorted(times.items()):
        p50, p90, p99 = (round(1000 * float(np.quantile(seconds, q)), 2) for q in (0.5, 0.9, 0.99))
        most = round(1000 * max(seconds), 1)
        rows.append(
            {"route": route, "requests": len(seconds), "p50": p50, "p90": p90, "p99": p99, "max": most}
        )
    return rows


def table(found: dict[str, Any]) -> str:
    """The figures as a table."""
    cells = ("route", "requests", "p50", "p90", "p99", "max")
    rows = "".join("| " + " | ".join(str(row[cell]) for cell in cells) + " |\n" for row in found["routes"])
    moments = [
        " and ".join(f"{worker['resident']} ({worker['own']})" for worker in found[moment])
        for moment in ("before", "halfway", "after")
    ]
    return f"""# The service under load

`make bench-service` wrote this page: {found["requests"]:,} requests, {found["errors"]} errors, and
{found["per_second"]:,} answers a second. {found["setting"]}
The machine was shared with other work, and the clients took their part of it: these are upper bounds.

| request | number | p50 ms | p90 ms | p99 ms | max ms |
|---|---|---|---|---|---|
{rows}
Memory of the two workers in MB, resident and in brackets their share of it: {moments[0]} before, {moments[1]}
halfway, {moments[2]} after.
"""


def main() -> None:
    """Run, write the figures, and fail on any error."""
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS
    opened = demo_workspace()
    queries = opened.repository.queries(opened.repository.live_ids())
    random.Random(0).shuffle(queries)
    with service() as (process, port), ProcessPoolExecutor(CLIENTS, get_context("spawn")) as clients:
        for _ in clients.map(
            run_client, [port] * CLIENTS, [queries] * CLIENTS, range(CLIENTS), [50] * CLIENTS
        ):
            pass  # every worker and every kind once, before timing starts
        memories, times, wrong, seconds = [memory(process)], Times(), list[str](), 0.0
        for half in (1, 2):
            each, seeds = requests // 2 // CLIENTS, range(100 * half, 100 * half + CLIENTS)
            start = time.perf_counter()
            for some, errors in clients.map(
                run_client, [port] * CLIENTS, [queries] * CLIENTS, seeds, [each] * CLIENTS
            ):
                wrong += errors
                for route, taken in some.items():
                    times.setdefault(route, []).extend(taken)
            seconds += time.perf_counter() - start
            memories.append(memory(process))
    done = sum(map(len, times.values()))
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    corpus = f"{len(opened.corpus):,} documents, {len(queries):,} past queries"
    found = {
        "setting": f"{WORKERS} workers and {CLIENTS} clients on {machine}; {corpus}.",
        "requests": done,
        "errors": len(wrong),
        "per_second": round(done / seconds),
        "routes": figures(times),
        "before": memories[0],
        "halfway": memories[1],
        "after": memories[2],
    }
    print(table(found), *wrong[:10], sep="\n")
    if wrong:
        raise SystemExit(f"{len(wrong)} of {done} requests failed")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "service.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (RESULTS / "SERVICE.md").write_text(table(found), "utf-8")


if __name__ == "__main__":
    main()
