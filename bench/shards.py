"""Sharded serving: one service, then a router over 1 to 4 shards, all on this machine: `python -m bench shards`.

Every shard is a `querykin serve --shard i/n` with one thread. Segments are cut at the borders of the shards first, as
those of a large repository are. All answers are compared with those of the single service. Wall-clock times on a machine
with fewer cores than shards say little; processor time per request is what more machines would share.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import numpy as np
from reproduce import data

from bench import workload
from bench.result import Result
from querykin import Workspace
from querykin.index.index import Index
from querykin.index.segment import merge
from querykin.index.shard import Shard
from querykin.io.documents import read_documents

MEASURES = ("hybrid-static", "web-kernel", "edit")
COUNTS = (1, 2, 3, 4)
CLIENTS = 4
PROGRAM = str(Path(sys.executable).with_name("querykin"))
_ROWS = 50_000
_REPEATS = 2  # of every query, in the measured part
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Running:
    """A `querykin serve` process."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def processor_seconds(self) -> float:
        """The processor time it has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def resident_megabytes(self) -> float:
        """The memory it has in use, with the pages of mapped files."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Rss:"))

    def suggest(self, query: str, measure: str) -> bytes:
        """The response to a query."""
        return self.get("/v1/suggest?" + urlencode({"q": query, "measure": measure, "k": 5, "exact": "true"}))

    def get(self, path: str) -> bytes:
        """The body of a response; a partial one is an error."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path)
        response = connection.getresponse()
        found = response.read()
        connection.close()
        if response.status != 200 or b'"partial"' in found:
            raise SystemExit(f"{response.status} {found.decode()}")
        return found


def run() -> Result:
    """One row per measure and number of shards; first a single service, which has all rows."""
    rows = int(
        os.environ.get("QUERYKIN_BENCH_SHARD_ROWS", _ROWS if workload.real() else workload.MADE_UP_ROWS)
    )
    whole = workload.filled(_corpus(rows), rows, MEASURES[:2])
    queries = workload.unseen_queries()[:100]
    cells, figures, expected = [], dict[str, float](), dict[tuple[str, str], bytes]()
    for count in (0, *COUNTS):
        with (
            TemporaryDirectory(prefix="querykin-shards-", dir=workload.folder()) as folder,
            ExitStack() as stack,
        ):
            path = Path(folder) / "workspace"
            shutil.copytree(whole.path, path, copy_function=os.link, symlinks=True)
            sizes = _cut(Workspace.open(path), max(1, count))
            shards = [
                stack.enter_context(serve(path, "--shard", str(Shard(number, count))))
                for number in range(1, count + 1)
            ]
            role = ["--shards", ",".join(each.url for each in shards)] if count else ["--shard", "1/1"]
            front = stack.enter_context(serve(path, *role))
            for measure in MEASURES:
                found = _measured(front, shards, measure, queries, expected)
                found["open MB of a shard"] = max(sizes) / 1e6
                cells.append(
                    [measure, str(count or "one service"), *(f"{value:,.1f}" for value in found.values())]
                )
                figures |= {f"{measure} {count} {name}": value for name, value in found.items()}
    header = ["measure", "shards", *found]
    text = (
        f"{rows:,} past queries; {len(queries)} unseen queries, 5 suggestions each, {CLIENTS} clients for requests a "
        "second. Open MB: index segments that a shard maps. All answers equal those of one service."
    )
    return Result("shards", "Sharded serving", text, header, cells, figures)


def _corpus(rows: int) -> Workspace:
    """A workspace with the smaller of the shared corpora, or the synthetic one."""
    home = workload.folder() / f"{'real' if workload.real() else 'made-up'}-shards-{rows}"
    opened = Workspace.open(home)
    if not len(opened.corpus):
        real = workload.real()
        opened.corpus.add(
            read_documents([data.corpus_file("enwiki-core")], print)
            if real
            else workload.synthetic_documents()
        )
        opened = opened.reopen()
    return opened


def _cut(opened: Workspace, count: int) -> list[int]:
    """Cut the segments of all indexes at the borders of shards; the bytes that each shard opens."""
    total = len(opened.repository.counts)
    for index in opened.indexes.built().values():
        names = []
        with index.store.writing():
            for number in range(1, count + 1):
                part = Index(index.store.path, Shard(number, count).ids(total))
                names.append(index.store.new_part("segment"))
                merge(index.store.part(names[-1]), part.segments, part.live_rows(opened.repository))
            assert index.committed
            index.commit(replace(index.committed, segments=names), None)
    parts = (opened.of_shard(Shard(number, count)) for number in range(1, count + 1))
    return [sum(index.bytes for index in part.indexes.built().values()) for part in parts]


@contextmanager
def serve(path: Path, *arguments: str) -> Iterator[Running]:
    """A service on a free port, with one thread for the work of a request."""
    settings = path.parent / "settings.toml"
    settings.write_text("[server]\nrate = 0\ncache = 0\n", "utf-8")
    log = path.parent / f"log-{time.monotonic_ns()}"
    command = [PROGRAM, "serve", "--workspace", str(path), "--port", "0"]
    with log.open("wb") as messages:
        process = subprocess.Popen(
            [*command, "--config", str(settings), *arguments],
            stderr=messages,
            env={**os.environ, "QUERYKIN_THREADS": "1"},
        )
    try:
        while not (found := re.search(r"http://[^/]*:(\d+)/", log.read_text())):
            if process.poll() is not None:
                raise SystemExit(log.read_text())
            time.sleep(0.1)
        running = Running(process, int(found[1]))
        running.get("/readyz")  # waits until the service is ready
        yield running
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _measured(
    front: Running,
    shards: Sequence[Running],
    measure: str,
    queries: Sequence[str],
    expected: dict[tuple[str, str], bytes],
) -> dict[str, float]:
    for query in queries:  # caches of search results are filled, pages are read
        found = front.suggest(query, measure)
        if expected.setdefault((measure, query), found) != found:
            raise SystemExit(
                f"{measure} {query!r}: {found.decode()}, not {expected[measure, query].decode()}"
            )
    before = front.processor_seconds(), [shard.processor_seconds() for shard in shards]
    times = []
    for query in list(queries) * _REPEATS:
        start = time.perf_counter()
        front.suggest(query, measure)
        times.append(time.perf_counter() - start)
    router = front.processor_seconds() - before[0]
    each = [shard.processor_seconds() - used for shard, used in zip(shards, before[1], strict=True)]
    start = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda query: front.suggest(query, measure), list(queries) * _REPEATS))
    seconds = time.perf_counter() - start
    return {
        "p50 ms": 1000 * float(np.median(times)),
        "p99 ms": 1000 * float(np.quantile(times, 0.99)),
        "requests/s": len(times) / seconds,
        "CPU ms, router or service": 1000 * router / len(times),
        "CPU ms, busiest shard": 1000 * max(each, default=0.0) / len(times),
        "CPU ms, all": 1000 * (router + sum(each)) / len(times),
        "RSS MB of a process": max(
            each.resident_megabytes() for each in (*shards, *([] if shards else [front]))
        ),
    }
