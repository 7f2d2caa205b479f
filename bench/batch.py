"""Throughput of batches of queries on one core and on two: `python -m bench.batch`."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import cast

import numpy as np

from bench import workload
from bench.result import Result
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.retrieval.retrievers import IndexRetriever

QUERIES, REPEATS = 3000, 5


@contextmanager
def _cores(count: int) -> Iterator[None]:
    everything = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(everything)[:count]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, everything)


def run() -> Result:
    """Queries per second: search of the index alone, and from text to the ten nearest."""
    opened = workload.workspace(workload.rows_wanted())
    retriever = cast(IndexRetriever, opened.retriever("web-kernel"))
    measure, index = retriever.measure, retriever.index
    expander = cast(ExpansionMeasure, measure).expander
    unseen_queries = list(islice(workload.queries(), QUERIES))
    rows, live = measure.encode_queries(unseen_queries), index.live_rows(opened.repository)

    def everything() -> object:
        expander.clear_cache()
        return retriever.search(unseen_queries, 10)

    works: dict[str, Callable[[], object]] = {
        "ten nearest, from rows": lambda: index.search(measure, rows, 10, opened.repository, live),
        "ten nearest, from text": everything,
    }
    table, ratios = [], []
    figures: dict[str, float] = {}
    for name, work in works.items():
        one, two = _turns(work)
        ratios.append(one / two)
        table.append([name, f"{QUERIES / one:,.0f}", f"{QUERIES / two:,.0f}", f"{one / two:.2f}"])
        figures |= {f"{name} one core": QUERIES / one, f"{name} two cores": QUERIES / two}
    text = f"{QUERIES:,} queries in one call over {len(opened.repository):,} candidates; the median of {REPEATS} turns, wall-clock time."
    header = ["queries a second", "one core", "two cores", "two over one"]
    return Result("batch", "Batches", text, header, table, figures, {"two_cores_vs_one": min(ratios)})


def _turns(work: Callable[[], object]) -> tuple[float, float]:
    work()
    times = np.zeros((REPEATS, 2))
    for turn in range(REPEATS):
        for cores in (1, 2):
            with _cores(cores):
                start = time.perf_counter()
                work()
                times[turn, cores - 1] = time.perf_counter() - start
    one, two = np.median(times, axis=0)
    return float(one), float(two)


if __name__ == "__main__":
    print(run().markdown())
