"""How is a click kept? SQLite with a write-ahead log, forced to disk with every transaction."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection, Row
from threading import RLock

from querykin.errors import WorkspaceError

FORMAT = 1
PATIENCE = 30.0  # seconds to wait for another process that is writing
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


class Database:
    """One file, opened when it is first needed, by each process for itself."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, RLock()
        self._opened: tuple[int, Connection] | None = None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """The rows as they are now."""
        with self._lock, self._explained():
            yield self._connection()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: on disk when the block ends, undone when it fails."""
        with self._lock, self._explained():
            rows = self._connection()
            rows.execute("BEGIN IMMEDIATE")
            try:
                yield rows
            except BaseException:
                rows.execute("ROLLBACK")
                raise
            rows.execute("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._opened and self._opened[0] == os.getpid():
                self._opened[1].close()
            self._opened = None

    def _connection(self) -> Connection:
        """A connection must not be carried into a forked process."""
        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = os.getpid(), self._open()
        return self._opened[1]

    def _open(self) -> Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        rows = sqlite3.connect(self._path, PATIENCE, isolation_level=None, check_same_thread=False)
        rows.row_factory = Row
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
            rows.close()
            raise WorkspaceError(
                f"{self._path} has format {version}; this version reads {FORMAT}: use the one that wrote it"
            )
        return rows

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise WorkspaceError(f"cannot keep judgements in {self._path}: {error}") from error
