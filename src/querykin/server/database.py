"""SQLite database of judgements: write-ahead log, one connection per thread, fsync at every commit."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection, Row
from threading import Lock, local
from weakref import WeakSet

from filelock import FileLock

from querykin.errors import WorkspaceError
from querykin.storage.store import is_writable

FORMAT = 1
BUSY_TIMEOUT = 30.0  # seconds to wait for a writer in another process
_TABLES = """
CREATE TABLE tasks (
  name TEXT PRIMARY KEY, scale TEXT NOT NULL, measures TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE items (
  id INTEGER PRIMARY KEY, task TEXT NOT NULL REFERENCES tasks, place INTEGER NOT NULL,
  query TEXT NOT NULL, candidate TEXT NOT NULL, UNIQUE (task, query, candidate)
);
CREATE TABLE proposals (
  item INTEGER NOT NULL REFERENCES items, measure TEXT NOT NULL, rank INTEGER NOT NULL, score REAL NOT NULL,
  PRIMARY KEY (item, measure)
);
CREATE TABLE judgements (
  id INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL REFERENCES tasks, query TEXT NOT NULL,
  candidate TEXT NOT NULL, rater TEXT NOT NULL, grade REAL NOT NULL, at TEXT NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX by_pair ON judgements (task, rater, query, candidate, undone);
"""


class _Connection(Connection):
    """Subclass that supports weak references."""


class Database:
    """A database file; each thread of each process opens its own connection on first use."""

    def __init__(self, path: Path) -> None:
        self._path, self._write_lock, self._local = path, Lock(), local()
        self._connections: WeakSet[_Connection] = WeakSet()  # weak: closed with the thread that owns it

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Connection for reading; readers do not block writers."""
        with self._translate_errors():
            yield self._connection()

    @property
    def read_only(self) -> bool:
        """Whether the file cannot be written to; a file that does not exist is then an empty database."""
        return not is_writable(self._path.parent) or not is_writable(self._path)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Connection in a write transaction: commits at the end of the block, rolls back on an exception."""
        if self.read_only:
            raise WorkspaceError(
                f"judgements cannot be stored: {self._path.parent} is not writable; next: grant write "
                "permission, or name a file elsewhere as judgements in the section server of the settings"
            )
        with self._translate_errors(), self._write_lock:
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        for connection in list(self._connections):
            connection.close()
        self._connections, self._local = WeakSet(), local()

    def _connection(self) -> Connection:
        """Connection of this thread; SQLite forbids its use in a forked process, so the pid is checked."""
        if getattr(self._local, "pid", None) != os.getpid():
            opened = self._open()
            self._local.connection, self._local.pid = opened, os.getpid()
            self._connections.add(opened)
        connection: Connection = self._local.connection
        return connection

    def _open(self) -> _Connection:
        if self.read_only:
            return self._open_read_only()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            self._path, BUSY_TIMEOUT, isolation_level=None, check_same_thread=False, factory=_Connection
        )
        try:
            connection.row_factory = Row
            with FileLock(
                f"{self._path}.lock", BUSY_TIMEOUT
            ):  # the busy timeout ignores journal_mode changes
                self._configure(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_read_only(self) -> _Connection:
        """Connection to a file that nobody can write to, or to an empty database in memory."""
        # A write-ahead log needs a writable folder; without one SQLite reads a file declared immutable.
        source = f"{self._path.absolute().as_uri()}?immutable=1" if self._path.exists() else "file::memory:"
        connection = sqlite3.connect(
            source, uri=True, isolation_level=None, check_same_thread=False, factory=_Connection
        )
        connection.row_factory = Row
        if not self._path.exists():
            self._create_tables(connection)
        return connection

    def _configure(self, connection: Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        self._create_tables(connection)

    def _create_tables(self, connection: Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
        if version not in (0, FORMAT):
            raise WorkspaceError(
                f"{self._path} has format {version}, this version of querykin reads format {FORMAT}; "
                "next: use the version that wrote it"
            )

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise WorkspaceError(f"cannot access the judgements in {self._path}: {error}") from error
