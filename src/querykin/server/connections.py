"""The open connections of a worker, within limits: the one that has waited longest makes room for another."""

import ipaddress
import logging
import resource
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import Protocol

from querykin.errors import InputError

BACKLOG = 2048  # connections waiting to be accepted
_OTHER_FILES = 256  # of a worker: indexes, logs, judgements, connections to shards
_LOG_SECONDS = 60.0  # between two lines about closed connections: an attack must not fill the log
_log = logging.getLogger("querykin.server")


class Connection(Protocol):
    """A connection that can be closed at once."""

    def abort(self) -> None:
        """Close it without waiting for the client."""


@dataclass(frozen=True)
class FileLimit:
    """What the limit of open files leaves: connections, and how many more may wait to be accepted."""

    connections: int
    backlog: int

    @classmethod
    def of(cls, wanted: int, files: int) -> "FileLimit":
        """Of `wanted` connections as many as `files` descriptors allow.

        >>> FileLimit.of(4096, 20_000)
        FileLimit(connections=4096, backlog=2048)
        >>> FileLimit.of(4096, 1024)
        FileLimit(connections=512, backlog=256)
        """
        backlog = min(BACKLOG, files // 4)
        return cls(max(1, min(wanted, files - backlog - _OTHER_FILES)), backlog)

    @classmethod
    def raised(cls, wanted: int) -> "FileLimit":
        """Raise the soft limit of this process as far as needed and allowed."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        needed = wanted + BACKLOG + _OTHER_FILES
        if soft != resource.RLIM_INFINITY and soft < needed:
            soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return cls.of(wanted, needed if soft == resource.RLIM_INFINITY else soft)


class Connections:
    """Counts connections, in all and by client address, and keeps the waiting ones in the order of waiting.

    A connection waits until a whole request has arrived. At a limit, the one that has waited longest is
    closed for a new one: clients that send nothing, or half of a request, cannot keep others out. Where all
    are being answered, the new one is refused. Addresses of trusted proxies have no limit of their own.
    """

    def __init__(self, limit: int, limit_per_client: int, trusted: Iterable[str] = ()) -> None:
        self._limit, self._limit_per_client = limit, limit_per_client
        self._trusted = tuple(map(parse_proxy, trusted))
        self._waiting: dict[Connection, None] = {}
        self._waiting_by_client: dict[str, dict[Connection, None]] = {}
        self._by_client: Counter[str] = Counter()
        self._clients: dict[Connection, str] = {}
        self._closed: Counter[str] = Counter()
        self._logged = -_LOG_SECONDS

    def __len__(self) -> int:
        return len(self._clients)

    def admit(self, connection: Connection, address: str) -> bool:
        """Count a new connection, which waits; False if there is no room for it."""
        client = "" if self._is_trusted(address) else client_network(address)
        per_client = bool(client) and self._by_client[client] >= self._limit_per_client
        if per_client and not self._make_room(self._waiting_by_client.get(client, {})):
            return False
        if len(self) >= self._limit and not self._make_room(self._waiting):
            return False
        self._clients[connection] = client
        self._by_client[client] += 1
        self.wait(connection)
        return True

    def wait(self, connection: Connection) -> None:
        """The connection waits for a request, from now on if it did not wait before."""
        if connection in self._clients:
            self._waiting[connection] = None
            self._waiting_by_client.setdefault(self._clients[connection], {})[connection] = None

    def answer(self, connection: Connection) -> None:
        """The connection has sent a whole request, and is not closed for others before the answer."""
        if self._waiting.pop(connection, self) is None:
            self._waiting_by_client[self._clients[connection]].pop(connection)

    def remove(self, connection: Connection) -> None:
        """Forget a closed connection."""
        self.answer(connection)
        client = self._clients.pop(connection, None)
        if client is not None:
            self._by_client[client] -= 1
            if not self._by_client[client]:
                del self._by_client[client]
                self._waiting_by_client.pop(client, None)

    def record_closed(self, reason: str) -> None:
        """Count a connection that the service closed or refused; logged once a minute."""
        self._closed[reason] += 1
        now = time.monotonic()
        if now - self._logged >= _LOG_SECONDS:
            _log.warning("connections closed", extra={"reasons": dict(self._closed), "open": len(self)})
            self._logged = now
            self._closed.clear()

    def _make_room(self, waiting: dict[Connection, None]) -> bool:
        oldest = next(iter(waiting), None)
        self.record_closed("too many" if oldest is None else "waited longest")
        if oldest is None:
            return False
        self.remove(oldest)
        oldest.abort()
        return True

    def _is_trusted(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return not address  # a socket without an address has no limit of its own
        return any(found in network for network in self._trusted)


def parse_proxy(text: str) -> IPv4Network | IPv6Network:
    """The network of a trusted proxy; InputError if it is neither an address nor a network.

    >>> parse_proxy("10.0.0.0/8"), parse_proxy("::1")
    (IPv4Network('10.0.0.0/8'), IPv6Network('::1/128'))
    """
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise InputError(
            f"[server] proxies must be IP addresses or networks like 10.0.0.0/8, got {text!r}: {error}"
        ) from None


def plain_address(address: str) -> str:
    """An IPv4 address as such, also where a socket for both versions shows it as one of IPv6.

    >>> plain_address("::ffff:192.0.2.1"), plain_address("::1")
    ('192.0.2.1', '::1')
    """
    return address.removeprefix("::ffff:") if "." in address else address


def client_network(address: str) -> str:
    """What requests and connections are counted by: the IPv4 address, or the /64 network of an IPv6 address.

    >>> client_network("192.0.2.1"), client_network("2001:db8::7%eth0")
    ('192.0.2.1', '2001:db8::/64')
    """
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network(f"{address.partition('%')[0]}/64", strict=False))
    except ValueError:
        return address
