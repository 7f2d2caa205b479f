"""SQLite files: verified, and copied while others write to them."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from querykin.errors import DamagedFile

_TIMEOUT = 30.0  # seconds to wait for a writer
_SHOWN = 3  # messages of SQLite in an error


def check_database(path: Path) -> None:
    """Raise DamagedFile if SQLite finds a database damaged; nothing is written."""
    shared = _write_ahead_log(path).exists()
    try:
        _check_as_it_is(path, shared)
    except DamagedFile:
        if shared or not _write_ahead_log(path).exists():
            raise
        _check_as_it_is(path, shared=True)  # somebody has begun to write to it


def copy_database(path: Path, target: Path) -> None:
    """Copy one state of a database to a new file; DamagedFile if it is damaged."""
    shared = _write_ahead_log(path).exists() or os.access(path.parent, os.W_OK)
    try:
        with closing(_connect(path, shared)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
            _check(copy, path)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a write-ahead log
    except sqlite3.Error as error:
        raise DamagedFile(path, str(error)) from error


def write_ahead_files(path: Path) -> list[Path]:
    """The files that SQLite keeps beside a database; they belong to it and to no other."""
    return [
        _write_ahead_log(path),
        path.with_name(f"{path.name}-shm"),
        path.with_name(f"{path.name}-journal"),
    ]


def _write_ahead_log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _check_as_it_is(path: Path, shared: bool) -> None:
    try:
        with closing(_connect(path, shared)) as connection:
            _check(connection, path)
    except sqlite3.Error as error:
        raise DamagedFile(path, str(error)) from error


def _connect(path: Path, shared: bool) -> sqlite3.Connection:
    """A read-only connection; one that nobody else is expected to write to creates no files beside it."""
    mode = "mode=ro" if shared else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", _TIMEOUT, uri=True)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    if found != ["ok"]:
        raise DamagedFile(path, "; ".join(found[:_SHOWN]).replace("\n", " "))
