"""SQLite files: created whole, read where nothing can be written, and copied while others write to them."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from errno import EACCES
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryDirectory
from threading import get_ident

from filelock import FileLock

from querykin.errors import DamagedFile
from querykin.storage.atomic_write import sync_to_disk
from querykin.storage.lost_files import is_lost

BUSY_TIMEOUT = 30.0  # seconds to wait for a writer in another process
PRIVATE = 0o600  # who asked or judged what is nobody else's business; -wal and -shm get the mode of the file
MAX_LISTED = 20  # problems of one file
_SHOWN = 3  # problems in an error


def create_database(path: Path, fill: Callable[[Path], None]) -> None:
    """Create a private file with the tables that `fill` makes, in one step: an empty one is damaged."""
    with FileLock(f"{path}.lock", BUSY_TIMEOUT, mode=PRIVATE):
        if path.exists():
            return
        draft = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}")
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
        fill(draft)
        sync_to_disk(draft)
        os.replace(draft, path)
        sync_to_disk(path.parent)


def read_format(connection: Connection) -> int:
    """The format of a database; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def structure_problems(connection: Connection) -> list[str]:
    """What is wrong with the structure and the indexes of a database."""
    found = [
        " ".join(line.split()) for (line,) in connection.execute(f"PRAGMA integrity_check({MAX_LISTED})")
    ]
    return [] if found == ["ok"] else [line.removeprefix("*** in database main *** ") for line in found]


@contextmanager
def open_read_only(path: Path) -> Iterator[Connection]:
    """A connection that sees every commit and writes nothing beside the file."""
    if not path.is_file():  # to open a named pipe would wait without end
        raise sqlite3.DatabaseError("it is not a regular file")
    if not os.access(path, os.R_OK):  # SQLite's error does not say that
        raise PermissionError(EACCES, os.strerror(EACCES), str(path))
    log = Path(f"{path}-wal")
    with ExitStack() as stack:
        address = path.absolute().as_uri()
        try:
            # With other processes at work: their locks are respected.
            connection = stack.enter_context(closing(sqlite3.connect(f"{address}?mode=ro", uri=True)))
            read_format(connection)
        except sqlite3.OperationalError:
            if log.exists() and log.stat().st_size:
                # SQLite reads a write-ahead log only where it can write beside it; a copy has all commits.
                folder = stack.enter_context(TemporaryDirectory(prefix="querykin-sqlite-"))
                copy = Path(folder) / path.name
                shutil.copyfile(log, f"{copy}-wal")
                shutil.copyfile(path, copy)
                connection = stack.enter_context(closing(sqlite3.connect(copy)))
            else:
                connection = sqlite3.connect(f"{address}?immutable=1", uri=True)
                stack.enter_context(closing(connection))
        yield connection


def database_integrity(path: Path, problems: Callable[[Connection], list[str]]) -> list[str]:
    """What is wrong with a file by `problems`; nothing is written. One that never existed is in order."""
    if not path.exists():
        return [f"{path}: it is missing"] if is_lost(path) else []
    try:
        with open_read_only(path) as connection:
            return [f"{path}: {line}" for line in problems(connection)]
    except PermissionError:
        raise
    except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
        return [" ".join(f"{path}: {error}".split())]


def copy_database(path: Path, target: Path, problems: Callable[[Connection], list[str]]) -> None:
    """Copy one state of a database to a new file; DamagedFile if `problems` finds any."""
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
