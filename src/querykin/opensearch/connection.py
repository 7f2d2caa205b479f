"""The connection to an OpenSearch cluster: requests with retries, and errors that say what to do."""

import logging
import os
import random
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from querykin.errors import InputError, MissingExtra, ServiceUnavailable
from querykin.opensearch.json_lines import json_lines
from querykin.opensearch.settings import OpenSearchSettings
from querykin.secret_values import check_key, read_secret, without_secrets

MIN_VERSION = {"opensearch": (2, 10), "elasticsearch": (8, 0)}
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0  # seconds between attempts
_BUSY = 429
_REPLICAS_WAIT = "10s"
# Regular refreshes, also when nobody searches: merges then release the segments that they replace, and with
# them the copies of documents that OpenSearch keeps for recovery.
_REFRESH = "5s"
_WHOLE = {"allow_partial_search_results": False}


class Overloaded(ServiceUnavailable):
    """The cluster has no room for a request now."""


def is_temporary(status: object) -> bool:
    """Whether another attempt may succeed: the cluster is busy, or a node or a shard is gone for now."""
    return isinstance(status, int) and (status == _BUSY or status >= 500)


def waits(attempts: int) -> Iterator[float]:
    """The seconds to wait before each further attempt: exponential back-off with jitter."""
    for attempt in range(attempts):
        yield min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT) * random.uniform(0.5, 1)


class Connection:
    """Sends requests to the nodes of a cluster in turn; those that do not answer are left out for a while."""

    def __init__(self, settings: OpenSearchSettings) -> None:
        settings.check_hosts()
        self.settings = settings
        self._library = _library()
        # Failed requests are reported by exceptions; without a handler, logging would print them as well.
        logging.getLogger("opensearch").addHandler(logging.NullHandler())
        if settings.ca_certs and not os.path.isfile(settings.ca_certs):
            raise InputError(f"[opensearch] ca_certs must be a file, got {settings.ca_certs!r}")
        self._authorization = _authorization(settings)
        self._client = self._library.OpenSearch(
            list(settings.hosts),
            headers=self._authorization,
            verify_certs=settings.verify_certs,
            ca_certs=settings.ca_certs or None,
            ssl_show_warn=False,
            timeout=settings.timeout,
            max_retries=0,  # `request` retries, with waits between
            retry_on_status=(),
            retry_on_timeout=True,  # a node that does not answer is left out for a while
        )

    def __str__(self) -> str:
        return f"OpenSearch at {', '.join(self.settings.hosts)}"

    def check_version(self) -> None:
        """Raise an error if the cluster does not answer, or is of a version that was never supported."""
        answer = self.request("GET", "/", retries=len(self.settings.hosts) - 1)
        version = answer.get("version") if isinstance(answer, dict) else None
        if not isinstance(version, dict) or "number" not in version:
            raise self._not_opensearch()
        product = str(version.get("distribution", "elasticsearch"))
        number = tuple(int(part) for part in str(version["number"]).split(".")[:2])
        if product not in MIN_VERSION or number < MIN_VERSION[product]:
            allowed = " or ".join(f"{name} {low[0]}.{low[1]}" for name, low in MIN_VERSION.items())
            raise InputError(
                f"{self} is {product} {version['number']}; allowed: {allowed} and newer; next: upgrade the "
                "cluster, or set hosts of [opensearch] to another"
            )

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        retries: int | None = None,
        retry_busy: bool = True,
        missing: Any = None,
        before: Callable[[], None] = lambda: None,
    ) -> Any:
        """The answer to a request, as JSON.

        A body that is bytes is sent as it is. `missing` is returned where what the path names does not exist,
        if it is given. A busy cluster is an Overloaded error unless `retry_busy`. `before` is called before
        each attempt.
        """
        attempts = self.settings.retries if retries is None else retries
        headers = {"content-type": "application/x-ndjson"} if isinstance(body, bytes) else None
        errors = self._library.exceptions
        for wait in (*waits(attempts), None):
            before()
            try:
                return self._client.transport.perform_request(method, path, body=body, headers=headers)
            except errors.SerializationError as error:
                raise self._not_opensearch() from error
            except errors.SSLError as error:
                raise self._failure(error) from error
            except errors.TransportError as error:
                if missing is not None and error.status_code == 404:
                    return missing
                if error.status_code == _BUSY and not retry_busy:
                    raise Overloaded(f"{self} is busy: {self._reason(error)}") from error
                unreachable = isinstance(error, errors.ConnectionError)
                if wait is None or not (unreachable or is_temporary(error.status_code)):
                    raise self._failure(error) from error
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _not_opensearch(self) -> ServiceUnavailable:
        return ServiceUnavailable(
            f"{self} does not answer as OpenSearch does; next: correct hosts of [opensearch]"
        )

    def _failure(self, error: Any) -> ServiceUnavailable:
        """What went wrong, in a sentence for users."""
        settings, errors, status = self.settings, self._library.exceptions, error.status_code
        who = f"user {settings.user!r}" if settings.user else "a request without a user"
        if settings.api_key_env:
            who = f"the API key in {settings.api_key_env}"
        if isinstance(error, errors.SSLError):
            return ServiceUnavailable(
                f"{self}: no secure connection ({_cause(error)}); allowed: a certificate of an authority in "
                "ca_certs of [opensearch]; next: set it to the file of the cluster's authority"
            )
        if isinstance(error, errors.ConnectionError):
            return ServiceUnavailable(
                f"{self} does not answer ({_cause(error)}); next: start it, or correct hosts of [opensearch]"
            )
        if status == 401:
            return ServiceUnavailable(
                f"{self} refuses {who} (401); next: set user and password_env, or api_key_env, of "
                "[opensearch]"
            )
        if status == 403:
            return ServiceUnavailable(f"{self} does not allow {who} to do this (403: {self._reason(error)})")
        if is_temporary(status):
            return ServiceUnavailable(
                f"{self} cannot answer now ({status}: {self._reason(error)}); try again later"
            )
        return ServiceUnavailable(f"{self} answered {status}: {self._reason(error)}")

    def _reason(self, error: Any) -> str:
        """What the cluster says about a refused request."""
        info = error.info if isinstance(error.info, dict) else {}
        details = info.get("error")
        said = details.get("reason") or details.get("type") if isinstance(details, dict) else details
        return without_secrets(str(said or error.error), self._authorization.values())

    # Indexes.

    def create_index(self, name: str, settings: dict[str, Any], mappings: dict[str, Any]) -> None:
        """Create an index with the numbers of shards and replicas of the settings.

        Waits a while for the replicas: what is written before they are there is lost with its node.
        """
        size = {"number_of_shards": self.settings.shards, "number_of_replicas": self.settings.replicas}
        body = {"settings": {**size, "refresh_interval": _REFRESH, **settings}, "mappings": mappings}
        try:
            self.request("PUT", f"/{name}?wait_for_active_shards=all&timeout={_REPLICAS_WAIT}", body)
        except ServiceUnavailable:
            if self.metadata(name) is None:  # else it was created, and only the answer was lost
                raise

    def metadata(self, name: str) -> tuple[str, dict[str, Any]] | None:
        """The index of a name or alias, and the `_meta` of its mapping; None if there is none."""
        found = self.request("GET", f"/{name}/_mapping", missing={})
        for index, content in found.items():
            return index, content["mappings"].get("_meta", {})
        return None

    def finish(self, index: str, metadata: dict[str, Any]) -> None:
        """Make all that was written visible, and then replace the `_meta` of the mapping."""
        self.refresh(index)
        self.request("PUT", f"/{index}/_mapping", {"_meta": metadata})

    def refresh(self, index: str) -> None:
        """Make what was written visible to searches."""
        self.request("POST", f"/{index}/_refresh")

    def search_many(self, index: str, searches: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The answers to several searches of an index; one that misses a shard is an error, never partial."""
        answers: list[dict[str, Any]] = []
        for wait in (*waits(self.settings.retries), None):
            body = json_lines(line for each in searches[len(answers) :] for line in (_WHOLE, each))
            found = self.request("POST", f"/{index}/_msearch", body)["responses"]
            failed = next((number for number, each in enumerate(found) if "error" in each), len(found))
            answers += found[:failed]
            if len(answers) == len(searches):
                return answers
            if wait is None or not is_temporary(found[failed]["status"]):
                reason = found[failed]["error"].get("reason", "")
                raise ServiceUnavailable(f"{self} cannot search {index}: {reason}")
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")


def _library() -> ModuleType:
    try:
        import opensearchpy
    except ImportError:
        raise MissingExtra("OpenSearch", "opensearch") from None
    return opensearchpy


def _authorization(settings: OpenSearchSettings) -> dict[str, str]:
    """The header that authenticates requests."""
    if settings.api_key_env:
        key = check_key(_secret("api_key_env", settings.api_key_env), settings.api_key_env)
        return {"authorization": f"ApiKey {key}"}
    if settings.user:
        credentials = f"{settings.user}:{_secret('password_env', settings.password_env)}"
        return {"authorization": f"Basic {b64encode(credentials.encode()).decode()}"}
    return {}


def _secret(setting: str, variable: str) -> str:
    value = read_secret(variable, f"{setting} of [opensearch]")
    if not value:
        raise InputError(
            f"[opensearch] {setting} names the environment variable {variable}, which is not set; next: "
            f"export {variable}=..."
        )
    return value


def _cause(error: Any) -> str:
    """The innermost cause of a failed connection."""
    cause = error.info if isinstance(error.info, BaseException) else error
    inner = getattr(cause, "reason", None) or (cause.args[-1] if cause.args else cause)
    return str(inner).rpartition(": ")[2].strip("'\"()") or type(cause).__name__
