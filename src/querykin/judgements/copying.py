"""A copy of a database of judgements, made while others write to it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from querykin.errors import DamagedFile
from querykin.judgements.integrity import open_read_only, problems

_SHOWN = 3  # problems in an error


def copy_database(path: Path, target: Path) -> None:
    """Copy one state of a database to a new file; DamagedFile if it is damaged."""
    try:
        with open_read_only(path) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
            if found := problems(copy):
                raise DamagedFile(path, "; ".join(found[:_SHOWN]))
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a write-ahead log
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DamagedFile(path, str(error)) from error


def write_ahead_files(path: Path) -> list[Path]:
    """The files that SQLite keeps beside a database; they belong to it and to no other."""
    return [path.with_name(f"{path.name}-{suffix}") for suffix in ("wal", "shm", "journal")]
