"""SQLite database of judgements: write-ahead log, one connection per thread, fsync at every commit."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import Connection, Row
from threading import Lock, local
from weakref import WeakSet

from filelock import FileLock

from querykin.errors import WorkspaceError
from querykin.server.judgement_schema import FORMAT, create_or_migrate, read_format
from querykin.storage.atomic_write import create_folder
from querykin.storage.locations import mirror_of
from querykin.storage.store import is_writable

BUSY_TIMEOUT = 30.0  # seconds to wait for a writer in another process


class _Connection(Connection):
    """Subclass that supports weak references."""


class Database:
    """A database file; each thread of each process opens its own connection on first use."""

    def __init__(self, path: Path) -> None:
        self._path, self._write_lock, self._local = path, Lock(), local()
        self._mirror = mirror_of(path)  # a cache, of which other machines see nothing
        self._connections: WeakSet[_Connection] = WeakSet()  # weak: closed with the thread that owns it

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Connection for reading; readers do not block writers."""
        with self._translate_errors():
            yield self._connection()

    @property
    def read_only(self) -> bool:
        """Whether the file cannot be written to; a file that does not exist is then an empty database."""
        return bool(self._mirror) or not is_writable(self._path.parent) or not is_writable(self._path)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Connection in a write transaction: commits at the end of the block, rolls back on an exception."""
        if self.read_only:
            reason, grant = f"{self._path.parent} is not writable", "grant write permission, or "
            if self._mirror:
                reason, grant = f"they are in a local file, and the workspace is at {self._mirror.url}", ""
            raise WorkspaceError(
                f"judgements cannot be stored: {reason}; next: {grant}name a file elsewhere as judgements in "
                "the section server of the settings"
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
        create_folder(self._path.parent)
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
        if not self._path.exists():
            return self._in_memory()
        # A write-ahead log needs a writable folder; without one SQLite reads a file declared immutable.
        connection = _connect(f"{self._path.absolute().as_uri()}?immutable=1")
        if read_format(connection) == FORMAT:
            return connection
        with closing(connection):
            return self._in_memory(connection)

    def _in_memory(self, source: Connection | None = None) -> _Connection:
        """A database in memory: empty, or the contents of a file of an older format."""
        connection = _connect("file::memory:")
        if source:
            source.backup(connection)
        self._create_tables(connection)
        return connection

    def _configure(self, connection: Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        self._create_tables(connection)

    def _create_tables(self, connection: Connection) -> None:
        found = read_format(connection)
        if found > FORMAT:
            raise WorkspaceError(
                f"{self._path} has format {found}, this version of querykin reads formats up to {FORMAT}; "
                "next: use the version that wrote it"
            )
        if found < FORMAT:
            create_or_migrate(connection)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise WorkspaceError(f"cannot access the judgements in {self._path}: {error}") from error


def _connect(uri: str) -> _Connection:
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, factory=_Connection
    )
    connection.row_factory = Row
    return connection
