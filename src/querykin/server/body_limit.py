"""Limits on the size and the arrival time of request bodies."""

import asyncio
import time
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from querykin.server.problems import HTTPProblem
from querykin.server.shard_client import SEARCH_PATH
from querykin.settings_sections import ServerSettings

UPLOAD_PATH = "/clusters/lists"
UPLOAD_TIMEOUT = 120.0  # seconds for a keyword list to arrive, and to be read


@dataclass(frozen=True)
class BodyLimit:
    """The bytes that a body may have, and the seconds it may take to arrive."""

    size: int
    seconds: float

    @classmethod
    def of(cls, path: str, settings: ServerSettings) -> "BodyLimit":
        """The limit for a path: keyword lists and rows of queries may be larger than other bodies."""
        if path.endswith(SEARCH_PATH):
            return cls(settings.max_upload, settings.timeout)
        if path.endswith(UPLOAD_PATH):
            return cls(settings.max_upload, max(settings.timeout, UPLOAD_TIMEOUT))
        return cls(settings.max_body, settings.timeout)


def body_too_large(max_body: int) -> HTTPProblem:
    """Problem for a body that exceeds a number of bytes."""
    return HTTPProblem(
        413, f"the body exceeds the limit of {max_body:,} bytes; send less at once", "too-large"
    )


def limit_body(receive: Receive, limit: BodyLimit) -> Receive:
    """Wrap an ASGI receive callable: status 413 above the size, 408 after the time."""
    length, complete, deadline = 0, False, time.monotonic() + limit.seconds

    async def limited_receive() -> Message:
        nonlocal length, complete
        if complete:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), deadline - time.monotonic())
        except TimeoutError:
            raise HTTPException(408, "the body did not arrive in time", {"Connection": "close"}) from None
        length += len(message.get("body", b""))
        complete = not message.get("more_body", False)
        if length > limit.size:
            raise HTTPException(413, body_too_large(limit.size).detail)
        return message

    return limited_receive
