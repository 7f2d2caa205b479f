"""Store of judgement tasks: their items, the measures that proposed them, and information needs."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection, Row

from querykin.errors import InputError, UnknownName
from querykin.judgements.database import Database
from querykin.server.judgement_records import Item, JudgementTask, Proposal
from querykin.server.not_found import NotFound
from querykin.server.scales import SCALES

MAX_NAME_LENGTH = 200  # characters of the name of a task or a rater
MAX_TEXT_LENGTH = 1000  # characters of an information need or a note
TASKS = "SELECT *, (SELECT count(*) FROM items WHERE task = name) AS items FROM valid_tasks"
ITEMS = """
SELECT items.id, items.place, items.query, items.candidate, coalesce(needs.need, '') AS need
FROM valid_items AS items
LEFT JOIN valid_needs AS needs ON needs.task = items.task AND needs.query = items.query
"""
_OF_TASK = ("items", "needs", "judgements")  # tables with a column for the task


class UnknownTask(NotFound, UnknownName):
    """There is no task of this name."""


class TaskStore:
    """The tasks of a workspace, in it or in another file."""

    def __init__(
        self, workspace: Path, file: str = "", allow_writing: Callable[[], None] = lambda: None
    ) -> None:
        self._database = Database(Path(file) if file else workspace / "judgements.db", allow_writing)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def create(
        self,
        name: str,
        scale: str,
        measures: Sequence[str],
        items: Sequence[Item],
        needs: Mapping[str, str] | None = None,
    ) -> JudgementTask:
        """Create a task with a list of pairs and information needs by query; InputError for a used name."""
        name = check_name("task", name)
        if scale not in SCALES:
            raise UnknownName("scale", scale, SCALES)
        if not items:
            raise InputError("there is nothing to judge: no measure suggests anything for these queries")
        with self._database.transaction() as connection:
            _check_unused(connection, name)
            values = [name, scale, json.dumps(measures), now()]
            connection.execute(
                "INSERT INTO tasks (name, scale, measures, created) VALUES (?, ?, ?, ?)", values
            )
            for item in items:
                item_id = connection.execute(
                    "INSERT INTO items (task, place, query, candidate) VALUES (?, ?, ?, ?)",
                    [name, item.position, item.query, item.candidate],
                ).lastrowid
                connection.executemany(
                    "INSERT INTO proposals (item, measure, rank, score) VALUES (?, ?, ?, ?)",
                    [(item_id, each.measure, each.rank, each.score) for each in item.proposals],
                )
            write_needs(connection, name, needs or {})
        return self.task(name)

    def tasks(self) -> list[JudgementTask]:
        """All tasks, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(f"{TASKS} ORDER BY created DESC, name").fetchall()
        return [_task(row) for row in rows]

    def task(self, name: str) -> JudgementTask:
        """A task by name; UnknownTask if there is none."""
        with self._database.read() as connection:
            row = connection.execute(f"{TASKS} WHERE name = ?", [name]).fetchone()
        if row is None:
            raise UnknownTask("task", name[:MAX_NAME_LENGTH], [task.name for task in self.tasks()])
        return _task(row)

    def rename(self, name: str, new_name: str) -> JudgementTask:
        """Give a task another name, with everything that belongs to it."""
        new_name = check_name("task", new_name)
        if new_name != self.task(name).name:
            with self._database.transaction() as connection:
                _check_unused(connection, new_name)
                connection.execute("PRAGMA defer_foreign_keys = ON")  # until the end of the transaction
                connection.execute("UPDATE tasks SET name = ? WHERE name = ?", [new_name, name])
                for table in _OF_TASK:
                    connection.execute(f"UPDATE {table} SET task = ? WHERE task = ?", [new_name, name])
        return self.task(new_name)

    def remove(self, name: str) -> None:
        """Delete a task with its items and all judgements."""
        self.task(name)
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM proposals WHERE item IN (SELECT id FROM items WHERE task = ?)", [name]
            )
            for table in _OF_TASK:
                connection.execute(f"DELETE FROM {table} WHERE task = ?", [name])
            connection.execute("DELETE FROM tasks WHERE name = ?", [name])

    def items(self, task: str) -> list[Item]:
        """All pairs of a task with the measures that proposed them."""
        with self._database.read() as connection:
            rows = connection.execute(f"{ITEMS} WHERE items.task = ? ORDER BY place", [task]).fetchall()
            proposal_rows = connection.execute(
                "SELECT valid_proposals.* FROM valid_proposals JOIN items ON items.id = item "
                "WHERE task = ? ORDER BY measure",
                [task],
            ).fetchall()
        proposals: dict[int, list[Proposal]] = {}
        for row in proposal_rows:
            proposals.setdefault(row["item"], []).append(Proposal(row["measure"], row["rank"], row["score"]))
        return [make_item(row, tuple(proposals.get(row["id"], ()))) for row in rows]

    def item(self, task: str, position: int) -> Item | None:
        """The pair at a position of a task's list."""
        with self._database.read() as connection:
            row = connection.execute(
                f"{ITEMS} WHERE items.task = ? AND place = ?", [task, position]
            ).fetchone()
        return make_item(row) if row else None

    def needs(self, task: str) -> dict[str, str]:
        """The queries of a task in their order, with the information need of each, empty if none is given."""
        with self._database.read() as connection:
            rows = connection.execute(f"{ITEMS} WHERE items.task = ? ORDER BY place", [task]).fetchall()
            others = connection.execute(
                "SELECT query, need FROM valid_needs WHERE task = ?", [task]
            ).fetchall()
        return {row["query"]: row["need"] for row in (*rows, *others)}

    def set_needs(self, task: str, needs: Mapping[str, str]) -> None:
        """Set the information needs of queries of a task; an empty text removes one."""
        known = self.needs(self.task(task).name)
        with self._database.transaction() as connection:
            write_needs(connection, task, {query: need for query, need in needs.items() if query in known})


def write_needs(connection: Connection, task: str, needs: Mapping[str, str]) -> None:
    """Store information needs by query; an empty text removes one."""
    for query, text in needs.items():
        if need := check_text("information need", text):
            connection.execute(
                "INSERT OR REPLACE INTO needs (task, query, need) VALUES (?, ?, ?)", [task, query, need]
            )
        else:
            connection.execute("DELETE FROM needs WHERE task = ? AND query = ?", [task, query])


def make_item(row: Row, proposals: tuple[Proposal, ...] = ()) -> Item:
    """The item of a row of ITEMS."""
    return Item(row["place"], row["query"], row["candidate"], proposals, row["need"])


def now() -> str:
    """The time as it is stored."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def check_name(kind: str, name: str) -> str:
    """The name with normalized whitespace; InputError if it is empty or too long."""
    normalized = " ".join(name.split())
    if not normalized or len(normalized) > MAX_NAME_LENGTH:
        raise InputError(f"a {kind} needs a name of 1 to {MAX_NAME_LENGTH} characters, got {len(normalized)}")
    return normalized


def check_text(kind: str, text: str) -> str:
    """The text on one line, as tables need it; InputError if it is too long."""
    normalized = " ".join(text.split())
    if len(normalized) > MAX_TEXT_LENGTH:
        raise InputError(
            f"a {kind} may have {MAX_TEXT_LENGTH:,} characters, got {len(normalized):,}; shorten it"
        )
    return normalized


def _check_unused(connection: Connection, name: str) -> None:
    if connection.execute("SELECT 1 FROM tasks WHERE name = ?", [name]).fetchone():
        raise InputError(f"there is a task {name!r} already; choose another name")


def _task(row: Row) -> JudgementTask:
    return JudgementTask(
        row["name"], SCALES[row["scale"]], tuple(json.loads(row["measures"])), row["items"], row["created"]
    )
