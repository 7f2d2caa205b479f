"""The router: every search goes to all shards at once, and what they find is merged by the caller."""

import json
import logging
import math
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from querykin.errors import InputError
from querykin.index.shard import Shard
from querykin.retrieval.sharded_retriever import ShardAnswers
from querykin.server.metrics import Metrics
from querykin.server.problems import HTTPProblem
from querykin.server.replicas import Kind, Replicas
from querykin.server.shard_client import (
    SEARCH_PATH,
    STATUS_PATH,
    ShardClient,
    ShardTimeout,
    ShardUnavailable,
)
from querykin.server.shard_messages import rankings_from_json, rows_json
from querykin.settings import ServerSettings
from querykin.vectors import Vectors

MAX_THREADS = 512
_log = logging.getLogger("querykin.server")


def parse_shard_urls(text: str) -> tuple[tuple[str, ...], ...]:
    """The URLs of each shard, in the order of the shards: commas between shards, | between replicas.

    >>> parse_shard_urls("http://a:8001|http://b:8001,http://a:8002")
    (('http://a:8001', 'http://b:8001'), ('http://a:8002',))
    """
    shards = tuple(tuple(url.strip() for url in shard.split("|")) for shard in text.split(","))
    for urls in shards:
        for url in urls:
            ShardClient(url, 1.0)  # a URL that cannot be used is an error
    if len({url for urls in shards for url in urls}) < sum(map(len, shards)):
        raise InputError("every URL of --shards serves one shard, and may be given once")
    return shards


@dataclass
class ShardCall:
    """One request to one shard, sent to one or more of its replicas."""

    replicas: Replicas
    kind: Kind
    waiting: list[ShardClient]  # replicas that may still be asked
    hedge_at: float
    answer: dict[str, Any] | None = None
    reasons: list[str] = field(default_factory=list)  # why replicas gave no answer


class ShardRouter:
    """Asks all shards; those that do not answer in time are named."""

    def __init__(
        self, urls: Sequence[Sequence[str]], settings: ServerSettings, metrics: Metrics | None = None
    ) -> None:
        self._timeout, self._metrics = settings.shard_timeout, metrics
        token = settings.tokens[0] if settings.tokens else ""
        self.shards = [
            Replicas(
                Shard(number, len(urls)),
                [ShardClient(url, settings.shard_timeout, token) for url in replicas],
            )
            for number, replicas in enumerate(urls, start=1)
        ]
        threads = 2 * settings.concurrency * len(self.shards)
        self._pool = ThreadPoolExecutor(min(MAX_THREADS, threads), "shard")
        self._reported: dict[str, str] = {}  # the last reason that was logged for a shard

    def search(
        self,
        version: str,
        measure: str,
        queries: Sequence[str],
        rows: Sequence[Vectors],
        k: int,
        min_score: float = -math.inf,
        min_count: int = 1,
    ) -> ShardAnswers:
        """The rankings of all shards that answer; an HTTPProblem if none does."""
        request = {
            "version": version,
            "measure": measure,
            "queries": list(queries),
            "rows": [rows_json(each) for each in rows],
            "k": k,
            "min_score": min_score if math.isfinite(min_score) else None,
            "min_count": min_count,
        }
        calls = self._scatter(json.dumps(request).encode(), (measure, len(queries).bit_length()), version)
        missing = {str(call.replicas.shard): call.reasons for call in calls if call.answer is None}
        self._log_changes({shard: "; ".join(dict.fromkeys(reasons)) for shard, reasons in missing.items()})
        if len(missing) == len(calls):
            why = "; ".join(f"{shard}: {', '.join(dict.fromkeys(each))}" for shard, each in missing.items())
            raise HTTPProblem(503, f"no shard answers ({why})", "shards", {"Retry-After": "1"})
        found = [rankings_from_json(call.answer["rankings"]) for call in calls if call.answer is not None]
        return ShardAnswers(found, tuple(missing))

    def _scatter(self, body: bytes, kind: Kind, version: str) -> list[ShardCall]:
        """Ask every shard, a second replica where the first is slow, and another where one fails."""
        start = time.monotonic()
        deadline = start + self._timeout
        calls, pending = [], dict[Future[dict[str, Any]], ShardCall]()
        for replicas in self.shards:
            for client in replicas.due_for_probe():
                self._pool.submit(_probe, replicas, client)
            order = replicas.in_order()
            call = ShardCall(replicas, kind, order, start + replicas.hedge_after(kind))
            if not order:
                call.reasons.append("it did not answer in time, and has not answered since")
            calls.append(call)
            self._ask_next(call, body, version, pending)
        while pending and (now := time.monotonic()) < deadline:
            hedges = [call.hedge_at for call in pending.values() if call.waiting and call.answer is None]
            done, _ = wait(pending, max(0.0, min([deadline, *hedges]) - now), FIRST_COMPLETED)
            for future in done:
                self._receive(future, pending.pop(future), body, version, pending)
            now = time.monotonic()
            for call in {id(call): call for call in pending.values()}.values():
                if call.answer is None and call.waiting and now >= call.hedge_at:
                    call.hedge_at = now + call.replicas.hedge_after(kind)
                    self._count(call, "hedged")
                    self._ask_next(call, body, version, pending)
            for future in [future for future, call in pending.items() if call.answer is not None]:
                del pending[future]  # the answer of another replica came first
        for call in {id(call): call for call in pending.values()}.values():
            call.reasons.append(f"no answer within {self._timeout:g} seconds")
        for call in calls:
            self._count(call, "missing" if call.answer is None else "answered")
        return calls

    def _ask_next(
        self, call: ShardCall, body: bytes, version: str, pending: dict[Future[dict[str, Any]], ShardCall]
    ) -> None:
        if call.waiting:
            client = call.waiting.pop(0)
            pending[self._pool.submit(self._ask, call.replicas, call.kind, client, body, version)] = call

    def _receive(
        self,
        future: Future[dict[str, Any]],
        call: ShardCall,
        body: bytes,
        version: str,
        pending: dict[Future[dict[str, Any]], ShardCall],
    ) -> None:
        try:
            call.answer = call.answer or future.result()
        except ShardUnavailable as error:
            call.reasons.append(str(error))
            self._ask_next(call, body, version, pending)

    def _ask(
        self, replicas: Replicas, kind: Kind, client: ShardClient, body: bytes, version: str
    ) -> dict[str, Any]:
        """The answer of one replica, if it is of this shard and this version of the workspace."""
        start = time.monotonic()
        try:
            answer = client.post(SEARCH_PATH, body)
        except ShardTimeout:
            replicas.suspend(client)
            raise
        replicas.answered(kind, time.monotonic() - start)
        got = answer.get("shard"), answer.get("version")
        if got != (str(replicas.shard), version):
            raise ShardUnavailable(
                f"it is shard {got[0]} of version {got[1]}, expected {replicas.shard} of version {version}"
            )
        return answer

    def _count(self, call: ShardCall, outcome: str) -> None:
        if self._metrics:
            self._metrics.record_shard(str(call.replicas.shard), outcome)

    def _log_changes(self, missing: dict[str, str]) -> None:
        """Log shards that are missing since now or for another reason, and those that are back."""
        for shard, reason in missing.items():
            if self._reported.get(shard) != reason:
                _log.warning("a shard does not answer", extra={"shard": shard, "reason": reason})
        for shard in self._reported.keys() - missing.keys():
            _log.info("a shard answers again", extra={"shard": shard})
        self._reported = missing

    def status(self) -> list[tuple[str, dict[str, Any]]]:
        """The shard and the state of every replica that answers."""
        asked = [(str(each.shard), client) for each in self.shards for client in each.clients]
        found = self._pool.map(_status, (client for _, client in asked))
        return [(shard, state) for (shard, _), state in zip(asked, found, strict=True) if state]

    def missing(self) -> tuple[str, ...]:
        """The shards of which no replica answers."""
        present = {shard for shard, _ in self.status()}
        return tuple(str(each.shard) for each in self.shards if str(each.shard) not in present)

    def have(self, version: str) -> bool:
        """Whether every replica that answers has a version of the workspace."""
        return all(version in state.get("versions", ()) for _, state in self.status())

    def close(self) -> None:
        """Wait for requests in flight, and close all connections."""
        self._pool.shutdown(cancel_futures=True)
        for replicas in self.shards:
            for client in replicas.clients:
                client.close()


def _status(client: ShardClient) -> dict[str, Any] | None:
    try:
        return client.get(STATUS_PATH)
    except ShardUnavailable:
        return None


def _probe(replicas: Replicas, client: ShardClient) -> None:
    """Ask a replica again from now on, if it answers."""
    if _status(client):
        replicas.resume(client)
