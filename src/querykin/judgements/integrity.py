"""Whether a file of judgements is as it was written, and reading it where nothing can be written."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryDirectory

from querykin.judgements.checksums import wrong_rows
from querykin.judgements.schema import FORMAT, TABLES_BY_FORMAT, read_format

MAX_LISTED = 20  # problems of one file


def judgement_integrity(path: Path) -> list[str]:
    """What is wrong with a file of judgements; nothing is written, also not beside it.

    Checks the structure and the indexes (`PRAGMA integrity_check`), references between tables, and the
    checksum of every row. A file that does not exist is in order: nothing was judged yet.
    """
    if not path.exists():
        return []
    try:
        with open_read_only(path) as connection:
            return [f"{path}: {line}" for line in problems(connection)]
    except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
        return [" ".join(f"{path}: {error}".split())]


def problems(connection: Connection) -> list[str]:
    """What is wrong with the contents of a database."""
    found = [
        " ".join(line.split()) for (line,) in connection.execute(f"PRAGMA integrity_check({MAX_LISTED})")
    ]
    if found != ["ok"]:
        return [line.removeprefix("*** in database main *** ") for line in found]
    number = read_format(connection)
    if number not in TABLES_BY_FORMAT:
        return [f"it has format {number}, this version of querykin reads formats 1 to {FORMAT}"]
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not TABLES_BY_FORMAT[number] <= tables or not number:
        return ["it is a database of something else than judgements"]
    found = [
        f"{table}, row {row}: refers to {parent}, where the row is missing"
        for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check")
    ]
    if number == FORMAT:
        found += [f"{row}: the checksum is wrong" for row in wrong_rows(connection)]
    return found[:MAX_LISTED]


@contextmanager
def open_read_only(path: Path) -> Iterator[Connection]:
    """A connection that sees every commit and writes nothing beside the file."""
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
                folder = stack.enter_context(TemporaryDirectory(prefix="querykin-judgements-"))
                copy = Path(folder) / path.name
                shutil.copyfile(log, f"{copy}-wal")
                shutil.copyfile(path, copy)
                connection = stack.enter_context(closing(sqlite3.connect(copy)))
            else:
                connection = sqlite3.connect(f"{address}?immutable=1", uri=True)
                stack.enter_context(closing(connection))
        yield connection
