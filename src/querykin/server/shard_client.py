"""HTTP client of one process that serves a shard, with connections that are kept open."""

import json
from http.client import HTTPConnection, HTTPException, HTTPSConnection, RemoteDisconnected
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from querykin.errors import InputError

SEARCH_PATH = "/v1/shard/search"
STATUS_PATH = "/v1/shard"
_STALE = (
    RemoteDisconnected,
    ConnectionResetError,
    BrokenPipeError,
)  # a kept connection the server has closed


class ShardUnavailable(Exception):
    """A shard gave no answer that can be used; the message says why."""


class ShardTimeout(ShardUnavailable):
    """A shard did not answer in time."""


class ShardClient:
    """Sends requests to one URL; may be used by several threads."""

    def __init__(self, url: str, timeout: float, token: str = "") -> None:
        usage = InputError(f"a shard is given as http://HOST:PORT or https://HOST:PORT, got {url!r}")
        try:
            parts = urlsplit(url)
            host, self._port = parts.hostname, parts.port
        except ValueError:  # a port that is none, or half of an IPv6 address
            raise usage from None
        if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
            raise usage
        self.url, self._timeout = url, timeout
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host, self._prefix = host, parts.path.rstrip("/")
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._idle: list[HTTPConnection] = []
        self._lock = Lock()

    def get(self, path: str) -> dict[str, Any]:
        """The JSON at a path."""
        return self._request("GET", path, None)

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        """The JSON that answers a JSON body."""
        return self._request("POST", path, body)

    def _request(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        try:
            status, content = self._exchange(method, self._prefix + path, body)
            answer = json.loads(content)
        except TimeoutError:
            raise ShardTimeout(f"no answer within {self._timeout:g} seconds") from None
        except (OSError, HTTPException, ValueError) as error:
            raise ShardUnavailable(str(error) or type(error).__name__) from error
        if status != 200 or not isinstance(answer, dict):
            detail = answer.get("detail", "") if isinstance(answer, dict) else ""
            raise ShardUnavailable(f"status {status}: {detail}")
        return answer

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        """One request over a kept connection; over a new one if there is none, or the server closed it."""
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        if kept is not None:
            try:
                return self._over(kept, method, path, body)
            except _STALE:
                pass  # nothing was answered; searches may be repeated
        return self._over(self._kind(self._host, self._port, timeout=self._timeout), method, path, body)

    def _over(
        self, connection: HTTPConnection, method: str, path: str, body: bytes | None
    ) -> tuple[int, bytes]:
        try:
            connection.request(method, path, body, self._headers)
            response = connection.getresponse()
            found = response.status, response.read()
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        return found

    def close(self) -> None:
        """Close the connections that are kept."""
        with self._lock:
            for connection in self._idle:
                connection.close()
            self._idle.clear()
