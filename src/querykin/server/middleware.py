"""What stands around every request: who may ask, how much; what is counted, logged and told to browsers."""

import logging
import time
from typing import Any
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from querykin.server.auth import Auth
from querykin.server.limits import Rates, bounded, too_large
from querykin.server.metrics import Metrics
from querykin.server.problems import HTTPProblem
from querykin.settings import ServerSettings

_PROBES = ("/healthz", "/readyz", "/metrics", "/static/")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_log = logging.getLogger("querykin.server")


class AdmissionMiddleware:
    """Lets a request in, or not: rights, rates, length and kind of its body."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, rates: Rates) -> None:
        self._app, self._settings, self._rates, self._rights = app, settings, rates, Auth(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit, then pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if not request.url.path.startswith(_PROBES):
            self._rates.admit(request.client.host if request.client else "")
        elsewhere = self._rights.check(request)
        if elsewhere is not None:
            await elsewhere(scope, receive, send)
            return
        self._check_body(request)
        await self._app(scope, bounded(receive, self._settings), send)

    def _check_body(self, request: Request) -> None:
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._settings.max_body:
            raise too_large(self._settings.max_body)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if request.method == "POST" and request.url.path.startswith("/v1/") and kind != "application/json":
            raise HTTPProblem(
                415, f"the body must be application/json, got {kind[:100] or 'no Content-Type'}"
            )


class RequestMiddleware:
    """Answers with problem details whatever goes wrong, counts and logs every request."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and take note of what came of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, number = time.perf_counter(), 0, uuid4().hex[:16]
        scope.setdefault("state", {})

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = number
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except HTTPProblem as problem:
            await problem.response()(scope, receive, sending)
        except Exception:
            _log.exception("a fault", extra={"request": number, "route": _route(scope)})
            if status:  # too late for another answer: the connection ends here
                raise ConnectionAbortedError("the answer broke off") from None
            fault = HTTPProblem(500, "a fault of the service; its log says more", "internal", request=number)
            await fault.response()(scope, receive, sending)
        finally:
            self._note(scope, status, time.perf_counter() - began, number)

    def _note(self, scope: Scope, status: int, seconds: float, number: str) -> None:
        route, state = _route(scope), scope["state"]
        measure = state.get("measure", "")
        self._metrics.answered(route, measure, status, seconds)
        client = scope.get("client")
        noted: dict[str, Any] = {
            "request": number,
            "method": scope["method"],
            "route": route,
            "status": status,
            "ms": round(1000 * seconds, 2),
            "client": client[0] if client else "",
        }
        if measure:
            noted["measure"] = measure
        if self._settings.log_queries and "texts" in state:
            noted["texts"] = state["texts"]
        _log.info("request", extra=noted)


def _route(scope: Scope) -> str:
    """The path with its variables by name: nobody's text, and few enough to count by."""
    return str(getattr(scope.get("route"), "path", "") or "none")
