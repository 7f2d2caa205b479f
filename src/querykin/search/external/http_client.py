"""HTTP requests to a search engine: paced, retried with back-off, bounded in time and size."""

import logging
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from types import ModuleType
from typing import Any
from weakref import finalize

from querykin.errors import InputError, MissingExtra, ServiceUnavailable
from querykin.io.limits import MAX_REPLY_BYTES
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.addresses import parse_url, resolve
from querykin.search.external.budget import RequestBudget
from querykin.secret_values import without_secrets
from querykin.version import __version__

MAX_WAIT = 60.0  # seconds that are waited because a server says so (Retry-After)
_FIRST_WAIT, _LONGEST_WAIT, _JITTER = 0.5, 20.0, 0.5  # seconds between attempts
_TOO_MANY = 429


@dataclass(frozen=True)
class Request:
    """What is asked of an engine; `headers` may hold a key, which is never shown or stored."""

    url: str
    parameters: Mapping[str, str | int]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class TemporaryFailure(ServiceUnavailable):
    """Another attempt may succeed; `wait` is how long the server asks to wait, if it does."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Pace:
    """Spreads requests evenly over time."""

    def __init__(self, rate: float) -> None:
        self._interval, self._next, self._lock = 1 / rate, 0.0, Lock()

    def wait(self) -> None:
        """Wait for the turn of the next request."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._interval
        time.sleep(turn - now)


class HttpClient:
    """Sends requests of one engine; may be used by several threads. Redirects are not followed."""

    def __init__(self, settings: EngineSettings, budget: RequestBudget, name: str) -> None:
        self._settings, self._budget, self._name = settings, budget, name
        self._library, self._retrying = _libraries()
        self._pace = Pace(settings.rate)
        contact = f" ({settings.contact})" if settings.contact else ""
        # Not compressed: a small reply that unpacks to gigabytes would be read before it is measured.
        self._headers = {"user-agent": f"querykin/{__version__}{contact}", "accept-encoding": "identity"}
        # Proxies of the environment would resolve the name again.
        self._client = self._library.Client(
            trust_env=False, timeout=settings.timeout, verify=_tls(settings.ca_certs)
        )
        finalize(self, self._client.close)

    def get(self, request: Request, check: Callable[[bytes], object] = bytes) -> bytes:
        """The body of a reply; what is refused for now, also by `check`, is asked again, after a while."""
        attempts = self._retrying.retry_context(
            on=_next_wait,
            attempts=self._settings.retries + 1,
            timeout=None,
            wait_initial=_FIRST_WAIT,
            wait_max=_LONGEST_WAIT,
            wait_jitter=_JITTER,
        )
        for attempt in attempts:
            with attempt:
                self._budget.spend()
                self._pace.wait()
                body = self._get_once(request)
                check(body)
                return body
        raise AssertionError("the last attempt returns or raises")

    def _get_once(self, request: Request) -> bytes:
        parts = parse_url(request.url)
        host = parts.hostname or ""
        address = resolve(parts, self._settings.private_hosts)
        deadline = time.monotonic() + self._settings.timeout
        url = self._library.URL(request.url).copy_with(host=address)
        headers = {**self._headers, **request.headers, "host": parts.netloc}
        failed = self._library.HTTPError, self._library.InvalidURL
        try:
            with self._client.stream(
                "GET",
                url,
                params=dict(request.parameters),
                headers=headers,
                extensions={"sni_hostname": host},
            ) as response:
                body = self._read(response, deadline)
        except self._library.TimeoutException:
            raise self._too_slow() from None
        except failed as error:
            raise TemporaryFailure(
                f"{self._name} does not answer ({error or type(error).__name__}); next: correct url of "
                "[engine], or try again later"
            ) from None
        self._check_status(response, _shown(body, request.headers), request.headers)
        return body

    def _read(self, response: Any, deadline: float) -> bytes:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ServiceUnavailable(f"{self._name} sends a compressed reply, which was not asked for")
        body = bytearray()
        for piece in response.iter_raw():
            body += piece
            if len(body) > MAX_REPLY_BYTES:
                raise ServiceUnavailable(f"{self._name} sends more than {MAX_REPLY_BYTES >> 20} MiB")
            if time.monotonic() > deadline:
                raise self._too_slow()
        return bytes(body)

    def _too_slow(self) -> TemporaryFailure:
        return TemporaryFailure(
            f"{self._name} did not answer within {self._settings.timeout:g} seconds; next: try again later, "
            "or set timeout of [engine]"
        )

    def _check_status(self, response: Any, said: str, sent: Mapping[str, str]) -> None:
        status, name = response.status_code, self._name
        if status == 200:
            return
        if status == _TOO_MANY or status >= 500:
            wait = _retry_after(response.headers.get("retry-after", ""))
            raise TemporaryFailure(f"{name} cannot answer now ({status}: {said}); try again later", wait)
        if 300 <= status < 400:
            target = without_secrets(response.headers.get("location", ""), sent.values())
            raise ServiceUnavailable(
                f"{name} redirects to {target[:200]!r}, which is not followed; next: set url of [engine] to "
                "the address that answers"
            )
        if status in (401, 403):
            raise ServiceUnavailable(
                f"{name} refuses the request ({status}: {said}); next: check the key in "
                f"{self._settings.key_env}, or what the engine allows"
            )
        raise ServiceUnavailable(f"{name} answered {status}: {said}")


def _tls(ca_certs: str) -> ssl.SSLContext:
    """Certificates are verified by these authorities, or by those of the system."""
    try:
        return ssl.create_default_context(cafile=ca_certs or None)
    except OSError as error:  # ssl.SSLError is one
        raise InputError(f"ca_certs of [engine] must be a file of certificates, got {ca_certs!r}") from error


def _shown(body: bytes, headers: Mapping[str, str]) -> str:
    """What a reply says, as errors show it: without the key, which a server may repeat.

    That is the error in its JSON, which Solr gives after the results, or its beginning.
    """
    text = without_secrets(body.decode("utf-8", "replace"), headers.values())
    begin = max(0, text.find('"error"'))
    return " ".join(text[begin : begin + 200].split())


def _next_wait(error: Exception) -> bool | float:
    """Whether a failed request is sent again, and how long the server asks to wait before."""
    if not isinstance(error, TemporaryFailure):
        return False
    if error.wait is None:
        return True
    return error.wait if error.wait <= MAX_WAIT else False


def _retry_after(value: str) -> float | None:
    """The seconds of a Retry-After header, which has them or a date."""
    if value.strip().isdigit():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, IndexError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def _libraries() -> tuple[ModuleType, ModuleType]:
    try:
        import httpx2
        import stamina
    except ImportError:
        raise MissingExtra("a search engine elsewhere", "web") from None
    # Both would log texts of users: httpx2 addresses with queries, stamina what a server said of them.
    for name in ("httpx2", "stamina"):
        logging.getLogger(name).propagate = False
        logging.getLogger(name).addHandler(logging.NullHandler())
    return httpx2, stamina
