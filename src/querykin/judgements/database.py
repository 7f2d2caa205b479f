"""SQLite database of judgements: write-ahead log, one connection per thread, fsync at every commit."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import Connection, Row
from threading import Lock, local
from weakref import WeakSet

from filelock import FileLock, Timeout

from querykin.errors import WorkspaceError
from querykin.judgements.checksums import install
from querykin.judgements.integrity import problems
from querykin.judgements.schema import FORMAT, create_or_migrate
from querykin.storage.atomic_write import create_folder
from querykin.storage.locations import mirror_of
from querykin.storage.lost_files import is_lost, mark_existing, mark_of
from querykin.storage.sqlite_files import (
    BUSY_TIMEOUT,
    PRIVATE,
    create_database,
    open_read_only,
    read_format,
)
from querykin.storage.store import is_writable

MAX_CHECKED = 64 << 20  # bytes of a file that is checked as a whole when a process opens it: within a second
_Identity = tuple[int, ...]


class JudgementsUnavailable(WorkspaceError):
    """The judgements cannot be used now: their file is damaged, or where it belongs is gone."""


class _Connection(Connection):
    """Subclass that supports weak references."""


class Database:
    """A database file; each thread of each process opens its own connection on first use.

    A file that does not exist is an empty database; it is created by the first transaction, unless
    `allow_writing` raises. A file that was replaced is opened again.
    """

    def __init__(self, path: Path, allow_writing: Callable[[], None] = lambda: None) -> None:
        self._path, self._write_lock, self._local = path, Lock(), local()
        self._allow_writing = allow_writing
        self._mirror = mirror_of(path)  # a cache, of which other machines see nothing
        self._connections: WeakSet[_Connection] = WeakSet()  # weak: closed with the thread that owns it
        self._checked: _Identity | None = None  # the file that this process has checked as a whole

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Connection for reading; readers do not block writers."""
        with self._translate_errors():
            yield self._connection(self._identity())

    @property
    def read_only(self) -> bool:
        """Whether the file cannot be written to; a file that does not exist is then an empty database."""
        return bool(self._mirror) or not is_writable(self._path.parent) or not is_writable(self._path)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Connection in a write transaction: commits at the end of the block, rolls back on an exception."""
        self._allow_writing()
        if self.read_only:
            reason, grant = f"{self._path.parent} is not writable", "grant write permission, or "
            if self._mirror:
                reason, grant = f"they are in a local file, and the workspace is at {self._mirror.url}", ""
            raise WorkspaceError(
                f"judgements cannot be stored: {reason}; next: {grant}name a file elsewhere as judgements in "
                "the section server of the settings"
            )
        with self._translate_errors(), self._write_lock:
            connection = self._connection(self._identity() or self._create())
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
        self._connections, self._local, self._checked = WeakSet(), local(), None

    def _identity(self) -> _Identity | None:
        """What distinguishes a file from another that took its place; None if there is none.

        Where it cannot be written, a copy is read: then also what changes with its contents.
        """
        found = _stamp(self._path)
        if found is None:
            return None
        return (*found, *(_stamp(Path(f"{self._path}-wal")) or ())) if self.read_only else found[:2]

    def _create(self) -> _Identity | None:
        """Create the file with its tables."""
        create_folder(self._path.parent)
        self._refuse_lost()

        def fill(draft: Path) -> None:
            with closing(_connect(f"{draft.absolute().as_uri()}?mode=rw")) as connection:
                create_or_migrate(connection)

        create_database(self._path, fill)
        return self._identity()

    def _connection(self, file: _Identity | None) -> Connection:
        """Connection of this thread; SQLite forbids its use in a forked process, so the pid is checked."""
        wanted = os.getpid(), file
        if getattr(self._local, "opened", None) != wanted:
            self._forget_connection()
            connection = self._open(file)
            self._local.connection, self._local.opened = connection, wanted
            self._connections.add(connection)
        found: Connection = self._local.connection
        return found

    def _forget_connection(self) -> None:
        opened = getattr(self._local, "opened", None)
        if opened and opened[0] == os.getpid():
            self._local.connection.close()
        self._local.opened = None

    def _open(self, file: _Identity | None) -> _Connection:
        if file is None:
            self._refuse_lost()
            return self._in_memory()
        if self.read_only:
            return self._copy_to_memory()
        connection = _connect(f"{self._path.absolute().as_uri()}?mode=rw")
        try:
            # The busy timeout ignores changes of journal_mode.
            with FileLock(f"{self._path}.lock", BUSY_TIMEOUT, mode=PRIVATE):
                self._check(connection, file)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
                self._create_tables(connection)
            mark_existing(self._path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _copy_to_memory(self) -> _Connection:
        """The contents of a file that cannot be written, in the current format."""
        connection = _connect("file::memory:")
        with open_read_only(self._path) as source:
            source.backup(connection)
        self._check(connection, None)
        self._create_tables(connection)
        return connection

    def _in_memory(self) -> _Connection:
        connection = _connect("file::memory:")
        self._create_tables(connection)
        return connection

    def _check(self, connection: Connection, file: _Identity | None) -> None:
        """Check a file as a whole, once in a process; of a large one, rows are checked when they are read."""
        if read_format(connection) > FORMAT:
            return  # it is refused with the format it has
        if (file is None or file != self._checked) and self._path.stat().st_size <= MAX_CHECKED:
            if found := problems(connection):
                raise self._damaged(found[0])
            self._checked = file

    def _create_tables(self, connection: Connection) -> None:
        found = read_format(connection)
        if found > FORMAT:
            raise WorkspaceError(
                f"{self._path} has format {found}, this version of querykin reads formats up to {FORMAT}; "
                "next: use the version that wrote it"
            )
        if found < FORMAT:
            create_or_migrate(connection)
        install(connection)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError, OSError, Timeout) as error:
            self._forget_connection()
            self._checked = None
            reason = " ".join(str(error).split()).replace(_RAISED, "a row has a wrong checksum")
            if _is_damage(error):
                raise self._damaged(reason) from error
            raise JudgementsUnavailable(
                f"cannot access the judgements in {self._path}: {reason}; next: try again, or see the log of "
                "the system"
            ) from error

    def _refuse_lost(self) -> None:
        """Raise an error if there was a file once."""
        if is_lost(self._path):
            raise JudgementsUnavailable(
                f"cannot access the judgements in {self._path}: the file is missing; next: restore it from a "
                f"backup (querykin restore), or delete {mark_of(self._path)} to begin without judgements"
            )

    def _damaged(self, what: str) -> JudgementsUnavailable:
        return JudgementsUnavailable(
            f"cannot access the judgements in {self._path}: the file is damaged ({what}); next: restore it "
            "from a backup (querykin restore), or move it and "
            f"{mark_of(self._path).name} away to begin without judgements"
        )


_RAISED = "user-defined function raised exception"


def _is_damage(error: Exception) -> bool:
    """Whether a file is corrupt: SQLite raises the base class then; subclasses are for locks and disks."""
    damaged = type(error) is sqlite3.DatabaseError or isinstance(error, UnicodeDecodeError)
    return damaged or _RAISED in str(error) or "Could not decode to UTF-8" in str(error)


def _stamp(path: Path) -> _Identity | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _connect(uri: str) -> _Connection:
    connection = sqlite3.connect(
        uri, BUSY_TIMEOUT, uri=True, isolation_level=None, check_same_thread=False, factory=_Connection
    )
    connection.row_factory = Row
    return connection
