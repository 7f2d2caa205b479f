"""Objects in a bucket of Amazon S3, Google Cloud Storage or Azure Blob Storage, through obstore.

Endpoint and credentials come from the usual environment variables (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID,
GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME...). Errors are one line that says what to do.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from querykin.errors import InputError, MissingExtra, ObjectStorageError

_URL = re.compile(r"(s3|gs|az):/+([^/]+)(?:/+(.*?))?/*")  # a Path has made one slash of two
_ANY_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
_ENDPOINTS = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"),
    "gs": ("GOOGLE_BASE_URL",),
    "az": ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"),
}
_CHUNK = 16 << 20  # bytes of one request
_RETRIES: Any = {"max_retries": 5, "retry_timeout": timedelta(minutes=2)}
# What the services say, in the order in which it is looked for.
_NO_BUCKET = re.compile(r"NoSuchBucket|ContainerNotFound|bucket does not exist", re.IGNORECASE)
_NO_CREDENTIALS = re.compile(
    r"169\.254\.|latest/api/token|metadata\.google|metadata/identity|MissingAccount|Account must be", re.I
)
_REJECTED = re.compile(r"InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed|401 Unauthorized")
_DENIED = re.compile(r"AccessDenied|403 Forbidden|AuthorizationFailure", re.IGNORECASE)
_UNREACHABLE = re.compile(r"error sending request|HTTP error|connect", re.IGNORECASE)


def storage_url(path: str | os.PathLike[str]) -> str | None:
    """The address of a workspace in object storage in one spelling; None for the path of a folder.

    >>> storage_url("s3://bucket/shop/"), storage_url(Path("gs://bucket")), storage_url("./shop")
    ('s3://bucket/shop', 'gs://bucket', None)
    """
    text = os.fspath(path)
    if match := _URL.fullmatch(text):
        scheme, bucket, prefix = match.groups()
        return f"{scheme}://{bucket}/{prefix}" if prefix else f"{scheme}://{bucket}"
    if (other := _ANY_SCHEME.match(text)) or re.match(r"(s3|gs|az):/*$", text):
        given = other[1] if other else text
        raise InputError(
            f"a workspace is a folder or s3://BUCKET/PREFIX, gs://... or az://..., got {given}: {text}"
        )
    return None


def endpoint(url: str) -> str:
    """The endpoint that the environment names for the scheme of an address; empty: that of the service."""
    return next(filter(None, map(os.environ.get, _ENDPOINTS[url[:2]])), "")


class ChangedMeanwhile(Exception):
    """An object is not in the version that it was to be replaced in."""


@dataclass(frozen=True, slots=True)
class Version:
    """What a conditional put compares: the entity tag, and the generation where a service counts them."""

    e_tag: str
    number: str | None = None

    def equals(self, other: "Version | None") -> bool:
        """Whether both are of the same content; some listings leave out the quotes of entity tags."""
        return other is not None and self.e_tag.strip('"') == other.e_tag.strip('"')


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An entry of a listing."""

    key: str
    size: int
    version: Version
    modified: datetime


class ObjectStorage:
    """The objects below one address; keys are relative to it."""

    def __init__(self, url: str) -> None:
        try:
            import obstore
            from obstore.store import from_url
        except ImportError:
            raise MissingExtra("a workspace in object storage", "objects") from None
        self.url, self._api = url, obstore
        options: Any = {"allow_http": True} if endpoint(url).startswith("http://") else {}
        options |= {"timeout": timedelta(minutes=5)}
        with self._explained():
            self._store: Any = from_url(url, client_options=options, retry_config=_RETRIES)

    def list(self, prefix: str = "") -> Iterator[StoredObject]:
        """The objects whose keys begin with a folder."""
        with self._explained():
            for chunk in self._api.list(self._store, prefix or None, chunk_size=1000):
                for found in chunk:
                    version = Version(str(found["e_tag"]), found["version"])
                    yield StoredObject(found["path"], found["size"], version, found["last_modified"])

    def read(self, key: str) -> tuple[bytes, Version]:
        """The content of an object and its version; FileNotFoundError if there is none."""
        with self._explained(key):
            found = self._api.get(self._store, key)
            content = bytes(found.bytes())
            return content, Version(str(found.meta["e_tag"]), found.meta["version"])

    def chunks(self, key: str, size: int) -> Iterator[bytes]:
        """The content of an object of a known size, a few megabytes at a time."""
        for begin in range(0, size, _CHUNK):
            with self._explained(key):
                yield bytes(self._api.get_range(self._store, key, start=begin, end=min(begin + _CHUNK, size)))

    def upload(self, key: str, path: Path) -> None:
        """Store a file, in several requests if it is large."""
        with self._explained():
            self._api.put(self._store, key, path, chunk_size=_CHUNK)

    def replace(self, key: str, content: bytes, expected: Version | None) -> Version:
        """Replace an object if it still has the version, or create it if there is none.

        ChangedMeanwhile if somebody else was faster.
        """
        mode: Any = "create"
        if expected:
            mode = {"e_tag": expected.e_tag}
            mode |= {"version": expected.number} if expected.number else {}
        try:
            with self._explained():
                written = self._api.put(self._store, key, content, mode=mode, use_multipart=False)
        except (self._api.exceptions.AlreadyExistsError, self._api.exceptions.PreconditionError):
            raise ChangedMeanwhile(key) from None
        except FileNotFoundError:  # If-Match on an object that was deleted
            raise ChangedMeanwhile(key) from None
        return Version(str(written["e_tag"]), written["version"])

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; those that do not exist are no error."""
        for key in keys:
            try:
                with self._explained():
                    self._api.delete(self._store, key)
            except FileNotFoundError:
                continue

    @contextmanager
    def _explained(self, key: str = "") -> Iterator[None]:
        """Turn errors of the service into one line with what to do; those with a meaning here pass."""
        errors = self._api.exceptions
        try:
            yield
        except (errors.AlreadyExistsError, errors.PreconditionError):
            raise
        except FileNotFoundError as error:
            if _NO_BUCKET.search(str(error)):
                raise ObjectStorageError(self._explain(str(error))) from error
            raise FileNotFoundError(2, "no such object", f"{self.url}/{key}") from error
        except errors.BaseError as error:
            raise ObjectStorageError(self._explain(str(error))) from error

    def _explain(self, message: str) -> str:
        scheme, bucket = self.url[:2], self.url[5:].partition("/")[0]
        where = f" at {given}" if (given := endpoint(self.url)) else ""
        if _NO_BUCKET.search(message):
            return f"there is no bucket {bucket!r}{where}; next: create it, or choose another --workspace"
        if _NO_CREDENTIALS.search(message):
            return f"no credentials for {self.url}; next: set {_CREDENTIALS[scheme]}"
        if _REJECTED.search(message):
            return f"{self.url} rejects the credentials; next: check {_CREDENTIALS[scheme]}"
        if _DENIED.search(message):
            return (
                f"access to {self.url} is denied; next: grant the permission to list, read and write "
                f"objects, or check {_CREDENTIALS[scheme]}"
            )
        if _UNREACHABLE.search(message):
            variable = _ENDPOINTS[scheme][0 if scheme != "s3" else 1]
            return f"{self.url} cannot be reached{where}; next: check the network and {variable}"
        return f"{self.url}: {message.splitlines()[0][:300]}"
