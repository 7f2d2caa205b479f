"""Judgement files of format 1 are opened and migrated, also where they cannot be written."""

import sqlite3

import pytest

from querykin.errors import WorkspaceError
from querykin.judgements import database
from querykin.judgements.schema import FORMAT
from querykin.server.judgement_store import JudgementStore

FORMAT_1 = """
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
CREATE TABLE judgements (
  id INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL REFERENCES tasks, query TEXT NOT NULL,
  candidate TEXT NOT NULL, rater TEXT NOT NULL, grade REAL NOT NULL, at TEXT NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX by_pair ON judgements (task, rater, query, candidate, undone);
INSERT INTO tasks VALUES ('garden', 'quality', '["edit"]', '2026-01-01');
INSERT INTO items VALUES (1, 'garden', 1, 'rose', 'tulip'), (2, 'garden', 2, 'rose', 'car');
INSERT INTO proposals VALUES (1, 'edit', 1, 0.5);
INSERT INTO judgements (task, query, candidate, rater, grade, at, undone) VALUES
  ('garden', 'rose', 'tulip', 'Anna', 3, '2026-01-02', 0),
  ('garden', 'rose', 'car', 'anna', 0, '2026-01-03', 0),
  ('garden', 'rose', 'tulip', 'ÉVA', 1, '2026-01-04', 1),
  ('garden', 'rose', 'tulip', 'éva', 2, '2026-01-05', 0);
PRAGMA user_version = 1;
"""


@pytest.fixture
def old_file(tmp_path):
    connection = sqlite3.connect(tmp_path / "judgements.db")
    connection.executescript(FORMAT_1)
    connection.close()
    return tmp_path / "judgements.db"


def said(store):
    return [(each.rater, each.candidate, each.grade, each.note) for each in store.judgements("garden")]


MIGRATED = [("Anna", "tulip", 3, ""), ("Anna", "car", 0, ""), ("ÉVA", "tulip", 2, "")]


def test_an_old_file_keeps_its_grades_and_takes_new_ones(old_file):
    store = JudgementStore(old_file.parent)
    assert said(store) == MIGRATED
    assert [item.proposals[0].measure for item in store.items("garden")[:1]] == ["edit"]
    store.record("rose", "car", None, "éva", "garden", "what car?", "a gift")
    assert said(store) == [*MIGRATED, ("ÉVA", "car", None, "what car?")]
    assert store.needs("garden") == {"rose": "a gift"}
    assert store.undo("garden", "Éva").grade is None
    store.rename("garden", "yard")
    store.close()
    again = JudgementStore(old_file.parent)
    assert [each.candidate for each in again.given("yard")] == ["tulip", "car", "tulip"]
    again.remove("yard")
    assert again.tasks() == []
    again.close()


def test_an_old_file_that_cannot_be_written_is_read(old_file, monkeypatch):
    content = old_file.read_bytes()
    monkeypatch.setattr(database, "is_writable", lambda path: False)
    store = JudgementStore(old_file.parent)
    assert said(store) == MIGRATED
    with pytest.raises(WorkspaceError, match="judgements cannot be stored"):
        store.record("rose", "car", 1, "Anna", "garden")
    store.close()
    assert old_file.read_bytes() == content


def test_a_failed_migration_changes_nothing(old_file, monkeypatch):
    connection = sqlite3.connect(old_file)
    connection.execute("CREATE TABLE needs (something TEXT)")  # in the way
    connection.commit()
    connection.close()
    store = JudgementStore(old_file.parent)
    with pytest.raises(WorkspaceError, match="cannot access the judgements"):
        store.tasks()
    store.close()
    connection = sqlite3.connect(old_file)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT count(*) FROM judgements").fetchone() == (4,)
    connection.close()


def test_a_file_of_a_later_format_is_refused(old_file):
    connection = sqlite3.connect(old_file)
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()
    with pytest.raises(WorkspaceError, match=rf"has format {FORMAT + 1}, .* reads formats up to {FORMAT}"):
        JudgementStore(old_file.parent).tasks()
