"""A checksum in each row of the database of judgements: written by triggers, verified by views.

SQLite notices damage to its structure, not to values: a grade whose bits have changed is a grade. Reads go
through the view `valid_TABLE`, which raises at a row whose checksum is wrong. Triggers and views are
temporary: they exist on the connections of this program only, so that other programs can read the file.
"""

from hashlib import blake2b
from sqlite3 import Connection

TABLES = {  # the columns that a checksum covers
    "tasks": ("name", "scale", "measures", "created"),
    "items": ("id", "task", "place", "query", "candidate"),
    "proposals": ("item", "measure", "rank", "score"),
    "judgements": ("id", "task", "query", "candidate", "rater", "grade", "at", "undone", "note"),
    "raters": ("key", "name"),
    "needs": ("task", "query", "need"),
}
_Value = str | float | bytes | None


def row_checksum(table: str, *values: _Value) -> int:
    """64 bits over the name of a table and the values of a row."""
    digest = blake2b(repr((table, *values)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def is_valid(checksum: int | None, table: str, *values: _Value) -> bool:
    """Whether a row is as it was written."""
    return checksum == row_checksum(table, *values)


def install(connection: Connection) -> None:
    """Define the triggers and views of a connection; its tables must have the current format."""
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    connection.create_function("valid_row", -1, _check, deterministic=True)
    connection.execute("PRAGMA temp_store = MEMORY")
    for table, columns in TABLES.items():
        connection.execute(_view(table, columns))
        connection.execute(_trigger(table, columns, "INSERT"))
        connection.execute(_trigger(table, columns, f"UPDATE OF {', '.join(columns)}"))


def write_all(connection: Connection) -> None:
    """Write the checksums of all rows, which have none yet."""
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    for table, columns in TABLES.items():
        connection.execute(f"UPDATE {table} SET checksum = row_checksum('{table}', {', '.join(columns)})")


def wrong_rows(connection: Connection) -> list[str]:
    """The rows whose checksum is wrong, as `judgements, row 7`."""
    connection.create_function("is_valid", -1, is_valid, deterministic=True)
    return [
        f"{table}, row {row}"
        for table, columns in TABLES.items()
        for (row,) in connection.execute(
            f"SELECT rowid FROM {table} WHERE NOT is_valid(checksum, '{table}', {', '.join(columns)})"
        )
    ]


def _check(*arguments: _Value) -> bool:
    if not is_valid(*arguments):  # type: ignore[arg-type]
        raise ValueError("wrong checksum")
    return True


def _view(table: str, columns: tuple[str, ...]) -> str:
    # Looked up once more: in a plain term, SQLite may put constants of the query in place of columns.
    values = ", ".join(f"same.{column}" for column in columns)
    checked = (
        f"(SELECT valid_row(same.checksum, '{table}', {values}) FROM {table} AS same "
        f"WHERE same.rowid = {table}.rowid)"
    )
    if "undone" not in columns:
        return f"CREATE TEMP VIEW valid_{table} AS SELECT {', '.join(columns)} FROM {table} WHERE {checked}"
    # A row is checked before a query leaves it out as undone.
    shown = [
        f"CASE WHEN {checked} THEN undone END AS undone" if each == "undone" else each for each in columns
    ]
    return f"CREATE TEMP VIEW valid_{table} AS SELECT {', '.join(shown)} FROM {table}"


def _trigger(table: str, columns: tuple[str, ...], event: str) -> str:
    new = ", ".join(f"NEW.{column}" for column in columns)
    return (
        f"CREATE TEMP TRIGGER checksum_{table}_{event[:6]} AFTER {event} ON main.{table} BEGIN "
        f"UPDATE {table} SET checksum = row_checksum('{table}', {new}) WHERE rowid = NEW.rowid; END"
    )
