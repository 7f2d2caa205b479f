"""Store of judgement tasks and judgements, in one SQLite file of the workspace."""

from sqlite3 import Connection, Row

from querykin.errors import InputError
from querykin.judgements.schema import rater_key
from querykin.server.judgement_records import Item, Judgement, Progress, Proposal
from querykin.server.scales import NUMBERS, SCALES
from querykin.server.task_store import (
    ITEMS,
    TASKS,
    TaskStore,
    check_name,
    check_text,
    make_item,
    now,
    write_needs,
)

__all__ = ["Item", "Judgement", "JudgementStore", "Progress", "Proposal"]

# What a rater says about a pair is the newest row for it that was not undone.
_CURRENT = """
SELECT task, query, candidate, rater, grade, at, note, max(id) AS id FROM valid_judgements
WHERE task = ? AND NOT undone GROUP BY query, candidate, rater
"""
_LAST = "SELECT * FROM valid_judgements WHERE task = ? AND rater = ? AND NOT undone ORDER BY id DESC LIMIT 1"
_OF_PAIR = """
SELECT * FROM valid_judgements WHERE task = ? AND rater = ? AND query = ? AND candidate = ? AND NOT undone
ORDER BY id DESC LIMIT 1
"""
_NEXT_ITEM = f"""
{ITEMS} WHERE items.task = :task AND NOT EXISTS (
  SELECT 1 FROM valid_judgements AS given WHERE given.task = :task AND given.rater = :rater
  AND given.query = items.query AND given.candidate = items.candidate AND NOT given.undone)
ORDER BY items.place <= :after, items.place LIMIT 1
"""


class JudgementStore(TaskStore):
    """Tasks and judgements of a workspace, in it or in another file.

    A grade is on disk before `record` returns. Threads and processes may write concurrently. Names of raters
    are compared without case; the first spelling is shown.

    >>> store = JudgementStore(getfixture("tmp_path"))
    >>> items = [Item(1, "rose", "tulip"), Item(2, "rose", "car")]
    >>> task = store.create("garden", "quality", ["web-kernel"], items)
    >>> store.record("rose", "tulip", 2, "Ann", "garden").grade, store.next_item("garden", "ann").candidate
    (2, 'car')
    >>> store.undo("garden", "Ann").candidate, store.next_item("garden", "Ann").candidate
    ('tulip', 'tulip')
    """

    def record(
        self,
        query: str,
        candidate: str,
        grade: float | None,
        rater: str,
        task: str,
        note: str = "",
        need: str = "",
    ) -> Judgement:
        """Store a grade, or None if the rater cannot judge the pair; it is on disk on return.

        It replaces what the rater said about the pair before. An unknown task is created with the scale of
        plain numbers; a task with items accepts only its pairs. `need` is the information need of the query.
        """
        task, note = check_name("task", task), check_text("note", note)
        if not query.strip() or not candidate.strip():
            raise InputError("a judgement needs a query and a candidate, and one of them is empty")
        with self._database.transaction() as connection:
            judgement = Judgement(task, query, candidate, _spelling(connection, rater), grade, now(), note)
            row = connection.execute(f"{TASKS} WHERE name = ?", [task]).fetchone()
            scale = NUMBERS if row is None else SCALES[row["scale"]]
            if grade is not None:
                scale.check(grade)
            if row is None:
                values = [task, NUMBERS.name, judgement.at]
                connection.execute(
                    "INSERT INTO tasks (name, scale, measures, created) VALUES (?, ?, '[]', ?)", values
                )
            elif row["items"] and _position(connection, judgement) is None:
                raise InputError(f"task {task!r} does not contain the pair {query!r} and {candidate!r}")
            if need:
                write_needs(connection, task, {query: need})
            _insert(connection, judgement)
        return judgement

    def undo(self, task: str, rater: str) -> Judgement | None:
        """Undo the last grade of a rater; an earlier grade of the same pair counts again."""
        with self._database.transaction() as connection:
            row = connection.execute(_LAST, [task, _spelling(connection, rater)]).fetchone()
            if row is not None:
                connection.execute("UPDATE judgements SET undone = 1 WHERE id = ?", [row["id"]])
        return _judgement(row) if row is not None else None

    def rater(self, name: str) -> str:
        """The first spelling of a rater's name; the name itself if it is new."""
        with self._database.read() as connection:
            return _spelling(connection, name)

    def last(self, task: str, rater: str) -> Judgement | None:
        """The last grade of a rater that was not undone."""
        with self._database.read() as connection:
            row = connection.execute(_LAST, [task, _spelling(connection, rater)]).fetchone()
        return _judgement(row) if row is not None else None

    def judgements(self, task: str) -> list[Judgement]:
        """What every rater says about every pair of a task, in order of time, `cannot judge` included."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_CURRENT} ORDER BY max(id)", [task]).fetchall()
        return [_judgement(row) for row in rows]

    def given(self, task: str) -> list[Judgement]:
        """The grades of a task, in order of time."""
        return [judgement for judgement in self.judgements(task) if judgement.grade is not None]

    def of_pair(self, task: str, rater: str, item: Item) -> Judgement | None:
        """What a rater says about one pair of a task; None if nothing yet."""
        with self._database.read() as connection:
            values = [task, _spelling(connection, rater), item.query, item.candidate]
            row = connection.execute(_OF_PAIR, values).fetchone()
        return _judgement(row) if row is not None else None

    def progress(self, task: str) -> list[Progress]:
        """Progress of each rater, sorted by name."""
        total = self.task(task).items
        counts = f"""SELECT rater, count(*) AS done, count(*) - count(grade) AS not_judged FROM ({_CURRENT})
                     GROUP BY rater ORDER BY rater"""
        with self._database.read() as connection:
            rows = connection.execute(counts, [task]).fetchall()
        return [Progress(row["rater"], row["done"], total, row["not_judged"]) for row in rows]

    def done(self, task: str, rater: str) -> int:
        """Number of pairs that a rater is done with."""
        count = """SELECT count(*) FROM (SELECT DISTINCT query, candidate FROM valid_judgements
                   WHERE task = ? AND rater = ? AND NOT undone)"""
        with self._database.read() as connection:
            return int(connection.execute(count, [task, _spelling(connection, rater)]).fetchone()[0])

    def position(self, judgement: Judgement) -> int | None:
        """Position of a judged pair in the list of its task; None for a task without items."""
        with self._database.read() as connection:
            return _position(connection, judgement)

    def next_item(self, task: str, rater: str, after: int = 0) -> Item | None:
        """The first ungraded pair after a position, wrapping around at the end; None if all are graded."""
        with self._database.read() as connection:
            values = {"task": task, "rater": _spelling(connection, rater), "after": after}
            row = connection.execute(_NEXT_ITEM, values).fetchone()
        return make_item(row) if row else None


def _judgement(row: Row) -> Judgement:
    return Judgement(*(row[name] for name in ("task", "query", "candidate", "rater", "grade", "at", "note")))


def _spelling(connection: Connection, rater: str) -> str:
    """The first spelling of a rater's name."""
    name = check_name("rater", rater)
    row = connection.execute("SELECT name FROM valid_raters WHERE key = ?", [rater_key(name)]).fetchone()
    return str(row["name"]) if row else name


def _position(connection: Connection, judgement: Judgement) -> int | None:
    row = connection.execute(
        "SELECT place FROM valid_items WHERE task = ? AND query = ? AND candidate = ?",
        [judgement.task, judgement.query, judgement.candidate],
    ).fetchone()
    return int(row["place"]) if row else None


def _insert(connection: Connection, judgement: Judgement) -> None:
    """Add a judgement, unless the rater said the same before: a repeated request is stored once."""
    pair = [judgement.task, judgement.rater, judgement.query, judgement.candidate]
    current = connection.execute(_OF_PAIR, pair).fetchone()
    said = judgement.grade, judgement.note
    if current is not None and (current["grade"], current["note"]) == said:
        return
    connection.execute(
        "INSERT OR IGNORE INTO raters (key, name) VALUES (?, ?)",
        [rater_key(judgement.rater), judgement.rater],
    )
    connection.execute(
        "INSERT INTO judgements (task, rater, query, candidate, grade, note, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [*pair, *said, judgement.at],
    )
