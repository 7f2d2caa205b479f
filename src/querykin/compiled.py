"""How loops over arrays are compiled, and the array types they take.

Kernels are compiled once per machine (numba keeps them on disk) and run without the interpreter's lock,
so that threads use every core. Each has a slow twin in tests/reference that it must agree with.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import accumulate
from os import cpu_count
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Marks: TypeAlias = NDArray[np.int8]
Bools: TypeAlias = NDArray[np.bool_]
Points: TypeAlias = NDArray[np.uint32]
Words: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.uint64]
Reals: TypeAlias = NDArray[np.float64]

F = TypeVar("F", bound=Callable[..., object])
Item = TypeVar("Item")
Result = TypeVar("Result")


def compiled(function: F) -> F:
    """Compile a loop over arrays; it may run in several threads at once."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))


@compiled
def roomy(values: NDArray[Any], size: int) -> NDArray[Any]:
    """The same values in an array at least this long, at least twice as long where it has to grow."""
    if len(values) >= size:
        return values
    larger = np.zeros(max(size, 2 * len(values)), values.dtype)
    larger[: len(values)] = values
    return larger


@contextmanager
def one_thread() -> Iterator[None]:
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


def in_threads(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
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
def cleared(kind: type[np.generic], size: int) -> Iterator[NDArray[Any]]:
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


def scratch(size: int) -> Reals:
    """Room for numbers that the calling thread may overwrite: a fresh array costs more than short sums do."""
    room: Reals | None = getattr(_local, "scratch", None)
    if room is None or len(room) < size:
        room = _local.scratch = np.empty(size)
    return room


def ragged(sizes: Iterable[int] | NDArray[Any]) -> Longs:
    """Where each of several runs of these sizes begins, and where the last one ends."""
    if isinstance(sizes, np.ndarray):
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.array([0, *accumulate(sizes)], np.int64)  # faster for the few of a short text


def entries(begins: Longs, first: Longs) -> Longs:
    """The places of runs that begin where they do and are laid end to end at `first`."""
    return np.arange(first[-1]) + np.repeat(begins - first[:-1], np.diff(first))
