"""Rate limit per client, shared by all worker processes through a memory-mapped file."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from mmap import mmap
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.server.connections import client_network
from querykin.server.problems import HTTPProblem
from querykin.settings_sections import ServerSettings

_SLOTS = 1 << 16  # size of the hash table of clients; clients that collide share one rate


class RateLimiter:
    """Generic cell rate algorithm (GCRA) over a fixed hash table of clients.

    Each slot holds the theoretical arrival time (TAT) of the client's next conforming request. A request
    conforms if the TAT is at most `burst / rate` seconds ahead; it then advances the TAT by `1 / rate`.
    With a folder, the table is a file mapped by all workers and updated under a file lock.
    """

    def __init__(self, settings: ServerSettings, folder: str | None) -> None:
        self._rate, self._burst = settings.rate, settings.burst
        self._lock_file: int | None = None
        self._arrival_times: Float64Array = np.zeros(_SLOTS)
        if folder:
            self._lock_file, self._arrival_times = _map_table(Path(folder) / "rates")
        self._salt = (folder or "").encode()

    def admit(self, client: str) -> None:
        """Count a request; raise HTTPProblem 429 with Retry-After if it exceeds the rate."""
        if not self._rate:
            return
        slot, now = self._slot(client), time.monotonic()
        with self._locked():
            arrival_time = max(float(self._arrival_times[slot]), now)
            wait = arrival_time - now - self._burst / self._rate
            if wait <= 0:
                self._arrival_times[slot] = arrival_time + 1 / self._rate
                return
        seconds = max(1, round(wait + 0.5))
        detail = f"more than {self._rate:g} requests per second; try again in {seconds} s"
        raise HTTPProblem(429, detail, "too-fast", {"Retry-After": str(seconds)})

    def _slot(self, client: str) -> int:
        digest = blake2b(client_network(client).encode(), digest_size=4, key=self._salt[-32:]).digest()
        return int.from_bytes(digest, "little") % _SLOTS

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if self._lock_file is None:  # a single event loop needs no lock
            yield
            return
        fcntl.flock(self._lock_file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._lock_file, fcntl.LOCK_UN)


def _map_table(path: Path) -> tuple[int, Float64Array]:
    """Map the shared table; its descriptor stays open as the lock for the life of the process."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.truncate(descriptor, 8 * _SLOTS)  # extends with zeros, keeps existing entries
    return descriptor, np.frombuffer(mmap(descriptor, 8 * _SLOTS), np.float64)
