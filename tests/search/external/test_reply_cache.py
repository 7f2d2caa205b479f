"""Stored replies are private, checked and usable by several threads and processes."""

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest
import zstandard

from querykin.errors import WorkspaceError
from querykin.io.limits import MAX_REPLY_BYTES
from querykin.search.external.reply_cache import REPLIES, ReplyCache, _checksum, problems
from querykin.storage.sqlite_files import database_integrity


def put(folder, number):
    ReplyCache(folder).put("f", f"query {number}", 0, b'{"n": %d}' % number)


def test_replies_are_compressed_and_private(tmp_path):
    cache = ReplyCache(tmp_path / "workspace")
    cache.put("f", "nasa", 0, b"[" + b"1," * 10_000 + b"1]", "kind=mediawiki")
    assert cache.get("f", "nasa", 0).content.startswith(b"[1,1,")
    assert cache.get("f", "nasa", 0).age < 1
    assert cache.get("g", "nasa", 0) is None
    for file in (tmp_path / "workspace").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert cache.info("f")[0] == 1
    (size,) = sqlite3.connect(cache.path).execute("SELECT length(reply) FROM replies").fetchone()
    assert size < 200


def test_threads_and_processes_write_together(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        cache = ReplyCache(tmp_path)
        list(pool.map(lambda number: cache.put("f", f"query {number}", 0, b"{}"), range(40)))
    context = get_context("fork")
    children = [context.Process(target=put, args=(tmp_path, number)) for number in range(40, 44)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert ReplyCache(tmp_path).info("f")[0] == 44
    assert ReplyCache(tmp_path).get("f", "query 41", 0).content == b'{"n": 41}'


def test_a_damaged_row_is_found_and_counts_as_missing(tmp_path):
    cache = ReplyCache(tmp_path)
    for query in ("nasa", "esa"):
        cache.put("f", query, 0, b'{"query": {}}')
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE replies SET fetched = '2001-01-01T00:00:00+00:00' WHERE query = 'nasa'")
    connection.close()
    assert cache.get("f", "nasa", 0) is None
    assert cache.get("f", "esa", 0)
    assert database_integrity(cache.path, problems) == [
        f"{cache.path}: the reply to 'nasa': the checksum is wrong"
    ]


PACKED = zstandard.compress(b"{}")
NOW = "2026-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("reply", "fetched"),
    [
        (zstandard.compress(bytes(MAX_REPLY_BYTES + 1)), NOW),
        (b"no frame", NOW),
        ("text", NOW),
        (7, NOW),
        (PACKED, "yesterday"),
        (PACKED, "2026-01-01"),
        (PACKED, 5),
    ],
)
def test_rows_that_are_no_replies_count_as_missing_though_their_checksums_are_right(tmp_path, reply, fetched):
    cache = ReplyCache(tmp_path)
    cache.put("f", "esa", 0, b"{}")
    row = "f", "nasa", 0, fetched, reply
    with sqlite3.connect(cache.path) as connection:
        connection.execute("INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?)", [*row, _checksum(*row)])
    connection.close()
    assert cache.get("f", "nasa", 0) is None
    assert cache.get("f", "esa", 0)


def test_a_file_is_created_whole_and_an_empty_one_is_damaged(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("querykin.storage.sqlite_files.os.replace", stop)
    with pytest.raises(KeyboardInterrupt):
        ReplyCache(tmp_path).put("f", "nasa", 0, b"{}")
    assert database_integrity(tmp_path / REPLIES, problems) == []
    (tmp_path / REPLIES).touch()
    assert "something else" in database_integrity(tmp_path / REPLIES, problems)[0]
    with pytest.raises(WorkspaceError, match="something else"):
        ReplyCache(tmp_path).get("f", "nasa", 0)


def test_a_view_without_end_in_place_of_a_table_is_refused(tmp_path):
    ReplyCache(tmp_path).put("f", "nasa", 0, b"{}")
    with sqlite3.connect(tmp_path / REPLIES) as connection:
        connection.execute("DROP TABLE replies")
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
        columns = "'' AS engine, '' AS query, 0 AS page, '' AS fetched, '' AS reply, 0 AS checksum"
        connection.execute(f"CREATE VIEW replies AS {endless} SELECT {columns} FROM n")
    connection.close()
    with pytest.raises(WorkspaceError, match="something else"):
        ReplyCache(tmp_path).get("f", "nasa", 0)
    assert "something else" in database_integrity(tmp_path / REPLIES, problems)[0]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_the_check_does_not_wait_for_what_is_no_file(tmp_path, make):
    make(tmp_path / REPLIES)
    assert database_integrity(tmp_path / REPLIES, problems) == [
        f"{tmp_path / REPLIES}: it is not a regular file"
    ]


def test_a_file_of_something_else_is_one_line(tmp_path):
    (tmp_path / REPLIES).write_bytes(b"not a database at all")
    with pytest.raises(WorkspaceError, match=r"cannot use the replies in .* next: querykin check"):
        ReplyCache(tmp_path).get("f", "nasa", 0)


def test_a_newer_format_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / REPLIES)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(WorkspaceError, match="has format 99, this version of querykin reads formats up to 1"):
        ReplyCache(tmp_path).get("f", "nasa", 0)


def test_a_folder_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    ReplyCache(tmp_path).put("f", "nasa", 0, b"{}")
    monkeypatch.setattr("querykin.search.external.reply_cache.is_writable", lambda path: False)
    cache = ReplyCache(tmp_path)
    assert cache.get("f", "nasa", 0).content == b"{}"
    cache.put("f", "esa", 0, b"{}")
    assert cache.get("f", "esa", 0) is None


def test_locks_are_kept_when_the_file_is_opened_twice_in_one_process(tmp_path):
    first, second = ReplyCache(tmp_path), ReplyCache(tmp_path)
    first.put("f", "nasa", 0, b"1")
    assert second.get("f", "nasa", 0)
    other = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM replies'); c.close()"
    )
    subprocess.run([sys.executable, "-c", other, str(tmp_path / REPLIES)], check=True)
    assert (tmp_path / f"{REPLIES}-wal").exists()  # the last connection to close would delete it
    second.put("f", "esa", 0, b"2")
    assert first.get("f", "esa", 0)


def test_a_symbolic_link_is_not_followed(tmp_path):
    (tmp_path / REPLIES).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="symbolic link"):
        ReplyCache(tmp_path).put("f", "nasa", 0, b"1")
    assert not (tmp_path / "elsewhere").exists()


def test_nor_is_one_in_place_of_the_lock(tmp_path):
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / f"{REPLIES}.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="symbolic links"):
        ReplyCache(tmp_path).put("f", "nasa", 0, b"1")
    assert (tmp_path / "elsewhere").read_text() == "precious"
