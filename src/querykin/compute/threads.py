"""Thread pools and per-thread scratch arrays."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from os import cpu_count
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Float64Array

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def limit_blas_threads() -> Iterator[None]:
    """Keep libraries from using threads of their own: these wait for each other by spinning.

    On sums as short as a learner's that costs more than they save, on a busy machine twenty times as much.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):
        yield


@cache
def cores() -> int:
    """How many threads can work at once."""
    return cpu_count() or 1


_SHARES = 16  # of a thread at most: handing out items one by one takes the interpreter's lock for each


def thread_map(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Do the work for every item on all cores; results come in the items' order."""
    workers = min(cores(), len(items))
    if workers < 2:
        return [work(item) for item in items]
    step = max(1, len(items) // (workers * _SHARES))
    shares = [items[begin : begin + step] for begin in range(0, len(items), step)]
    with ThreadPoolExecutor(workers) as pool:
        done = pool.map(lambda share: [work(item) for item in share], shares)
        return [result for share in done for result in share]


_local = threading.local()


@contextmanager
def zeroed_scratch(kind: type[np.generic], size: int) -> Iterator[NDArray[Any]]:
    """A table of the calling thread, all 0: kernels that use it clear what they touched.

    Fresh ones cost a page fault for nearly every word of a text. After an error nobody knows what is left in
    it, so it is given up.
    """
    tables: dict[type[np.generic], NDArray[Any]] = _local.__dict__.setdefault("cleared", {})
    table = tables.pop(kind, None)
    if table is None or len(table) < size:
        table = np.zeros(size, kind)
    yield table
    tables[kind] = table


def scratch(size: int) -> Float64Array:
    """Room for numbers that the calling thread may overwrite: a fresh array costs more than short sums do."""
    room: Float64Array | None = getattr(_local, "scratch", None)
    if room is None or len(room) < size:
        room = _local.scratch = np.empty(size)
    return room
