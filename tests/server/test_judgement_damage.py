"""A damaged file of judgements never gives a wrong grade: it is refused, and the file is named."""

import random
import shutil
import sqlite3
import stat

import pytest

from querykin.errors import WorkspaceError
from querykin.judgements import database
from querykin.judgements.integrity import judgement_integrity
from querykin.server.judgement_store import Item, JudgementStore
from querykin.storage.lost_files import mark_of

FLIPS = 150


@pytest.fixture
def judged(tmp_path):
    """A closed file with 40 judgements."""
    store = JudgementStore(tmp_path)
    store.create("garden", "quality", ["edit"], [Item(n, f"q{n}", f"c{n}") for n in range(1, 21)])
    for number in range(1, 21):
        for rater in ("Ann", "Ben"):
            store.record(f"q{number}", f"c{number}", number % 4, rater, "garden", "a note", "a need")
    store.undo("garden", "Ben")
    store.close()
    return tmp_path / "judgements.db"


def read(path):
    """Everything that pages and exports show of the task."""
    store = JudgementStore(path.parent)
    try:
        return [
            store.tasks(),
            store.judgements("garden"),
            store.items("garden"),
            store.needs("garden"),
            store.progress("garden"),
            store.next_item("garden", "ben"),
        ]
    finally:
        store.close()


def test_a_file_is_private_and_in_order(judged):
    store = JudgementStore(judged.parent)
    store.record("q1", "c1", 2, "Eve", "garden")
    names = ("judgements.db", "judgements.db-wal", "judgements.db-shm", "judgements.db.lock")
    modes = {name: stat.S_IMODE((judged.parent / name).stat().st_mode) for name in names}
    assert modes == dict.fromkeys(names, 0o600)
    assert judgement_integrity(judged) == []
    store.close()
    assert judgement_integrity(judged.parent / "nothing.db") == []


def test_flipped_bits_never_change_what_is_read(judged, tmp_path):
    expected, content, draw = read(judged), judged.read_bytes(), random.Random(0)
    folder = tmp_path / "damaged"
    folder.mkdir()
    messages = []
    for _ in range(FLIPS):
        position, bit = draw.randrange(len(content)), draw.randrange(8)
        damaged = bytearray(content)
        damaged[position] ^= 1 << bit
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "judgements.db").write_bytes(damaged)
        try:
            assert read(folder / "judgements.db") == expected  # a bit that nothing depends on
        except WorkspaceError as error:
            messages.append(str(error))
    assert messages
    assert all(str(folder / "judgements.db") in message and "\n" not in message for message in messages)


@pytest.mark.parametrize("length", [0.1, 0.5, 0.9])
def test_a_truncated_file_is_refused(judged, length):
    content = judged.read_bytes()
    judged.write_bytes(content[: int(len(content) * length)])
    with pytest.raises(WorkspaceError, match=r"judgements.db: the file is damaged .*querykin restore"):
        read(judged)
    assert judgement_integrity(judged)


def test_a_changed_grade_is_noticed_when_it_is_read(judged, monkeypatch):
    monkeypatch.setattr(database, "MAX_CHECKED", 0)  # as for a large file, which is not checked when opened
    for change in ("grade = 3", "undone = 1"):
        copy = judged.parent / change
        copy.mkdir()
        shutil.copy(judged, copy)
        with sqlite3.connect(copy / "judgements.db") as connection:
            connection.execute(f"UPDATE judgements SET {change} WHERE id = 1")
        connection.close()
        with pytest.raises(WorkspaceError, match="a row has a wrong checksum"):
            JudgementStore(copy).judgements("garden")
        assert judgement_integrity(copy / "judgements.db") == [
            f"{copy / 'judgements.db'}: judgements, row 1: the checksum is wrong"
        ]


def test_another_database_is_refused_and_not_written_to(judged):
    judged.unlink()
    connection = sqlite3.connect(judged)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    content = judged.read_bytes()
    with pytest.raises(WorkspaceError, match="something else than judgements"):
        JudgementStore(judged.parent).record("a", "b", 1, "Ann", "free")
    assert judged.read_bytes() == content


def test_a_file_that_is_replaced_while_it_is_open_is_opened_again(judged):
    store = JudgementStore(judged.parent)
    assert len(store.judgements("garden")) == 39
    saved = judged.parent / "saved.db"
    shutil.copy(judged, saved)
    store.record("q20", "c20", 1, "Ben", "garden")
    for name in ("judgements.db-wal", "judgements.db-shm"):
        (judged.parent / name).unlink()
    saved.replace(judged)
    assert len(store.judgements("garden")) == 39
    store.record("q20", "c20", 2, "Ben", "garden")
    store.close()
    assert JudgementStore(judged.parent).judgements("garden")[-1].grade == 2


def test_commits_in_the_log_are_read_where_nothing_can_be_written(judged, monkeypatch):
    store = JudgementStore(judged.parent)
    store.record("q20", "c20", 3, "Ben", "garden")
    copy = judged.parent / "copy"
    copy.mkdir()
    for name in ("judgements.db", "judgements.db-wal"):
        shutil.copy(judged.parent / name, copy)
    store.close()
    monkeypatch.setattr(database, "is_writable", lambda path: False)
    assert JudgementStore(copy).judgements("garden")[-1].grade == 3


def test_reading_creates_nothing(tmp_path):
    store = JudgementStore(tmp_path / "workspace")
    assert store.tasks() == []
    assert list(tmp_path.iterdir()) == []


def test_a_lost_file_is_no_empty_one_until_its_mark_is_deleted_too(judged):
    judged.unlink()
    with pytest.raises(WorkspaceError, match="the file is missing"):
        read(judged)
    store = JudgementStore(judged.parent)
    with pytest.raises(WorkspaceError, match="the file is missing"):
        store.record("q1", "c1", 2, "Eve", "garden")
    assert "it is missing" in judgement_integrity(judged)[0]
    mark_of(judged).unlink()
    assert (store.tasks(), judgement_integrity(judged)) == ([], [])
