"""What the verification of files costs: blocks, opening, the first query and the next: `python -m bench verification`."""

import os
import tempfile
import time
from pathlib import Path

import numpy as np

from bench import workload
from bench.result import Result
from bench.timing import seconds
from querykin import Workspace
from querykin.index.index import Index
from querykin.querylog.repository import Repository
from querykin.storage.array_files import map_array, save
from querykin.storage.block_checksums import read_footer

ROWS = 20_000  # past queries
MEASURE = "web-kernel"
_BYTES = 1 << 28  # of the array whose verification is timed
_REPEATS = 9


def run() -> Result:
    """Speed, milliseconds and bytes."""
    opened = workload.workspace(min(ROWS, workload.rows_wanted()), (MEASURE,))
    index = opened.index(MEASURE)
    rows = sum(map(len, index.segments))
    speed = _gigabytes_a_second()
    times = {
        "opening the corpus, ms": 1000 * seconds(lambda: opened.reopen().corpus, _REPEATS),
        "opening the repository, ms": 1000
        * seconds(lambda: Repository(opened.path / "repository"), _REPEATS),
        f"opening the index of {MEASURE}, ms": 1000 * seconds(lambda: Index(index.store.path), _REPEATS),
    }
    first, following = zip(*(_queries(opened.reopen()) for _ in range(_REPEATS)), strict=True)
    times["first suggestions after opening, ms (all that they read is verified)"] = float(np.median(first))
    times["next suggestions, ms"] = float(np.median(following))
    checksums = sum(_footer_size(file) for file in index.store.path.rglob("*.npy")) / max(1, rows)
    table = [
        ["verifying blocks, GB/s", f"{speed:.1f}"],
        *[[name, f"{value:.2f}"] for name, value in times.items()],
        ["checksums of the index, bytes a row", f"{checksums:.2f}"],
        ["all of the index, bytes a row", f"{index.bytes / max(1, rows):.0f}"],
    ]
    text = (
        f"{rows:,} past queries ({workload.described()}), medians of {_REPEATS}, all files in the page cache and all code "
        "compiled. Every workspace is opened afresh, so that nothing of it is verified yet."
    )
    figures = {"verification GB/s": speed, **times, "checksum bytes a row": checksums}
    return Result("verification", "Verification of files", text, ["", ""], table, figures)


def _gigabytes_a_second() -> float:
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), values=np.arange(_BYTES // 8))
        map_array(Path(folder), "values").whole()
        took = seconds(lambda: map_array(Path(folder), "values").whole(), _REPEATS)
    return _BYTES / took / 1e9


def _queries(opened: Workspace) -> tuple[float, float]:
    """The milliseconds of the first suggestions of a workspace, and of later ones."""
    suggester, times = opened.suggester(MEASURE), []
    for query in workload.unseen_queries()[:20]:
        start = time.perf_counter()
        suggester.suggest([query], 5)
        times.append(1000 * (time.perf_counter() - start))
    return times[0], float(np.median(times[1:]))


def _footer_size(file: Path) -> int:
    with file.open("rb") as opened:
        return os.fstat(opened.fileno()).st_size - read_footer(opened.fileno()).size
