"""One search at all shards at once; another replica is asked where the first is slow or fails."""

import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any

from querykin.server.replicas import Kind, Replicas
from querykin.server.shard_client import SEARCH_PATH, ShardClient, ShardTimeout, ShardUnavailable


@dataclass(frozen=True)
class ShardRequest:
    """What all shards are asked."""

    body: bytes
    kind: Kind
    version: str  # of the workspace
    timeout: float  # seconds


@dataclass(eq=False)
class ShardCall:
    """A request to one shard, sent to one or more of its replicas."""

    replicas: Replicas
    waiting: list[ShardClient]  # replicas that may still be asked
    hedge_at: float
    answer: dict[str, Any] | None = None
    hedges: int = 0
    reasons: list[str] = field(default_factory=list)  # why replicas gave no answer

    @property
    def shard(self) -> str:
        """The name of the shard."""
        return str(self.replicas.shard)


class Scatter:
    """The calls of one request; attempts run in the threads of `pool`."""

    def __init__(self, request: ShardRequest, pool: Executor) -> None:
        self._request, self._pool = request, pool
        self._pending: dict[Future[dict[str, Any]], ShardCall] = {}

    def run(self, shards: list[Replicas]) -> list[ShardCall]:
        """Ask the shards, and wait until all have answered or failed, or the time is over."""
        start = time.monotonic()
        deadline, kind = start + self._request.timeout, self._request.kind
        calls = [ShardCall(each, each.in_order(), start + each.hedge_after(kind)) for each in shards]
        for call in calls:
            if not call.waiting:
                call.reasons.append("it did not answer in time, and has not answered since")
            self._ask_next(call)
        while self._pending and time.monotonic() < deadline:
            self._wait(deadline)
            self._hedge()
        for call in set(self._pending.values()):
            call.reasons.append(f"no answer within {self._request.timeout:g} seconds")
        _cancel(self._pending)
        return calls

    def _ask_next(self, call: ShardCall) -> None:
        if call.waiting:
            attempt = self._pool.submit(_ask, call.replicas, call.waiting.pop(0), self._request)
            self._pending[attempt] = call

    def _wait(self, deadline: float) -> None:
        """Wait for an answer or for the time of the next hedge, and receive what came."""
        until = min([deadline, *(call.hedge_at for call in self._pending.values() if call.waiting)])
        done, _ = wait(self._pending, max(0.0, until - time.monotonic()), FIRST_COMPLETED)
        for attempt in done:
            call = self._pending.pop(attempt)
            try:
                call.answer = call.answer or attempt.result()
            except ShardUnavailable as error:
                call.reasons.append(str(error))
                self._ask_next(call)
        # Of replicas that were asked both, the first answer counts.
        _cancel(each for each, call in self._pending.items() if call.answer)
        self._pending = {each: call for each, call in self._pending.items() if call.answer is None}

    def _hedge(self) -> None:
        now = time.monotonic()
        for call in set(self._pending.values()):
            if call.waiting and now >= call.hedge_at:
                call.hedge_at = now + call.replicas.hedge_after(self._request.kind)
                call.hedges += 1
                self._ask_next(call)


def _cancel(attempts: Iterable[Future[Any]]) -> None:
    """Do not send requests that still wait for a thread: nobody waits for them."""
    for attempt in attempts:
        attempt.cancel()


def _ask(replicas: Replicas, client: ShardClient, request: ShardRequest) -> dict[str, Any]:
    """The answer of one replica, if it is of this shard and this version of the workspace."""
    start = time.monotonic()
    try:
        answer = client.post(SEARCH_PATH, request.body)
    except ShardTimeout:
        replicas.suspend(client)
        raise
    replicas.answered(request.kind, time.monotonic() - start)
    got = answer.get("shard"), answer.get("version")
    if got != (str(replicas.shard), request.version):
        expected = f"{replicas.shard} of version {request.version}"
        raise ShardUnavailable(f"it is shard {got[0]} of version {got[1]}, expected {expected}")
    return answer
