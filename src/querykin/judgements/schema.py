"""Tables of the judgement database, and the migration of older files."""

from sqlite3 import Connection
from unicodedata import normalize

from querykin.judgements.checksums import TABLES, write_all
from querykin.storage.sqlite_files import read_format

FORMAT = 3
TABLES_BY_FORMAT = {  # 0 is an empty file
    0: frozenset[str](),
    1: frozenset(TABLES) - {"raters", "needs"},
    2: frozenset(TABLES),
    3: frozenset(TABLES),
}
_JUDGEMENTS = """
CREATE TABLE judgements (
  id INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL REFERENCES tasks, query TEXT NOT NULL,
  candidate TEXT NOT NULL, rater TEXT NOT NULL, grade REAL, at TEXT NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0, note TEXT NOT NULL DEFAULT ''
);
CREATE INDEX by_pair ON judgements (task, rater, query, candidate, undone);
"""
_RATERS_AND_NEEDS = """
CREATE TABLE raters (key TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE needs (
  task TEXT NOT NULL REFERENCES tasks, query TEXT NOT NULL, need TEXT NOT NULL, PRIMARY KEY (task, query)
);
"""
_TABLES = f"""
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
{_JUDGEMENTS}{_RATERS_AND_NEEDS}"""
# SQLite cannot drop NOT NULL from a column, so the table is copied.
_FROM_1 = f"""
DROP INDEX by_pair;
ALTER TABLE judgements RENAME TO judgements_1;
{_JUDGEMENTS}
INSERT INTO judgements (id, task, query, candidate, rater, grade, at, undone)
  SELECT id, task, query, candidate, rater, grade, at, undone FROM judgements_1 ORDER BY id;
DROP TABLE judgements_1;
{_RATERS_AND_NEEDS}"""


def create_or_migrate(connection: Connection) -> None:
    """Bring an empty database, or one of an older format, to the current format in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = read_format(connection)
        if found == 0:
            _run(connection, _TABLES)
        elif found == 1:
            _run(connection, _FROM_1)
            _merge_raters(connection)
        if found < 3:
            for table in TABLES:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER")
            write_all(connection)
        if found < FORMAT:
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def rater_key(name: str) -> str:
    """What names of the same rater have in common, whatever their case.

    >>> rater_key("ANNA") == rater_key("anna")
    True
    """
    return normalize("NFKC", name).casefold()


def _run(connection: Connection, script: str) -> None:
    for statement in filter(str.strip, script.split(";")):
        connection.execute(statement)


def _merge_raters(connection: Connection) -> None:
    """Spellings of a name that differ in case become the first one."""
    first: dict[str, str] = {}
    names = connection.execute("SELECT rater FROM judgements GROUP BY rater ORDER BY min(id)").fetchall()
    for (name,) in names:
        used = first.setdefault(rater_key(name), name)
        if used != name:
            connection.execute("UPDATE judgements SET rater = ? WHERE rater = ?", [used, name])
    connection.executemany("INSERT INTO raters (key, name) VALUES (?, ?)", first.items())
