"""Indexing and deleting in bulk, as fast as the cluster takes it."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from querykin.errors import InputError
from querykin.opensearch.connection import Connection, Overloaded, is_temporary, waits
from querykin.opensearch.json_lines import json_lines

MAX_ACTIONS, MAX_BYTES = 2000, 4 << 20  # of a request


def index_action(identity: int, document: dict[str, Any]) -> bytes:
    """The lines that index a document, in place of one with the same id."""
    return json_lines([{"index": {"_id": str(identity)}}, document])


def delete_action(identity: int) -> bytes:
    """The line that deletes a document."""
    return json_lines([{"delete": {"_id": str(identity)}}])


def send_bulk(
    connection: Connection, index: str, actions: Iterable[bytes], advance: Callable[[int], None]
) -> None:
    """Send all actions; `advance` receives the number that was accepted since its last call.

    Back-pressure: when the cluster rejects some, they are sent again after a wait, in smaller requests. An
    action that is repeated after a lost answer changes nothing: documents are replaced by their ids.
    """
    waiting, source = deque[bytes](), iter(actions)
    limit = MAX_ACTIONS
    delays = _delays(connection)
    while batch := _take(waiting, source, limit):
        rejected, reason = _send(connection, index, batch)
        advance(len(batch) - len(rejected))
        if len(rejected) < len(batch):
            delays = _delays(connection)
        if not rejected:
            limit = min(2 * limit, MAX_ACTIONS)
            continue
        waiting.extendleft(reversed(rejected))
        limit = max(1, len(batch) // 2)
        wait = next(delays, None)
        if wait is None:
            raise Overloaded(f"{connection} still refuses to write to {index} ({reason}); try again later")
        time.sleep(wait)


def _delays(connection: Connection) -> Iterator[float]:
    return waits(connection.settings.retries)


def _take(waiting: deque[bytes], source: Iterator[bytes], limit: int) -> list[bytes]:
    """The next actions: those that were rejected first."""
    batch: list[bytes] = []
    size = 0
    while len(batch) < limit and size < MAX_BYTES:
        action = waiting.popleft() if waiting else next(source, None)
        if action is None:
            break
        batch.append(action)
        size += len(action)
    return batch


def _send(connection: Connection, index: str, batch: list[bytes]) -> tuple[list[bytes], str]:
    """The actions of a request that are to be sent again, and why."""
    try:
        # A shard that is nowhere now is reported before the request itself times out.
        patience = max(1, int(connection.settings.timeout / 2))
        path = f"/{index}/_bulk?timeout={patience}s"
        found = connection.request("POST", path, b"".join(batch), retry_busy=False)
    except Overloaded as error:
        return batch, str(error)
    rejected, reason = [], ""
    for action, answer in zip(batch, found["items"] if found["errors"] else (), strict=found["errors"]):
        ((kind, result),) = answer.items()
        if is_temporary(result["status"]):
            rejected.append(action)
            reason = result["error"]["reason"]
        elif result["status"] >= 400 and not (kind == "delete" and result["status"] == 404):
            raise InputError(
                f"{connection} cannot store document {result['_id']} in {index}: {result['error']['reason']}"
            )
    return rejected, reason
