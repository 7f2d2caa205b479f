"""Latencies of competitors that take turns on every query, so that noise affects all of them alike.

Single-threaded work is measured in processor time: under other load, wall-clock time penalizes work that takes longer
than a time slice. On an idle machine the two agree.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Query = TypeVar("Query")
REPEATS = 5
WARMING = 20  # queries that are not timed before those that are


@dataclass(frozen=True)
class Latency:
    """Milliseconds over many queries, each the median of its repeats; `spread` is the range of the medians of single repeats."""

    p50: float
    p99: float
    spread: float
    repeats: int

    @property
    def cells(self) -> list[str]:
        """For a table: the median with half the spread, and the 99th percentile."""
        return [f"{self.p50:.2f} ± {self.spread / 2:.2f}", f"{self.p99:.2f}"]


def take_turns(
    runs: Mapping[str, Callable[[Query], object]], queries: Sequence[Query], repeats: int = REPEATS
) -> dict[str, Latency]:
    """The latency of every competitor on the same queries, measured in this thread.

    They take turns after every query, so each finds the processor's caches full of what the others read.
    """
    times = np.zeros((len(runs), repeats, len(queries)))
    for run in runs.values():
        run(queries[0])
    for repeat in range(repeats):
        for number, query in enumerate(queries):
            for place, run in enumerate(runs.values()):
                times[place, repeat, number] = _milliseconds(run, query)
    return {name: _latency(found) for name, found in zip(runs, times, strict=True)}


def one_after_another(
    runs: Mapping[str, Callable[[Query], object]], queries: Sequence[Query], repeats: int = REPEATS
) -> dict[str, Latency]:
    """As `take_turns`, but they take turns after all queries: each keeps the caches for itself, as a process of its own does."""
    times = np.zeros((len(runs), repeats, len(queries)))
    for repeat in range(repeats):
        for place, run in enumerate(runs.values()):
            for query in queries[-WARMING:]:
                run(query)
            times[place, repeat] = [_milliseconds(run, query) for query in queries]
    return {name: _latency(found) for name, found in zip(runs, times, strict=True)}


def _milliseconds(run: Callable[[Query], object], query: Query) -> float:
    start = time.process_time()
    run(query)
    return 1000 * (time.process_time() - start)


def figures(found: Mapping[str, Latency], of: str = "") -> dict[str, float]:
    """Figures for a file of results; `of` is a prefix of their names."""
    return {
        f"{of} {name.strip()} {what}".strip(): getattr(it, what)
        for name, it in found.items()
        for what in ("p50", "p99", "spread", "repeats")
    }


def _latency(times: np.ndarray) -> Latency:
    each = np.median(times, axis=0)
    by_run = np.median(times, axis=1)
    return Latency(
        float(np.median(each)), float(np.quantile(each, 0.99)), float(by_run.max() - by_run.min()), len(times)
    )


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The median wall-clock time of a long operation."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
