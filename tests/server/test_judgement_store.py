"""Judgements are kept click by click, by several raters and processes at once."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from querykin.errors import InputError, UnknownName, WorkspaceError
from querykin.server.database import Database
from querykin.server.judgement_store import Item, JudgementStore, Progress, Proposal

ITEMS = [
    Item(1, "rose", "tulip", (Proposal("edit", 2, 0.1), Proposal("web-kernel", 1, 0.7))),
    Item(2, "rose", "car", (Proposal("edit", 1, 0.2),)),
    Item(3, "lawn", "mower", (Proposal("web-kernel", 1, 0.9),)),
]


@pytest.fixture
def kept(tmp_path):
    kept = JudgementStore(tmp_path)
    kept.create("garden", "quality", ["edit", "web-kernel"], ITEMS)
    yield kept
    kept.close()


def grades(kept, task="garden"):
    return [(given.rater, given.candidate, given.grade) for given in kept.given(task)]


def test_a_task_is_found_again_with_its_items_and_who_proposed_them(kept, tmp_path):
    again = JudgementStore(tmp_path)
    (task,) = again.tasks()
    assert (task.name, task.scale.name, task.measures, task.items) == (
        "garden",
        "quality",
        ("edit", "web-kernel"),
        3,
    )
    assert again.items("garden") == ITEMS


def test_raters_go_through_the_list_each_for_themselves(kept):
    kept.record("rose", "tulip", 3, "Ann", "garden")
    kept.record("rose", "car", 0, "Ann", "garden")
    kept.record("rose", "tulip", 1, "Ben", "garden")
    assert kept.open_item("garden", "Ann").candidate == "mower"
    assert kept.open_item("garden", "Ben").candidate == "car"
    assert kept.progress("garden") == [Progress("Ann", 2, 3), Progress("Ben", 1, 3)]
    kept.record("lawn", "mower", 2, "Ann", "garden")
    assert kept.open_item("garden", "Ann") is None


def test_a_skipped_pair_comes_again_at_the_end(kept):
    kept.record("lawn", "mower", 2, "Ann", "garden")
    assert kept.open_item("garden", "Ann", after=1).place == 2
    assert kept.open_item("garden", "Ann", after=2).place == 1


def test_a_later_grade_replaces_an_earlier_one_and_undo_brings_it_back(kept):
    kept.record("rose", "tulip", 3, "Ann", "garden")
    kept.record("rose", "tulip", 1, "Ann", "garden")
    assert grades(kept) == [("Ann", "tulip", 1)]
    assert kept.undo("garden", "Ann").grade == 1
    assert grades(kept) == [("Ann", "tulip", 3)]
    kept.undo("garden", "Ann")
    assert grades(kept) == []
    assert kept.undo("garden", "Ann") is None


def test_undo_leaves_other_raters_alone(kept):
    kept.record("rose", "tulip", 3, "Ann", "garden")
    kept.record("rose", "tulip", 2, "Ben", "garden")
    kept.undo("garden", "Ann")
    assert grades(kept) == [("Ben", "tulip", 2)]


def test_a_click_sent_twice_is_one_click(kept):
    kept.record("rose", "tulip", 3, "Ann", "garden")
    kept.record("rose", "tulip", 3, "Ann", "garden")
    kept.undo("garden", "Ann")
    assert grades(kept) == []


def test_a_task_nobody_made_takes_any_pair_and_number(kept):
    kept.record("a", "b", 0.5, "shop", "thumbs")
    assert grades(kept, "thumbs") == [("shop", "b", 0.5)]
    assert kept.progress("thumbs") == [Progress("shop", 1, 0)]
    assert kept.task("thumbs").scale.name == "numbers"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("rose", "tulip", 7, "Ann", "garden"), r"3 \(Excellent\).*got 7"),
        (("rose", "tulip", float("nan"), "Ann", "thumbs"), "finite"),
        (("rose", "boat", 1, "Ann", "garden"), "does not hold 'rose' with 'boat'"),
        (("rose", "tulip", 1, "  ", "garden"), "rater needs a name"),
        (("rose", "tulip", 1, "Ann", "x" * 201), "task needs a name"),
        ((" ", "tulip", 1, "Ann", "thumbs"), "empty"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_leaves_nothing(kept, given, said):
    with pytest.raises(InputError, match=said):
        kept.record(*given)
    assert grades(kept) == []
    assert [task.name for task in kept.tasks()] == ["garden"]


def test_a_task_needs_a_new_name_a_known_scale_and_something_to_judge(kept):
    with pytest.raises(InputError, match="already"):
        kept.create("garden", "quality", [], ITEMS)
    with pytest.raises(UnknownName, match="did you mean 'quality'"):
        kept.create("other", "qualities", [], ITEMS)
    with pytest.raises(InputError, match="nothing to judge"):
        kept.create("other", "quality", [], [])
    with pytest.raises(UnknownName, match="did you mean 'garden'"):
        kept.task("gardn")


def test_many_threads_write_at_once_and_nothing_is_lost(kept):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: kept.record("q", f"c{n}", n, f"r{n % 3}", "free"), range(60)))
    assert sorted(grade for _, _, grade in grades(kept, "free")) == list(range(60))


WRITER = """
import sys
from pathlib import Path
from querykin.server.judgements import Judgements
kept, rater = Judgements(Path(sys.argv[1])), sys.argv[2]
for number in range(10_000):
    kept.record("q", f"c{number}", number, rater, "free")
    print(number, flush=True)
"""


def test_processes_killed_in_the_middle_lose_nothing_that_was_acknowledged(tmp_path):
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
    as_problem = [
        lines + writer.communicate()[0].splitlines()
        for lines, writer in zip(acknowledged, writers, strict=True)
    ]
    found = {(given.rater, int(given.grade)) for given in JudgementStore(tmp_path).given("free")}
    for rater, lines in zip(("Ann", "Ben"), as_problem, strict=True):
        assert {(rater, int(line)) for line in lines} <= found


def test_a_file_of_another_version_or_none_at_all_is_told(tmp_path):
    with sqlite3.connect(tmp_path / "judgements.db") as rows:
        rows.execute("PRAGMA user_version = 99")
    rows.close()
    with pytest.raises(WorkspaceError, match="format 99"):
        JudgementStore(tmp_path).tasks()
    (tmp_path / "judgements.db").write_bytes(b"no database " * 100)
    with pytest.raises(WorkspaceError, match="cannot keep judgements"):
        JudgementStore(tmp_path).tasks()


def test_a_long_look_keeps_nobody_from_writing(tmp_path):
    database = Database(tmp_path / "judgements.db")

    def write(name):
        with database.writing() as rows:
            rows.execute("INSERT INTO tasks VALUES (?, 'quality', '[]', '')", [name])

    write("first")
    with database.reading() as rows, ThreadPoolExecutor(1) as thread:
        looking = rows.execute("SELECT name FROM tasks")
        thread.submit(write, "second").result(timeout=10)
        assert [row["name"] for row in looking] == ["first"]
    with database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM tasks").fetchone()[0] == 2
    database.close()


def test_a_transaction_that_fails_leaves_nothing(tmp_path):
    database = Database(tmp_path / "judgements.db")
    with pytest.raises(WorkspaceError, match="UNIQUE"), database.writing() as rows:
        rows.executemany("INSERT INTO tasks VALUES (?, 'quality', '[]', '')", [("same",), ("same",)])
    with database.writing() as rows:
        assert rows.execute("SELECT count(*) FROM tasks").fetchone()[0] == 0
    database.close()
