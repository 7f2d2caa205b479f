"""How is a click kept? SQLite with a write-ahead log, forced to disk with every transaction."""

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

FORMAT = 1
BUSY_TIMEOUT = 30.0  # seconds to wait for another process that is writing
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
    """One that can be referred to without being kept."""


class Database:
    """One file, opened when it is first needed, by each thread and process for itself."""

    def __init__(self, path: Path) -> None:
        self._path, self._turn, self._mine = path, Lock(), local()
        self._opened: WeakSet[_Connection] = WeakSet()  # those of threads that are gone go with them

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """The rows as they are now; a long look keeps nobody from writing."""
        with self._explained():
            yield self._connection()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: on disk when the block ends, undone when it fails."""
        with self._explained(), self._turn:
            rows = self._connection()
            rows.execute("BEGIN IMMEDIATE")
            try:
                yield rows
                rows.execute("COMMIT")
            finally:
                if rows.in_transaction:
                    rows.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        for rows in list(self._opened):
            rows.close()
        self._opened, self._mine = WeakSet(), local()

    def _connection(self) -> Connection:
        """A connection must not be carried into a forked process."""
        if getattr(self._mine, "process", None) != os.getpid():
            rows = self._open()
            self._mine.rows, self._mine.process = rows, os.getpid()
            self._opened.add(rows)
        found: Connection = self._mine.rows
        return found

    def _open(self) -> _Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        rows = sqlite3.connect(
            self._path, BUSY_TIMEOUT, isolation_level=None, check_same_thread=False, factory=_Connection
        )
        try:
            rows.row_factory = Row
            with FileLock(f"{self._path}.lock", BUSY_TIMEOUT):  # SQLite does not wait for a change of journal
                self._prepare(rows)
        except BaseException:
            rows.close()
            raise
        return rows

    def _prepare(self, rows: Connection) -> None:
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute("PRAGMA synchronous = FULL")
        rows.execute("PRAGMA foreign_keys = ON")
        rows.execute("BEGIN IMMEDIATE")
        (version,) = rows.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in filter(str.strip, _TABLES.split(";")):
                rows.execute(statement)
            rows.execute(f"PRAGMA user_version = {FORMAT}")
        rows.execute("COMMIT")
        if version not in (0, FORMAT):
            raise WorkspaceError(
                f"{self._path} has format {version}; this version reads {FORMAT}: use the one that wrote it"
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise WorkspaceError(f"cannot keep judgements in {self._path}: {error}") from error
