"""ASGI middleware: admission of requests; error responses, headers, metrics and the request log."""

import logging
import time
from typing import Any
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from querykin.server.auth import Auth
from querykin.server.body_limit import BodyLimit, body_too_large, limit_body
from querykin.server.error_handlers import respond
from querykin.server.metrics import Metrics
from querykin.server.problems import HTTPProblem
from querykin.server.rate_limiter import RateLimiter
from querykin.server.shard_client import STATUS_PATH
from querykin.settings_sections import ServerSettings

_UNLIMITED_PATHS = ("/healthz", "/readyz", "/metrics", "/static/", STATUS_PATH)
_RESPONSE_HEADERS = {
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
_CLIENT_CLOSED = 499  # in the log: the client closed the connection before it had sent its request (nginx)
_log = logging.getLogger("querykin.server")


class AdmissionMiddleware:
    """Checks rate, authorization, and size and type of the body before a request is handled."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, rate_limiter: RateLimiter) -> None:
        self._app, self._settings, self._rate_limiter = app, settings, rate_limiter
        self._auth = Auth(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an admitted request on; raise HTTPProblem for others."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if not request.url.path.startswith(_UNLIMITED_PATHS):
            self._rate_limiter.admit(request.client.host if request.client else "")
        login_redirect = self._auth.check(request)
        if login_redirect is not None:
            await login_redirect(scope, receive, send)
            return
        limit = BodyLimit.of(request.url.path, self._settings)
        self._check_body_headers(request, limit)
        await self._app(scope, limit_body(receive, limit), send)

    def _check_body_headers(self, request: Request, limit: BodyLimit) -> None:
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit.size:
            raise body_too_large(limit.size)
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_api = request.method == "POST" and request.url.path.startswith("/v1/")
        if is_api and media_type != "application/json":
            got = media_type[:100] or "no Content-Type"
            raise HTTPProblem(415, f"the body must be application/json, got {got}")


class RequestMiddleware:
    """Turns exceptions into problem details, sets response headers, and logs and counts every request."""

    def __init__(self, app: ASGIApp, settings: ServerSettings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request and record its outcome."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, status, request_id = time.perf_counter(), 0, uuid4().hex[:16]
        scope.setdefault("state", {})

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in _RESPONSE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except HTTPProblem as problem:
            await respond(Request(scope), problem)(scope, receive, send_with_headers)
        except ClientDisconnect:
            status = _CLIENT_CLOSED
        except Exception:
            _log.exception("unhandled exception", extra={"request": request_id, "route": _route(scope)})
            if status:  # headers are sent already: only closing the connection can signal the failure
                raise ConnectionAbortedError("the response failed after its headers were sent") from None
            error = HTTPProblem(500, "internal error; see the service's log", "internal", request=request_id)
            await error.response()(scope, receive, send_with_headers)
        finally:
            self._record(scope, status, time.perf_counter() - start, request_id)

    def _record(self, scope: Scope, status: int, seconds: float, request_id: str) -> None:
        route, state = _route(scope), scope["state"]
        measure = state.get("measure", "")
        self._metrics.record_request(route, measure, status, seconds)
        client = scope.get("client")
        fields: dict[str, Any] = {
            "request": request_id,
            "method": scope["method"],
            "route": route,
            "status": status,
            "ms": round(1000 * seconds, 2),
            "client": client[0] if client else "",
        }
        if measure:
            fields["measure"] = measure
        if self._settings.log_queries and "texts" in state:
            fields["texts"] = state["texts"]
        _log.info("request", extra=fields)


def _route(scope: Scope) -> str:
    """Path template of the matched route: free of user input and of bounded cardinality."""
    return str(getattr(scope.get("route"), "path", "") or "none")
