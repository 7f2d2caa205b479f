"""Limits on the size and the arrival time of request bodies."""

import asyncio
import time

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from querykin.server.problems import HTTPProblem
from querykin.settings import ServerSettings


def body_too_large(max_body: int) -> HTTPProblem:
    """Problem for a body that exceeds `max_body` bytes."""
    return HTTPProblem(
        413, f"the body exceeds the limit of {max_body:,} bytes; send less at once", "too-large"
    )


def limit_body(receive: Receive, settings: ServerSettings) -> Receive:
    """Wrap an ASGI receive callable: 413 after `max_body` bytes, 408 after `timeout` seconds."""
    length, complete, deadline = 0, False, time.monotonic() + settings.timeout

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
        if length > settings.max_body:
            raise HTTPException(413, body_too_large(settings.max_body).detail)
        return message

    return limited_receive
