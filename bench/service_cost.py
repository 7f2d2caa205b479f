"""What the service adds to the work of the library: `python -m bench service_cost`.

One worker answers one client that asks for suggestions to queries that are in no repository; its processor time is read from
the system before and after. The library suggests for the same queries in this process. Both have nothing cached, and both
take turns, a round of queries each. `/healthz` does nothing: what it costs is HTTP.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import numpy as np

from bench.result import Result
from bench.service import PROGRAM, demo_workspace
from querykin import Workspace

MEASURE = "hybrid-static"
ROUNDS, QUERIES, WARM_UP = 5, 400, 100
LIMIT = 5
_SUGGEST, _NOTHING = "suggestions by the service", "a route that does nothing"
_LIBRARY = "suggestions by the library"


def run() -> Result:
    """Processor time per request, and per suggestion of the library."""
    opened = demo_workspace()
    opened.build(MEASURE)
    opened = opened.reopen()
    queries = _new_queries(opened, WARM_UP + ROUNDS * QUERIES)
    with _service(opened.path) as (process, connection):
        ask, rest = _asking(connection), iter(queries[WARM_UP:])
        library = _library(opened)
        for query in queries[:WARM_UP]:
            ask(_route(query))
            library(query)
        times: dict[str, list[float]] = {_LIBRARY: [], _SUGGEST: [], _NOTHING: []}
        competitors: list[tuple[str, Callable[[], float], Callable[[str], object]]] = [
            (_LIBRARY, time.process_time, library),
            (_SUGGEST, lambda: _time_of(process), lambda query: ask(_route(query))),
            (_NOTHING, lambda: _time_of(process), lambda _: ask("/healthz")),
        ]
        for _ in range(ROUNDS):
            some = list(islice(rest, QUERIES))
            for name, clock, answer in competitors:
                times[name].append(_mean(clock, answer, some))
    ratios = {"service_over_library": float(np.median(times[_SUGGEST]) / np.median(times[_LIBRARY]))}
    return _result(opened, times, ratios)


def _result(opened: Workspace, times: dict[str, list[float]], ratios: dict[str, float]) -> Result:
    rows, recorded = [], {}
    base = float(np.median(times[_LIBRARY]))
    for name, found in times.items():
        middle, spread = float(np.median(found)), (max(found) - min(found)) / 2
        rows.append([name, f"{middle:.2f} ± {spread:.2f}", f"{1000 / middle:,.0f}", f"{middle / base:.2f}"])
        recorded[name] = middle
    text = (
        f"{len(opened.corpus):,} documents and {len(opened.repository):,} past queries of the demo, measure `{MEASURE}`, "
        f"{LIMIT} suggestions; milliseconds of processor time (user and system), the median of {ROUNDS} rounds of {QUERIES} "
        "queries, ± half their range. The service has one worker and one client, which keeps its connection."
    )
    header = ["", "ms", "a second and core", "times the library's"]
    return Result("service_cost", "What the service adds", text, header, rows, recorded, ratios)


def _new_queries(opened: Workspace, count: int) -> list[str]:
    """Two past queries in one: few occur twice."""
    known, chance = opened.repository.queries(opened.repository.live_ids()), random.Random(0)
    return [" ".join(chance.sample(known, 2)) for _ in range(count)]


def _library(opened: Workspace) -> Callable[[str], object]:
    suggester = opened.suggester(MEASURE)
    return lambda query: suggester.suggest([query], LIMIT)


def _route(query: str) -> str:
    return f"/v1/suggest?q={quote(query)}&k={LIMIT}&measure={MEASURE}"


def _asking(connection: HTTPConnection) -> Callable[[str], None]:
    def ask(path: str) -> None:
        connection.request("GET", path)
        answer = connection.getresponse()
        if answer.status != 200 or not json.loads(answer.read()):
            sys.exit(f"{path}: status {answer.status}")

    return ask


def _time_of(process: int) -> float:
    """Seconds of user and system time, from `/proc`."""
    after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[11:13])) / os.sysconf("SC_CLK_TCK")


def _mean(clock: Callable[[], float], answer: Callable[[str], object], queries: Sequence[str]) -> float:
    """Milliseconds of processor time for one query of a round."""
    before = clock()
    for query in queries:
        answer(query)
    return 1000 * (clock() - before) / len(queries)


@contextmanager
def _service(workspace: Path) -> Iterator[tuple[int, HTTPConnection]]:
    """A service without a limit of rate, and a connection to it."""
    with TemporaryDirectory() as folder:
        settings, log = Path(folder, "settings.toml"), Path(folder, "log")
        settings.write_text("[server]\nrate = 0\n")
        words = [PROGRAM, "serve", "--port", "0", "--workspace", str(workspace), "--config", str(settings)]
        with log.open("wb") as messages:
            process = subprocess.Popen(words, stderr=messages)
        try:
            while not (found := re.search(r"http://[^/]*:(\d+)/", log.read_text())):
                if process.poll() is not None:
                    sys.exit(f"the service ended with {process.returncode}:\n{log.read_text()[-2000:]}")
                time.sleep(0.1)
            connection = HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
            yield process.pid, connection
            connection.close()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


if __name__ == "__main__":
    print(run().markdown())
