"""Store of judgement tasks and judgements, in one SQLite file of the workspace."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection, Row

from querykin.errors import InputError, UnknownName
from querykin.server.database import Database
from querykin.server.scales import NUMBERS, SCALES, Scale

MAX_NAME_LENGTH = 200  # characters of the name of a task or a rater
_TASKS = "SELECT *, (SELECT count(*) FROM items WHERE task = name) AS items FROM tasks"
# A rater's grade of a pair is the newest row for it that was not undone.
_CURRENT = """
SELECT query, candidate, rater, grade, at, max(id) AS id FROM judgements
WHERE task = ? AND NOT undone GROUP BY query, candidate, rater
"""
_LAST = "SELECT * FROM judgements WHERE task = ? AND rater = ? AND NOT undone ORDER BY id DESC LIMIT 1"
_ITEMS = "SELECT id, place, query, candidate FROM items WHERE task = ?"
_NEXT_ITEM = """
SELECT items.id, items.place, items.query, items.candidate FROM items
WHERE items.task = :task AND NOT EXISTS (
  SELECT 1 FROM judgements AS given WHERE given.task = :task AND given.rater = :rater
  AND given.query = items.query AND given.candidate = items.candidate AND NOT given.undone)
ORDER BY items.place <= :after, items.place LIMIT 1
"""


@dataclass(frozen=True)
class Proposal:
    """A measure that suggested a candidate, with rank and score; not shown to raters."""

    measure: str
    rank: int
    score: float


@dataclass(frozen=True)
class Item:
    """A query and a candidate to grade, at a position in the shuffled list of a task."""

    position: int
    query: str
    candidate: str
    proposals: tuple[Proposal, ...] = ()


@dataclass(frozen=True)
class JudgementTask:
    """A list of pairs to grade on one scale; a task without items accepts any pair."""

    name: str
    scale: Scale
    measures: tuple[str, ...]
    items: int
    created: str


@dataclass(frozen=True)
class Judgement:
    """A rater's grade of a pair."""

    task: str
    query: str
    candidate: str
    rater: str
    grade: float
    at: str


@dataclass(frozen=True)
class Progress:
    """Number of pairs that a rater has graded."""

    rater: str
    done: int
    total: int  # 0 for a task without items


class JudgementStore:
    """Tasks and judgements of a workspace, in it or in another file.

    A grade is on disk before `record` returns. Threads and processes may write concurrently.

    >>> store = JudgementStore(getfixture("tmp_path"))
    >>> items = [Item(1, "rose", "tulip"), Item(2, "rose", "car")]
    >>> task = store.create("garden", "quality", ["web-kernel"], items)
    >>> store.record("rose", "tulip", 2, "Ann", "garden").grade, store.next_item("garden", "Ann").candidate
    (2, 'car')
    >>> store.undo("garden", "Ann").candidate, store.next_item("garden", "Ann").candidate
    ('tulip', 'tulip')
    """

    def __init__(self, workspace: Path, file: str = "") -> None:
        self._database = Database(Path(file) if file else workspace / "judgements.db")

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def create(self, name: str, scale: str, measures: Sequence[str], items: Sequence[Item]) -> JudgementTask:
        """Create a task with a list of pairs; InputError if the name is in use."""
        name = _check_name("task", name)
        if scale not in SCALES:
            raise UnknownName("scale", scale, SCALES)
        if not items:
            raise InputError("there is nothing to judge: no measure suggests anything for these queries")
        with self._database.transaction() as connection:
            if connection.execute("SELECT 1 FROM tasks WHERE name = ?", [name]).fetchone():
                raise InputError(f"there is a task {name!r} already; choose another name")
            values = [name, scale, json.dumps(measures), _now()]
            connection.execute("INSERT INTO tasks VALUES (?, ?, ?, ?)", values)
            for item in items:
                item_id = connection.execute(
                    "INSERT INTO items (task, place, query, candidate) VALUES (?, ?, ?, ?)",
                    [name, item.position, item.query, item.candidate],
                ).lastrowid
                connection.executemany(
                    "INSERT INTO proposals VALUES (?, ?, ?, ?)",
                    [(item_id, each.measure, each.rank, each.score) for each in item.proposals],
                )
        return self.task(name)

    def tasks(self) -> list[JudgementTask]:
        """All tasks, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_TASKS} ORDER BY created DESC, name").fetchall()
        return [_task(row) for row in rows]

    def task(self, name: str) -> JudgementTask:
        """A task by name; UnknownName if there is none."""
        with self._database.read() as connection:
            row = connection.execute(f"{_TASKS} WHERE name = ?", [name]).fetchone()
        if row is None:
            raise UnknownName("task", name, [task.name for task in self.tasks()])
        return _task(row)

    def record(self, query: str, candidate: str, grade: float, rater: str, task: str) -> Judgement:
        """Store a grade; it replaces an earlier one of the same rater and is on disk on return.

        An unknown task is created with the scale of plain numbers. A task with items accepts only its pairs.
        """
        rater, task = _check_name("rater", rater), _check_name("task", task)
        if not query.strip() or not candidate.strip():
            raise InputError("a judgement needs a query and a candidate, and one of them is empty")
        judgement = Judgement(task, query, candidate, rater, grade, _now())
        with self._database.transaction() as connection:
            row = connection.execute(f"{_TASKS} WHERE name = ?", [task]).fetchone()
            scale = NUMBERS if row is None else SCALES[row["scale"]]
            scale.check(grade)
            if row is None:
                values = [task, NUMBERS.name, judgement.at]
                connection.execute("INSERT INTO tasks VALUES (?, ?, '[]', ?)", values)
            elif row["items"] and _position(connection, judgement) is None:
                raise InputError(f"task {task!r} does not contain the pair {query!r} and {candidate!r}")
            if _current_grade(connection, judgement) != grade:  # a repeated request is stored once
                connection.execute(
                    "INSERT INTO judgements (task, query, candidate, rater, grade, at) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    [task, query, candidate, rater, grade, judgement.at],
                )
        return judgement

    def undo(self, task: str, rater: str) -> Judgement | None:
        """Undo the last grade of a rater; an earlier grade of the same pair counts again."""
        rater = _check_name("rater", rater)
        with self._database.transaction() as connection:
            row = connection.execute(_LAST, [task, rater]).fetchone()
            if row is not None:
                connection.execute("UPDATE judgements SET undone = 1 WHERE id = ?", [row["id"]])
        return _judgement(task, row) if row is not None else None

    def last(self, task: str, rater: str) -> Judgement | None:
        """The last grade of a rater that was not undone."""
        with self._database.read() as connection:
            row = connection.execute(_LAST, [task, _check_name("rater", rater)]).fetchone()
        return _judgement(task, row) if row is not None else None

    def given(self, task: str) -> list[Judgement]:
        """The current judgements of a task, in order of their creation."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_CURRENT} ORDER BY max(id)", [task]).fetchall()
        return [_judgement(task, row) for row in rows]

    def progress(self, task: str) -> list[Progress]:
        """Progress of each rater, sorted by name."""
        total = self.task(task).items
        counts = f"SELECT rater, count(*) AS done FROM ({_CURRENT}) GROUP BY rater ORDER BY rater"
        with self._database.read() as connection:
            return [Progress(row["rater"], row["done"], total) for row in connection.execute(counts, [task])]

    def done(self, task: str, rater: str) -> int:
        """Number of pairs that a rater has graded."""
        count = """SELECT count(*) FROM (SELECT DISTINCT query, candidate FROM judgements
                   WHERE task = ? AND rater = ? AND NOT undone)"""
        with self._database.read() as connection:
            return int(connection.execute(count, [task, _check_name("rater", rater)]).fetchone()[0])

    def position(self, judgement: Judgement) -> int | None:
        """Position of a judged pair in the list of its task; None for a task without items."""
        with self._database.read() as connection:
            return _position(connection, judgement)

    def next_item(self, task: str, rater: str, after: int = 0) -> Item | None:
        """The first ungraded pair after a position, wrapping around at the end; None if all are graded."""
        values = {"task": task, "rater": _check_name("rater", rater), "after": after}
        with self._database.read() as connection:
            row = connection.execute(_NEXT_ITEM, values).fetchone()
        return Item(row["place"], row["query"], row["candidate"]) if row else None

    def items(self, task: str) -> list[Item]:
        """All pairs of a task with the measures that proposed them."""
        with self._database.read() as connection:
            item_rows = connection.execute(f"{_ITEMS} ORDER BY place", [task]).fetchall()
            proposal_rows = connection.execute(
                f"SELECT * FROM proposals WHERE item IN (SELECT id FROM ({_ITEMS})) ORDER BY measure", [task]
            ).fetchall()
        proposals: dict[int, list[Proposal]] = {}
        for row in proposal_rows:
            proposals.setdefault(row["item"], []).append(Proposal(row["measure"], row["rank"], row["score"]))
        return [
            Item(row["place"], row["query"], row["candidate"], tuple(proposals.get(row["id"], ())))
            for row in item_rows
        ]


def _task(row: Row) -> JudgementTask:
    return JudgementTask(
        row["name"], SCALES[row["scale"]], tuple(json.loads(row["measures"])), row["items"], row["created"]
    )


def _judgement(task: str, row: Row) -> Judgement:
    return Judgement(task, row["query"], row["candidate"], row["rater"], row["grade"], row["at"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _check_name(kind: str, name: str) -> str:
    """The name with normalized whitespace; InputError if it is empty or too long."""
    normalized = " ".join(name.split())
    if not normalized or len(normalized) > MAX_NAME_LENGTH:
        raise InputError(f"a {kind} needs a name of 1 to {MAX_NAME_LENGTH} characters, got {len(normalized)}")
    return normalized


def _position(connection: Connection, judgement: Judgement) -> int | None:
    row = connection.execute(
        "SELECT place FROM items WHERE task = ? AND query = ? AND candidate = ?",
        [judgement.task, judgement.query, judgement.candidate],
    ).fetchone()
    return int(row["place"]) if row else None


def _current_grade(connection: Connection, judgement: Judgement) -> float | None:
    """The grade that counts for this rater and pair."""
    row = connection.execute(
        "SELECT grade FROM judgements WHERE task = ? AND query = ? AND candidate = ? "
        "AND rater = ? AND NOT undone ORDER BY id DESC LIMIT 1",
        [judgement.task, judgement.query, judgement.candidate, judgement.rater],
    ).fetchone()
    return float(row["grade"]) if row else None
