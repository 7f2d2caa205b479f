"""HTTP/1.1 connections with time limits, which uvicorn's own protocol does not have (slowloris).

The head of a request must arrive within a time that begins with the connection, or with the first byte after
a response; bytes that trickle in do not extend it. What is left of a body after its response has the
same limit; before it, `body_limit` counts. A client that does not read its response is closed, too.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from querykin.server.connections import Connections, plain_address

_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
)


@dataclass(frozen=True)
class TimeLimits:
    """Seconds until the head of a request has arrived, and until a client reads some of its response."""

    head: float
    response: float


class LimitedProtocol(H11Protocol):
    """One connection, counted among those of its worker."""

    def __init__(self, limits: TimeLimits, counted: Connections, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._limits, self._counted = limits, counted
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many connections."""
        super().connection_made(transport)
        if self.client:
            self.client = plain_address(self.client[0]), self.client[1]
        if self._counted.admit(self, self.client[0] if self.client else ""):
            self._expect_request()
        else:
            transport.write(_FULL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release what belongs to the connection."""
        self._counted.remove(self)
        self._stop_timers()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle bytes; the first ones after a response begin the time of the next request."""
        if self._is_idle:
            self._expect_request()
        super().data_received(data)

    def handle_events(self) -> None:
        """Handle what has arrived, and note whether a whole request is among it."""
        try:
            super().handle_events()
        except h11.LocalProtocolError:  # the rest of a body, after a response that ends the connection
            self.abort()
        if self._is_idle or self.transport.is_closing():
            return
        if self._head_timer:
            self._head_timer.cancel()
            self._head_timer = None
        if not self.cycle.more_body:
            self._counted.answer(self)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP; what the application still has to say about the request is not sent."""
        if not self._is_idle:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of this one."""
        self._counted.wait(self)
        super().on_response_complete()
        if self._is_idle and self.conn.their_state is h11.SEND_BODY:
            self._expect_request()
        if self.transport.get_write_buffer_size():
            self._expect_reading()

    def pause_writing(self) -> None:
        """The client does not read: it has to, in time."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        if self._write_timer:
            self._write_timer.cancel()
            self._write_timer = None

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        self.transport.abort()

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _expect_request(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self._limits.head, self._refuse_slow_request)

    def _expect_reading(self) -> None:
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self._limits.response, self._refuse_slow_reader)

    def _refuse_slow_request(self) -> None:
        if self.conn.our_state is h11.IDLE and not self.transport.get_write_buffer_size():
            self.transport.write(_TIMEOUT)
        self._close("request too slow")

    def _refuse_slow_reader(self) -> None:
        self._write_timer = None
        if self.transport.get_write_buffer_size():
            self._close("response not read")

    def _close(self, reason: str) -> None:
        self._counted.record_closed(reason)
        self.transport.abort()

    def _stop_timers(self) -> None:
        for timer in (self._head_timer, self._write_timer):
            if timer:
                timer.cancel()
