"""Whether a file of judgements is as it was written."""

from pathlib import Path
from sqlite3 import Connection

from querykin.judgements.checksums import wrong_rows
from querykin.judgements.schema import FORMAT, TABLES_BY_FORMAT
from querykin.storage.sqlite_files import MAX_LISTED, database_integrity, read_format, structure_problems


def judgement_integrity(path: Path) -> list[str]:
    """What is wrong with a file of judgements; nothing is written, also not beside it.

    Checks the structure and the indexes (`PRAGMA integrity_check`), references between tables, and the
    checksum of every row. A file that never existed is in order: nothing was judged yet.
    """
    return database_integrity(path, problems)


def problems(connection: Connection) -> list[str]:
    """What is wrong with the contents of a database."""
    if found := structure_problems(connection):
        return found
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
