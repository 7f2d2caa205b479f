"""How much and how fast? Bodies end at a length and a time, clients keep to a rate that all workers share."""

import asyncio
import fcntl
import ipaddress
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from mmap import mmap
from pathlib import Path

import numpy as np
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from querykin.compute.arrays import Float64Array
from querykin.server.problems import HTTPProblem
from querykin.settings import ServerSettings

_SLOTS = 1 << 16  # of the table of clients; two that fall into one slot share a rate


class Rates:
    """Which client has asked how often: for each the moment until which its requests have used up its rate.

    The table is a file that all workers map, under a lock for the few instructions that change it.
    """

    def __init__(self, settings: ServerSettings, folder: str | None) -> None:
        self._rate, self._burst = settings.rate, settings.burst
        self._lock: int | None = None
        self._until: Float64Array = np.zeros(_SLOTS)
        if folder:
            self._lock, self._until = _shared(Path(folder) / "rates")
        self._salt = (folder or "").encode()

    def admit(self, client: str) -> None:
        """Count a request, or refuse it with the time to wait."""
        if not self._rate:
            return
        slot, now = self._slot(client), time.monotonic()
        with self._locked():
            until = max(float(self._until[slot]), now)
            wait = until - now - self._burst / self._rate
            if wait <= 0:
                self._until[slot] = until + 1 / self._rate
                return
        seconds = max(1, round(wait + 0.5))
        message = f"more than {self._rate:g} requests a second; try again in {seconds} s"
        raise HTTPProblem(429, message, "too-fast", {"Retry-After": str(seconds)})

    def _slot(self, client: str) -> int:
        digest = blake2b(_network(client).encode(), digest_size=4, key=self._salt[-32:]).digest()
        return int.from_bytes(digest, "little") % _SLOTS

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if self._lock is None:  # one event loop alone
            yield
            return
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)


def _shared(path: Path) -> tuple[int, Float64Array]:
    """A table that all workers map; open as long as the process lives, since it is the lock as well."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.truncate(file, 8 * _SLOTS)  # new bytes are zeros, old ones stay
    return file, np.frombuffer(mmap(file, 8 * _SLOTS), np.float64)


def _network(client: str) -> str:
    """A client's address; in IPv6 everybody has a network of addresses, so that counts."""
    if ":" not in client:
        return client
    try:
        return str(ipaddress.ip_network(f"{client.partition('%')[0]}/64", strict=False))
    except ValueError:
        return client


def too_large(most: int) -> HTTPProblem:
    """A body that is longer than allowed."""
    message = f"a body may have {most:,} bytes; send less at once"
    return HTTPProblem(413, message, "too-large")


def bounded(receive: Receive, settings: ServerSettings) -> Callable[[], Awaitable[Message]]:
    """Receives a body of no more bytes and in no more time than allowed."""
    length, parse_int, end = 0, False, time.monotonic() + settings.timeout

    async def receiving() -> Message:
        nonlocal length, parse_int
        if parse_int:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), end - time.monotonic())
        except TimeoutError:
            raise HTTPException(408, "the body did not arrive in time", {"Connection": "close"}) from None
        length += len(message.get("body", b""))
        parse_int = not message.get("more_body", False)
        if length > settings.max_body:
            raise HTTPException(413, too_large(settings.max_body).detail)
        return message

    return receiving
