"""Replies of external search engines, stored in the workspace: SQLite, compressed, a checksum in each row."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from threading import Lock
from weakref import finalize

import zstandard

from querykin.errors import WorkspaceError
from querykin.io.limits import MAX_REPLY_BYTES
from querykin.storage.atomic_write import create_folder
from querykin.storage.sqlite_files import (
    BUSY_TIMEOUT,
    MAX_LISTED,
    create_database,
    open_read_only,
    read_format,
    structure_problems,
)
from querykin.storage.store import is_writable

REPLIES = "replies.db"
FORMAT = 1
_TABLES = """
CREATE TABLE engines (fingerprint TEXT PRIMARY KEY, settings TEXT NOT NULL);
CREATE TABLE replies (
  engine TEXT NOT NULL, query TEXT NOT NULL, page INTEGER NOT NULL, fetched TEXT NOT NULL,
  reply BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (engine, query, page)
) WITHOUT ROWID;
"""
_COLUMNS = "engine, query, page, fetched, reply, checksum"


@dataclass(frozen=True)
class Reply:
    """A reply of an engine, as it was received."""

    content: bytes
    fetched: datetime

    @property
    def age(self) -> float:
        """Days since it was received."""
        return (datetime.now(UTC) - self.fetched).total_seconds() / 86400


class ReplyCache:
    """The replies to queries, by the fingerprint of an engine and the page of its results.

    Where the folder cannot be written to, nothing is stored. A row that is no reply, or a damaged one, counts
    as missing: the engine is asked again.

    >>> cache = ReplyCache(getfixture("tmp_path"))
    >>> cache.put("f1", "nasa", 0, b'{"results": []}')
    >>> cache.get("f1", "nasa", 0).content, cache.get("f1", "nasa", 1)
    (b'{"results": []}', None)
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / REPLIES
        self._lock = Lock()
        self._connection: Connection | None = None
        self._pid = 0

    def get(self, engine: str, query: str, page: int) -> Reply | None:
        """The reply that is stored; None if there is none."""
        with self._reading() as connection:
            row = (
                connection
                and connection.execute(
                    f"SELECT {_COLUMNS} FROM replies WHERE engine = ? AND query = ? AND page = ?",
                    [engine, query, page],
                ).fetchone()
            )
        if not row or row[5] != _checksum(*row[:5]):
            return None
        try:
            return Reply(_unpacked(row[4]), _time(row[3]))
        except (ValueError, TypeError, zstandard.ZstdError):  # of a workspace that somebody else made
            return None

    def put(self, engine: str, query: str, page: int, content: bytes, settings: str = "") -> None:
        """Store a reply; `settings` says what the fingerprint of the engine stands for."""
        fetched = datetime.now(UTC).isoformat(timespec="seconds")
        row = engine, query, page, fetched, zstandard.ZstdCompressor().compress(content)
        with self._translated(), self._lock:
            if not (connection := self._writable()):
                return
            connection.execute("INSERT OR REPLACE INTO engines VALUES (?, ?)", [engine, settings])
            connection.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)", [*row, _checksum(*row)]
            )
            connection.commit()

    def info(self, engine: str) -> tuple[int, str]:
        """The number of replies of an engine, and when the oldest was received."""
        with self._reading() as connection:
            found = (
                connection
                and connection.execute(
                    "SELECT count(*), min(fetched) FROM replies WHERE engine = ?", [engine]
                ).fetchone()
            )
        return (found[0], found[1] or "") if found else (0, "")

    @contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        with self._translated():
            if not self.path.exists():
                yield None
            elif is_writable(self.path) and is_writable(self.path.parent):
                with self._lock:
                    yield self._writable()
            else:
                with open_read_only(self.path) as connection:
                    self._check_tables(connection)
                    yield connection

    def _writable(self) -> Connection | None:
        """The connection of this process; SQLite forbids its use in a forked one."""
        if self._connection is None or self._pid != os.getpid() or not self.path.exists():
            create_folder(self.path.parent) if not self.path.parent.exists() else None
            if not is_writable(self.path.parent):
                return None
            if self.path.is_symlink():
                raise WorkspaceError(
                    f"{self.path} is a symbolic link, which is not followed; next: remove it"
                )
            create_database(self.path, _create_tables)
            connection = sqlite3.connect(self.path, BUSY_TIMEOUT, check_same_thread=False)
            self._check_tables(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            self._connection, self._pid = connection, os.getpid()
            finalize(self, connection.close)
        return self._connection

    def _check_tables(self, connection: Connection) -> None:
        if (found := read_format(connection)) > FORMAT:
            raise WorkspaceError(
                f"{self.path} has format {found}, this version of querykin reads formats up to {FORMAT}; "
                "next: use the version that wrote it"
            )
        if not _has_tables(connection):
            raise sqlite3.DatabaseError("it is a database of something else")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
            raise WorkspaceError(
                f"cannot use the replies in {self.path}: {error}; next: querykin check says what is damaged; "
                "restore the file from a backup, or move it away to ask again"
            ) from error


def problems(connection: Connection) -> list[str]:
    """What is wrong with the contents of a database of replies."""
    if found := structure_problems(connection):
        return found
    if read_format(connection) != FORMAT or not _has_tables(connection):
        return ["it is a database of something else than replies, or of another version of querykin"]
    rows = connection.execute(f"SELECT {_COLUMNS} FROM replies")
    wrong = (row[1] for row in rows if row[5] != _checksum(*row[:5]))
    return [f"the reply to {query!r}: the checksum is wrong" for query in islice(wrong, MAX_LISTED)]


def _create_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{_TABLES} PRAGMA user_version = {FORMAT}")


def _has_tables(connection: Connection) -> bool:
    """Whether a database has these tables, and nothing else: a view in their place could be without end."""
    found = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")}
    return found == {each.strip() for each in _TABLES.split(";") if each.strip()}


def _unpacked(packed: bytes) -> bytes:
    """The content of a zstd frame, which says its size."""
    if not 0 <= zstandard.frame_content_size(packed) <= MAX_REPLY_BYTES:
        raise ValueError("larger than any reply")
    return zstandard.ZstdDecompressor().decompress(packed)


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("a time without its zone")
    return found


def _checksum(*values: object) -> int:
    """64 bits over the values of a row."""
    digest = blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
