"""Judgements are stored one by one, by concurrent raters and processes."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.judgements.database import Database
from querykin.server.judgement_store import Item, JudgementStore, Progress, Proposal

ITEMS = [
    Item(1, "rose", "tulip", (Proposal("edit", 2, 0.1), Proposal("web-kernel", 1, 0.7))),
    Item(2, "rose", "car", (Proposal("edit", 1, 0.2),)),
    Item(3, "lawn", "mower", (Proposal("web-kernel", 1, 0.9),)),
]


@pytest.fixture
def store(tmp_path):
    store = JudgementStore(tmp_path)
    store.create("garden", "quality", ["edit", "web-kernel"], ITEMS)
    yield store
    store.close()


def grades(store, task="garden"):
    return [(given.rater, given.candidate, given.grade) for given in store.given(task)]


def test_a_task_is_reloaded_with_its_items_and_proposals(store, tmp_path):
    reopened = JudgementStore(tmp_path)
    (task,) = reopened.tasks()
    assert (task.name, task.scale.name, task.measures, task.items) == (
        "garden",
        "quality",
        ("edit", "web-kernel"),
        3,
    )
    assert reopened.items("garden") == ITEMS


def test_raters_progress_independently(store):
    store.record("rose", "tulip", 3, "Ann", "garden")
    store.record("rose", "car", 0, "Ann", "garden")
    store.record("rose", "tulip", 1, "Ben", "garden")
    assert store.next_item("garden", "Ann").candidate == "mower"
    assert store.next_item("garden", "Ben").candidate == "car"
    assert store.progress("garden") == [Progress("Ann", 2, 3), Progress("Ben", 1, 3)]
    store.record("lawn", "mower", 2, "Ann", "garden")
    assert store.next_item("garden", "Ann") is None


def test_a_skipped_pair_returns_at_the_end(store):
    store.record("lawn", "mower", 2, "Ann", "garden")
    assert store.next_item("garden", "Ann", after=1).position == 2
    assert store.next_item("garden", "Ann", after=2).position == 1


def test_a_later_grade_replaces_an_earlier_one_until_undone(store):
    store.record("rose", "tulip", 3, "Ann", "garden")
    store.record("rose", "tulip", 1, "Ann", "garden")
    assert grades(store) == [("Ann", "tulip", 1)]
    assert store.undo("garden", "Ann").grade == 1
    assert grades(store) == [("Ann", "tulip", 3)]
    store.undo("garden", "Ann")
    assert grades(store) == []
    assert store.undo("garden", "Ann") is None


def test_undo_does_not_affect_other_raters(store):
    store.record("rose", "tulip", 3, "Ann", "garden")
    store.record("rose", "tulip", 2, "Ben", "garden")
    store.undo("garden", "Ann")
    assert grades(store) == [("Ben", "tulip", 2)]


def test_a_repeated_grade_is_stored_once(store):
    store.record("rose", "tulip", 3, "Ann", "garden")
    store.record("rose", "tulip", 3, "Ann", "garden")
    store.undo("garden", "Ann")
    assert grades(store) == []


def test_an_unknown_task_accepts_any_pair_and_number(store):
    store.record("a", "b", 0.5, "shop", "thumbs")
    assert grades(store, "thumbs") == [("shop", "b", 0.5)]
    assert store.progress("thumbs") == [Progress("shop", 1, 0)]
    assert store.task("thumbs").scale.name == "numbers"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rose", "tulip", 7, "Ann", "garden"), r"3 \(Excellent\).*got 7"),
        (("rose", "tulip", float("nan"), "Ann", "thumbs"), "finite"),
        (("rose", "boat", 1, "Ann", "garden"), "does not contain the pair 'rose' and 'boat'"),
        (("rose", "tulip", 1, "  ", "garden"), "rater needs a name"),
        (("rose", "tulip", 1, "Ann", "x" * 201), "task needs a name"),
        ((" ", "tulip", 1, "Ann", "thumbs"), "empty"),
    ],
)
def test_an_invalid_judgement_is_rejected_and_stores_nothing(store, arguments, message):
    with pytest.raises(InputError, match=message):
        store.record(*arguments)
    assert grades(store) == []
    assert [task.name for task in store.tasks()] == ["garden"]


def test_a_task_needs_a_new_name_a_known_scale_and_items(store):
    with pytest.raises(InputError, match="already"):
        store.create("garden", "quality", [], ITEMS)
    with pytest.raises(UnknownName, match="did you mean 'quality'"):
        store.create("other", "qualities", [], ITEMS)
    with pytest.raises(InputError, match="nothing to judge"):
        store.create("other", "quality", [], [])
    with pytest.raises(UnknownName, match="did you mean 'garden'"):
        store.task("gardn")


def test_concurrent_threads_lose_nothing(store):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: store.record("q", f"c{n}", n, f"r{n % 3}", "free"), range(60)))
    assert sorted(grade for _, _, grade in grades(store, "free")) == list(range(60))


WRITER = """
import sys
from pathlib import Path
from querykin.server.judgement_store import JudgementStore
store, rater = JudgementStore(Path(sys.argv[1])), sys.argv[2]
for number in range(10_000):
    store.record("q", f"c{number}", number, rater, "free")
    print(number, flush=True)
"""


def test_killed_processes_lose_nothing_that_was_acknowledged(tmp_path):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), rater], stdout=subprocess.PIPE, text=True
        )
        for rater in ("Ann", "Ben")
    ]
    try:
        acknowledged = [[writer.stdout.readline() for _ in range(25)] for writer in writers]
        time.sleep(0.05)
    finally:
        for writer in writers:
            os.kill(writer.pid, signal.SIGKILL)
    acknowledged = [
        lines + writer.communicate()[0].splitlines()
        for lines, writer in zip(acknowledged, writers, strict=True)
    ]
    stored = {(given.rater, int(given.grade)) for given in JudgementStore(tmp_path).given("free")}
    for rater, lines in zip(("Ann", "Ben"), acknowledged, strict=True):
        assert {(rater, int(line)) for line in lines} <= stored


def test_another_format_or_a_corrupted_file_is_an_error(tmp_path):
    with sqlite3.connect(tmp_path / "judgements.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(WorkspaceError, match="format 99"):
        JudgementStore(tmp_path).tasks()
    (tmp_path / "judgements.db").write_bytes(b"not a database " * 100)
    with pytest.raises(WorkspaceError, match="cannot access the judgements"):
        JudgementStore(tmp_path).tasks()


def test_a_reader_does_not_block_writers(tmp_path):
    database = Database(tmp_path / "judgements.db")

    def write(name):
        with database.transaction() as connection:
            connection.execute(
                "INSERT INTO tasks (name, scale, measures, created) VALUES (?, 'quality', '[]', '')", [name]
            )

    write("first")
    with database.read() as connection, ThreadPoolExecutor(1) as thread:
        cursor = connection.execute("SELECT name FROM tasks")
        thread.submit(write, "second").result(timeout=10)
        assert [row["name"] for row in cursor] == ["first"]
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM tasks").fetchone()[0] == 2
    database.close()


def test_a_failed_transaction_is_rolled_back(tmp_path):
    database = Database(tmp_path / "judgements.db")
    with pytest.raises(WorkspaceError, match="UNIQUE"), database.transaction() as connection:
        connection.executemany(
            "INSERT INTO tasks (name, scale, measures, created) VALUES (?, 'quality', '[]', '')",
            [("same",), ("same",)],
        )
    with database.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM tasks").fetchone()[0] == 0
    database.close()
