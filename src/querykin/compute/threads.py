"""Thread pools and per-thread scratch arrays."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import Float64Array
from querykin.compute.cpus import available_cpus

Item = TypeVar("Item")
Result = TypeVar("Result")

_CHUNKS_PER_THREAD = 16  # at most: submitting items one by one takes the interpreter lock for each


@contextmanager
def limit_blas_threads() -> Iterator[None]:
    """Run BLAS and OpenMP libraries on one thread.

    Their threads synchronize by spinning. On the short sums of a learner that costs more than it saves, on a
    busy machine up to twenty times as much. The order of sums, and so their last bits, depend on the number
    of threads.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):
        yield


def thread_map(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Apply a function to every item on all available CPUs; results are in the order of the items."""
    workers = min(available_cpus(), len(items))
    if workers < 2:
        return [work(item) for item in items]
    step = max(1, len(items) // (workers * _CHUNKS_PER_THREAD))
    chunks = [items[begin : begin + step] for begin in range(0, len(items), step)]
    with ThreadPoolExecutor(workers) as pool:
        done = pool.map(lambda chunk: [work(item) for item in chunk], chunks)
        return [result for chunk in done for result in chunk]


_local = threading.local()


@contextmanager
def zeroed_scratch(dtype: type[np.generic], size: int) -> Iterator[NDArray[Any]]:
    """An all-zero array of at least this size that the calling thread reuses.

    Kernels that use it reset what they touched: a new array costs a page fault for nearly every word of a
    text. After an exception its content is unknown, so it is discarded.
    """
    tables: dict[type[np.generic], NDArray[Any]] = _local.__dict__.setdefault("zeroed", {})
    table = tables.pop(dtype, None)
    if table is None or len(table) < size:
        table = np.zeros(size, dtype)
    yield table
    tables[dtype] = table


def scratch(size: int) -> Float64Array:
    """An uninitialized array of at least this size that the calling thread reuses."""
    buffer: Float64Array | None = getattr(_local, "scratch", None)
    if buffer is None or len(buffer) < size:
        buffer = _local.scratch = np.empty(size)
    return buffer
