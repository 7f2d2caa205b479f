import sqlite3
from contextlib import closing

import pytest

from querykin.errors import DamagedFile
from querykin.storage.databases import check_database, copy_database


@pytest.fixture
def database(tmp_path):
    """A database in a folder of its own, with a write-ahead log while it is open."""
    path = tmp_path / "data" / "some.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE numbers (n INTEGER)")
        connection.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in range(5000)])
        connection.commit()
    return path


def _numbers(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM numbers").fetchone()[0]


def test_a_check_leaves_no_files_behind(database):
    check_database(database)
    assert [each.name for each in database.parent.iterdir()] == ["some.db"]


def test_a_copy_has_what_is_only_in_the_write_ahead_log(database, tmp_path):
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("INSERT INTO numbers VALUES (7)")
        writer.commit()
        writer.execute("INSERT INTO numbers VALUES (8)")  # not committed
        copy_database(database, tmp_path / "copy.db")
        check_database(database)
    assert _numbers(tmp_path / "copy.db") == 5001


def test_damage_is_an_error_that_names_the_file(database, tmp_path):
    content = bytearray(database.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    database.write_bytes(bytes(content))
    for action in (check_database, lambda path: copy_database(path, tmp_path / "copy.db")):
        with pytest.raises(DamagedFile, match=r"some\.db is damaged"):
            action(database)
    database.write_bytes(b"not a database at all")
    with pytest.raises(DamagedFile, match=r"some\.db is damaged"):
        check_database(database)
