"""Judged pairs from tables (TSV, CSV, JSONL) of any length, with configurable column names."""

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.numbers import parse_number
from querykin.io.tables import Row, Table, as_text, check_columns, column_names, read_table
from querykin.io.text_column import TextColumn

NEEDED = ("query", "candidate", "grade")
OPTIONAL = ("group", "rater")
BEIR = {"query": "query-id", "candidate": "corpus-id", "grade": "score"}
_NOT_COVERED = ("", "nan", "null")
_PROGRESS_ROWS = 65_536  # rows between two progress reports


@dataclass(frozen=True)
class JudgedTable:
    """An opened table of judgements whose rows are not read yet."""

    source: str
    table: Table
    names: Mapping[str, str]  # role -> column name in the file
    where: Sequence[tuple[str, str]]  # (column, value): only rows with all these values are read

    @property
    def columns(self) -> list[str]:
        """All columns of the file."""
        return self.table.columns

    def read(
        self, scores: Sequence[str] = (), done: Callable[[int], None] = lambda rows: None
    ) -> JudgedPairs:
        """Read all rows, with these columns as scores; `done` receives numbers of rows as progress."""
        texts = {role: TextColumn() for role in ("query", "candidate", *self._optional)}
        grades, columns = array("d"), {name: array("d") for name in scores}
        for number, row in self._selected(done):
            for role, column in texts.items():
                column.append(self._text(role, row))
            grades.append(self._grade(number, row.get(self.names["grade"])))
            for name, values in columns.items():
                values.append(self._score(number, name, row.get(name)))
        if not grades:
            raise InputError(f"{self.source} holds no judged pairs{self._conditions()}")
        return JudgedPairs(
            texts["query"],
            texts["candidate"],
            np.array(grades),
            texts.get("group", texts["query"]),
            texts.get("rater"),
            {name: np.array(values) for name, values in columns.items()},
        )

    def _text(self, role: str, row: Row) -> str:
        text = as_text(row.get(self.names[role]))
        return self._text("query", row) if role == "group" and not text else text

    @property
    def _optional(self) -> list[str]:
        return [role for role in OPTIONAL if self.names[role] in self.table.columns]

    def _selected(self, done: Callable[[int], None]) -> Iterator[tuple[int, Row]]:
        for number, row in enumerate(self.table.rows, self.table.first_row):
            if number % _PROGRESS_ROWS == 0:
                done(_PROGRESS_ROWS)
            if all(as_text(row.get(column)) == value for column, value in self.where):
                yield number, row

    def _grade(self, number: int, value: object) -> float:
        grade = _number(value)
        if not abs(grade) <= limits.MAX_GRADE:  # nor NaN
            raise InputError(
                f"{self.source}, row {number}: the grade must be a number, got {_shown(value)}; it may be "
                f"from {-limits.MAX_GRADE:g} to {limits.MAX_GRADE:g}"
            )
        return grade

    def _score(self, number: int, name: str, value: object) -> float:
        if value is None or (isinstance(value, str) and value.strip().lower() in _NOT_COVERED):
            return math.nan
        score = _number(value)
        if not math.isfinite(score):
            raise InputError(
                f"{self.source}, row {number}: {name!r} must be a number, or empty, nan or null for "
                f"'not covered', got {_shown(value)}"
            )
        return score

    def _conditions(self) -> str:
        return " with " + " and ".join(map("=".join, self.where)) if self.where else ""


def open_judged_pairs(
    source: str, columns: str = "", where: Iterable[str] = (), raters: bool = False
) -> JudgedTable:
    """Open a file of judgements; `source` is a path, or '-' for standard input.

    `columns` maps roles to the file's column names, as in "query=anchor,group=need"; `where` selects rows by
    values, as in ["kind=QR"]. BEIR's column names are recognized. With `raters`, a rater column is required.
    """
    names = dict(zip((*NEEDED, *OPTIONAL), column_names(columns, (*NEEDED, *OPTIONAL)), strict=True))
    conditions = [condition(each) for each in where]
    table = read_table(source, (), headers=([names[role] for role in NEEDED], BEIR.values()))
    if not columns and set(BEIR.values()) <= set(table.columns):
        names |= BEIR
    needed = [names[role] for role in NEEDED]
    needed += [names[role] for role in OPTIONAL if names[role] != role or (raters and role == "rater")]
    check_columns(source, table, [*needed, *(column for column, _ in conditions)])
    return JudgedTable(source, table, names, conditions)


def read_judged_pairs(
    source: str, columns: str = "", where: Iterable[str] = (), scores: Sequence[str] = ()
) -> JudgedPairs:
    """The judged pairs of a file, one entry per pair."""
    table = open_judged_pairs(source, columns, where)
    check_columns(source, table.table, scores)
    return table.read(scores).merged()


def condition(text: str) -> tuple[str, str]:
    """A column and the required value, from "column=value"."""
    column, equals, value = text.partition("=")
    if not column or not equals:
        raise InputError(f"--where takes COLUMN=VALUE, as in --where kind=QR, got {text!r}")
    return column, value


def _number(value: object) -> float:
    """The number in a cell; NaN if it is something else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return math.nan
    try:
        return parse_number(value) if isinstance(value, str) else float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.nan


def _shown(value: object) -> str:
    return "nothing" if value is None or value == "" else repr(value)[:60]
