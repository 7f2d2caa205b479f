"""What did people say, click by click? Tasks and judgements in one SQLite file of the workspace."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection, Row

from querykin.errors import InputError, UnknownName
from querykin.server.database import Database
from querykin.server.scales import NUMBERS, SCALES, Scale

MAX_NAME_LENGTH = 200  # characters of a task's or a rater's name
_TASKS = "SELECT *, (SELECT count(*) FROM items WHERE task = name) AS items FROM tasks"
# The newest row of a rater and a pair that was not taken back is the rater's grade of it.
_CURRENT = """
SELECT query, candidate, rater, grade, at, max(id) AS id FROM judgements
WHERE task = ? AND NOT undone GROUP BY query, candidate, rater
"""
_LAST = "SELECT * FROM judgements WHERE task = ? AND rater = ? AND NOT undone ORDER BY id DESC LIMIT 1"
_ITEMS = "SELECT id, place, query, candidate FROM items WHERE task = ?"
_OPEN = """
SELECT items.id, items.place, items.query, items.candidate FROM items
WHERE items.task = :task AND NOT EXISTS (
  SELECT 1 FROM judgements AS given WHERE given.task = :task AND given.rater = :rater
  AND given.query = items.query AND given.candidate = items.candidate AND NOT given.undone)
ORDER BY items.place <= :after, items.place LIMIT 1
"""


@dataclass(frozen=True)
class Proposal:
    """Which measure offered a candidate, at which rank and with which score: hidden from raters."""

    measure: str
    rank: int
    score: float


@dataclass(frozen=True)
class Item:
    """A query and a candidate to be graded, at its place in the shuffled list of a task."""

    place: int
    query: str
    candidate: str
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True)
class JudgementTask:
    """A list of pairs to be graded on one scale; without items it takes whatever pairs it is given."""

    name: str
    scale: Scale
    measures: tuple[str, ...]
    items: int
    created: str


@dataclass(frozen=True)
class Judgement:
    """The grade that a rater gave to a pair."""

    task: str
    query: str
    candidate: str
    rater: str
    grade: float
    at: str


@dataclass(frozen=True)
class Progress:
    """How far a rater is."""

    rater: str
    done: int
    of: int  # 0 when the task has no list


class JudgementStore:
    """All tasks and judgements of a workspace; a grade is on disk before `record` returns.

    Any number of threads and processes may write at once.

    >>> kept = JudgementStore(getfixture("tmp_path"))
    >>> items = [Item(1, "rose", "tulip"), Item(2, "rose", "car")]
    >>> task = kept.create("garden", "quality", ["web-kernel"], items)
    >>> kept.record("rose", "tulip", 2, "Ann", "garden").grade, kept.open_item("garden", "Ann").candidate
    (2, 'car')
    >>> kept.undo("garden", "Ann").candidate, kept.open_item("garden", "Ann").candidate
    ('tulip', 'tulip')
    """

    def __init__(self, folder: Path) -> None:
        self._database = Database(folder / "judgements.db")

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def create(self, name: str, scale: str, measures: Sequence[str], items: Sequence[Item]) -> JudgementTask:
        """Make a task of a list of pairs; its name must be new."""
        name = _name("task", name)
        if scale not in SCALES:
            raise UnknownName("scale", scale, SCALES)
        if not items:
            raise InputError("there is nothing to judge: no measure offers anything for these queries")
        with self._database.writing() as rows:
            if rows.execute("SELECT 1 FROM tasks WHERE name = ?", [name]).fetchone():
                raise InputError(f"there is a task {name!r} already; give the new one another name")
            rows.execute("INSERT INTO tasks VALUES (?, ?, ?, ?)", [name, scale, json.dumps(measures), _now()])
            for item in items:
                added = rows.execute(
                    "INSERT INTO items (task, place, query, candidate) VALUES (?, ?, ?, ?)",
                    [name, item.place, item.query, item.candidate],
                ).lastrowid
                rows.executemany(
                    "INSERT INTO proposals VALUES (?, ?, ?, ?)",
                    [(added, each.measure, each.rank, each.score) for each in item.proposals],
                )
        return self.task(name)

    def tasks(self) -> list[JudgementTask]:
        """All tasks, the newest first."""
        with self._database.reading() as rows:
            found = rows.execute(f"{_TASKS} ORDER BY created DESC, name").fetchall()
        return [_task(row) for row in found]

    def task(self, name: str) -> JudgementTask:
        """One task by its name."""
        with self._database.reading() as rows:
            found = rows.execute(f"{_TASKS} WHERE name = ?", [name]).fetchone()
        if found is None:
            raise UnknownName("task", name, [task.name for task in self.tasks()])
        return _task(found)

    def record(self, query: str, candidate: str, grade: float, rater: str, task: str) -> Judgement:
        """Keep a grade, in place of an earlier one by the same rater; it is on disk when this returns.

        A task nobody has made takes any pairs and numbers; others take only pairs of their list.
        """
        rater, task = _name("rater", rater), _name("task", task)
        if not query.strip() or not candidate.strip():
            raise InputError("a judgement needs a query and a candidate, and one of them is empty")
        judged = Judgement(task, query, candidate, rater, grade, _now())
        with self._database.writing() as rows:
            found = rows.execute(f"{_TASKS} WHERE name = ?", [task]).fetchone()
            _scale(found).check(grade)
            if found is None:
                rows.execute("INSERT INTO tasks VALUES (?, ?, '[]', ?)", [task, NUMBERS.name, judged.at])
            elif found["items"] and not _listed(rows, judged):
                raise InputError(f"the list of task {task!r} does not hold {query!r} with {candidate!r}")
            if _standing(rows, judged) != grade:  # a click sent twice is one click
                rows.execute(
                    "INSERT INTO judgements (task, query, candidate, rater, grade, at) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    [task, query, candidate, rater, grade, judged.at],
                )
        return judged

    def undo(self, task: str, rater: str) -> Judgement | None:
        """Take back the last grade that a rater gave; what was there before counts again."""
        rater = _name("rater", rater)
        with self._database.writing() as rows:
            last = rows.execute(_LAST, [task, rater]).fetchone()
            if last is not None:
                rows.execute("UPDATE judgements SET undone = 1 WHERE id = ?", [last["id"]])
        return _judgement(task, last) if last is not None else None

    def last(self, task: str, rater: str) -> Judgement | None:
        """The last grade that a rater gave and did not take back."""
        with self._database.reading() as rows:
            found = rows.execute(_LAST, [task, _name("rater", rater)]).fetchone()
        return _judgement(task, found) if found is not None else None

    def given(self, task: str) -> list[Judgement]:
        """The grades that count now, in the order in which they were given."""
        with self._database.reading() as rows:
            found = rows.execute(f"{_CURRENT} ORDER BY max(id)", [task]).fetchall()
        return [_judgement(task, row) for row in found]

    def progress(self, task: str) -> list[Progress]:
        """How far each rater is, by name."""
        total = self.task(task).items
        with self._database.reading() as rows:
            counted = f"SELECT rater, count(*) AS done FROM ({_CURRENT}) GROUP BY rater ORDER BY rater"
            return [Progress(row["rater"], row["done"], total) for row in rows.execute(counted, [task])]

    def done(self, task: str, rater: str) -> int:
        """How many pairs a rater has graded."""
        counted = """SELECT count(*) FROM (SELECT DISTINCT query, candidate FROM judgements
                     WHERE task = ? AND rater = ? AND NOT undone)"""
        with self._database.reading() as rows:
            return int(rows.execute(counted, [task, _name("rater", rater)]).fetchone()[0])

    def place(self, judged: Judgement) -> int | None:
        """Where a pair stands in the list of its task."""
        with self._database.reading() as rows:
            found = rows.execute(
                "SELECT place FROM items WHERE task = ? AND query = ? AND candidate = ?",
                [judged.task, judged.query, judged.candidate],
            ).fetchone()
        return int(found["place"]) if found else None

    def open_item(self, task: str, rater: str, after: int = 0) -> Item | None:
        """The next pair that a rater has not graded, from a place on and then from the start; None: done."""
        with self._database.reading() as rows:
            found = rows.execute(
                _OPEN, {"task": task, "rater": _name("rater", rater), "after": after}
            ).fetchone()
        return Item(found["place"], found["query"], found["candidate"]) if found else None

    def items(self, task: str) -> list[Item]:
        """All pairs of a task with what proposed them."""
        with self._database.reading() as rows:
            found = rows.execute(f"{_ITEMS} ORDER BY place", [task]).fetchall()
            proposed = rows.execute(
                f"SELECT * FROM proposals WHERE item IN (SELECT id FROM ({_ITEMS})) ORDER BY measure", [task]
            ).fetchall()
        by_item: dict[int, list[Proposal]] = {}
        for row in proposed:
            by_item.setdefault(row["item"], []).append(Proposal(row["measure"], row["rank"], row["score"]))
        return [
            Item(row["place"], row["query"], row["candidate"], tuple(by_item.get(row["id"], ())))
            for row in found
        ]


def _task(row: Row) -> JudgementTask:
    return JudgementTask(
        row["name"], SCALES[row["scale"]], tuple(json.loads(row["measures"])), row["items"], row["created"]
    )


def _scale(row: Row | None) -> Scale:
    return NUMBERS if row is None else SCALES[row["scale"]]


def _judgement(task: str, row: Row) -> Judgement:
    return Judgement(task, row["query"], row["candidate"], row["rater"], row["grade"], row["at"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _name(kind: str, name: str) -> str:
    name_ = " ".join(name.split())
    if not name_ or len(name_) > MAX_NAME_LENGTH:
        raise InputError(f"a {kind} needs a name of 1 to {MAX_NAME_LENGTH} characters, got {len(name_)}")
    return name_


def _listed(rows: Connection, judged: Judgement) -> bool:
    found = rows.execute(
        "SELECT 1 FROM items WHERE task = ? AND query = ? AND candidate = ?",
        [judged.task, judged.query, judged.candidate],
    )
    return found.fetchone() is not None


def _standing(rows: Connection, judged: Judgement) -> float | None:
    """The grade of this rater for this pair that counts now."""
    found = rows.execute(
        "SELECT grade FROM judgements WHERE task = ? AND query = ? AND candidate = ? "
        "AND rater = ? AND NOT undone ORDER BY id DESC LIMIT 1",
        [judged.task, judged.query, judged.candidate, judged.rater],
    ).fetchone()
    return float(found["grade"]) if found else None
