"""The processes that serve the same shard: whom to ask first, and when to ask a second one.

A request that takes longer than 95 % of the recent ones of its kind is sent to another replica too, and the
first answer counts: a hedged request, which adds at most some 5 % of load (Dean & Barroso 2013, The Tail at
Scale).
"""

import time
from collections import deque
from collections.abc import Sequence
from itertools import count
from threading import Lock

from querykin.index.shard import Shard
from querykin.server.shard_client import ShardClient

PERCENTILE = 0.95
_RECENT = 200  # latencies that are remembered of each kind of request
_ENOUGH = 20  # of them tell the percentile
_UNKNOWN = 0.05  # seconds before a second request while too few are known
_LEAST = 0.005  # seconds; requests are never hedged earlier
_PROBE = 0.5  # seconds between two looks at a replica that is suspended

Kind = tuple[str, int]  # of a request: the measure, and the number of queries as a power of 2


class Replicas:
    """The replicas of one shard."""

    def __init__(self, shard: Shard, clients: Sequence[ShardClient]) -> None:
        self.shard, self.clients = shard, tuple(clients)
        self._latencies: dict[Kind, deque[float]] = {}
        self._suspended: dict[ShardClient, float] = {}  # with the time of the last look at each
        self._turn, self._lock = count(), Lock()

    def in_order(self) -> list[ShardClient]:
        """The replicas in the order in which to ask them: by turns, without those that are suspended."""
        first = next(self._turn) % len(self.clients)
        turns = (*self.clients[first:], *self.clients[:first])
        return [client for client in turns if client not in self._suspended]

    def hedge_after(self, kind: Kind) -> float:
        """The seconds after which another replica is asked too."""
        with self._lock:
            known = sorted(self._latencies.get(kind, ()))
        if len(known) < _ENOUGH:
            return _UNKNOWN
        return max(_LEAST, known[int(PERCENTILE * len(known))])

    def answered(self, kind: Kind, seconds: float) -> None:
        """Remember how long a replica took."""
        with self._lock:
            self._latencies.setdefault(kind, deque(maxlen=_RECENT)).append(seconds)

    def suspend(self, client: ShardClient) -> None:
        """Do not ask a replica that timed out: every answer would wait for it."""
        with self._lock:
            self._suspended[client] = time.monotonic()

    def due_for_probe(self) -> list[ShardClient]:
        """The suspended replicas that are to be looked at now."""
        now = time.monotonic()
        with self._lock:
            due = [client for client, last in self._suspended.items() if now - last >= _PROBE]
            self._suspended.update(dict.fromkeys(due, now))
        return due

    def resume(self, client: ShardClient) -> None:
        """Ask a replica again."""
        with self._lock:
            self._suspended.pop(client, None)
