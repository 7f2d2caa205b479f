"""The router: every search goes to all shards at once, and what they find is merged by the caller."""

import json
import logging
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from querykin.errors import InputError
from querykin.index.shard import Shard
from querykin.retrieval.sharded_retriever import ShardAnswers
from querykin.server.metrics import Metrics
from querykin.server.problems import HTTPProblem
from querykin.server.replicas import Replicas
from querykin.server.scatter import Scatter, ShardCall, ShardRequest
from querykin.server.shard_client import STATUS_PATH, ShardClient, ShardUnavailable
from querykin.server.shard_messages import rankings_from_json, rows_json
from querykin.settings_sections import ServerSettings
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


class ShardRouter:
    """Asks all shards; those that do not answer in time are named."""

    def __init__(self, urls: Sequence[Sequence[str]], settings: ServerSettings, metrics: Metrics) -> None:
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
        kind = measure, len(queries).bit_length()
        calls = self._scatter(ShardRequest(json.dumps(request).encode(), kind, version, self._timeout))
        missing = {call.shard: ", ".join(dict.fromkeys(call.reasons)) for call in calls if not call.answer}
        self._log_changes(missing)
        if len(missing) == len(calls):
            why = "; ".join(f"{shard}: {reason}" for shard, reason in missing.items())
            raise HTTPProblem(503, f"no shard answers ({why})", "shards", {"Retry-After": "1"})
        found = [rankings_from_json(call.answer["rankings"]) for call in calls if call.answer]
        return ShardAnswers(found, tuple(missing))

    def _scatter(self, request: ShardRequest) -> list[ShardCall]:
        for replicas in self.shards:
            for client in replicas.due_for_probe():
                self._pool.submit(_probe, replicas, client)
        calls = Scatter(request, self._pool).run(self.shards)
        for call in calls:
            self._metrics.record_shard(call.shard, "answered" if call.answer else "missing")
            if call.hedges:
                self._metrics.record_shard(call.shard, "hedged")
        return calls

    def _log_changes(self, missing: dict[str, str]) -> None:
        """Log shards that are missing since now or for another reason, and those that are back."""
        for shard, reason in missing.items():
            if self._reported.get(shard) != reason:
                _log.warning("a shard does not answer", extra={"shard": shard, "reason": reason})
        for shard in self._reported.keys() - missing.keys():
            _log.info("a shard answers again", extra={"shard": shard})
        self._reported = missing

    def missing(self, version: str) -> tuple[str, ...]:
        """The shards of which no replica answers with a version of the workspace."""
        present = {shard for shard, versions in self._versions() if version in versions}
        return tuple(str(each.shard) for each in self.shards if str(each.shard) not in present)

    def have(self, version: str) -> bool:
        """Whether every replica that answers has a version of the workspace."""
        return all(version in versions for _, versions in self._versions())

    def _versions(self) -> list[tuple[str, list[str]]]:
        """The shard of every replica that answers for it, and its versions of the workspace."""
        asked = [(str(each.shard), client) for each in self.shards for client in each.clients]
        states = self._pool.map(_status, (client for _, client in asked))
        found = [(shard, state) for (shard, _), state in zip(asked, states, strict=True) if state]
        return [(shard, state["versions"]) for shard, state in found if state.get("shard") == shard]

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
