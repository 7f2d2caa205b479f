"""Keyword lists with the rows they were read from, into which groups and canonical forms are written."""

import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import InputError
from querykin.io.columns import ColumnsRead
from querykin.io.exports.summed_columns import AMOUNTS, COUNTS
from querykin.io.numbers import parse_count, parse_number
from querykin.io.query_files import Noted, Report, read_query_rows
from querykin.io.tables import cell_text
from querykin.io.text_column import TextColumn, dense_ids
from querykin.storage.content_hash import content_hash
from querykin.text.normalization import fold_case

MAX_COLUMNS = 1000
MAX_SUM = 2**62  # of all counts, in 64 bits
_CURRENCIES = "$€£¥₹ \u00a0"
_NO_NUMBER = ("", "-", "--", "–", "—", "n/a", "null", "none")
_COUNTS, _AMOUNTS = frozenset(map(fold_case, COUNTS)), frozenset(map(fold_case, AMOUNTS))


@dataclass(frozen=True)
class KeywordTable:
    """The keywords of a list, each once, and all rows as they were read.

    Rows with the same keyword, apart from case, character width and white space, are one keyword, spelled as
    in the first of them. Counts are at least 1: a keyword without searches is one of the list, too.
    """

    queries: list[str]
    counts: list[int]  # summed over the rows of a keyword
    columns: list[str]
    summed: dict[str, Float64Array]  # columns of counts and amounts, each summed over the rows of a keyword
    row_keywords: Int64Array  # the position of each row's keyword in `queries`
    row_queries: TextColumn  # the keyword of each row in its own spelling
    row_counts: Int64Array
    delimiter: str = ","  # of the table that was read
    roles: Mapping[str, str] = field(default_factory=dict)  # the columns of the keyword and of the count
    _rows: TextColumn = field(default_factory=TextColumn, repr=False)

    @classmethod
    def of(cls, queries: Sequence[str], counts: Sequence[int]) -> "KeywordTable":
        """The table of keywords with counts that come from no file.

        >>> table = KeywordTable.of(["garden hose", "rake"], [3, 1])
        >>> table.columns, table.row(0)
        (['query', 'count'], ['garden hose', '3'])
        """
        reading = _Reading()
        for query, count in zip(queries, counts, strict=True):
            reading.add(query, count, {"query": query, "count": count})
        return reading.table()

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def row_count(self) -> int:
        """The number of rows, of which several may have the same keyword."""
        return len(self.row_keywords)

    def row(self, number: int) -> list[str]:
        """The cells of a row under `columns`."""
        cells: list[str] = json.loads(self._rows[number])
        return cells + [""] * (len(self.columns) - len(cells))

    def rows(self) -> Iterator[list[str]]:
        """The cells of all rows, in the order of the input."""
        return map(self.row, range(self.row_count))


def read_keyword_table(
    source: str,
    report: Report,
    stdin: BinaryIO | None = None,
    columns: str = "",
    noted: Noted = lambda columns: None,
) -> KeywordTable:
    """Read a list of keywords as `read_queries` does, and keep its rows.

    Keywords with the count 0 are kept. A file without keywords is an InputError.
    """
    reading, read = _Reading(), list[ColumnsRead]()
    for row in read_query_rows(source, report, stdin, columns, read.append, keeps_zero_counts=True):
        reading.add(row.query, row.count, row.record)
    for each in read:
        noted(replace(each, unread=()))  # all columns are kept
    if not reading.row_counts:
        raise InputError(
            f"no keywords in {source}; give one keyword per line or a table with a column of them"
        )
    return reading.table(read)


class _Reading:
    """A table while its rows arrive."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._keys, self.row_counts = array("q"), array("q")
        self._queries, self._rows = TextColumn(), TextColumn()
        self._numbers: dict[str, _Numbers] = {}

    def add(self, query: str, count: int, record: Mapping[str, object]) -> None:
        number = len(self.row_counts)
        self._keys.append(content_hash(fold_case(query).encode()))
        self.row_counts.append(count)
        self._queries.append(query)
        cells: list[str] = []
        for name, value in record.items():
            at = self._columns.get(name)
            if at is None:
                at = self._new_column(name)
            cells.extend([""] * (at + 1 - len(cells)))
            cells[at] = cell_text(value)
            if name in self._numbers:
                self._numbers[name].add(number, value)
        while cells and not cells[-1]:
            cells.pop()
        self._rows.append(json.dumps(cells, ensure_ascii=False))

    def _new_column(self, name: str) -> int:
        at = self._columns[name] = len(self._columns)
        if at >= MAX_COLUMNS:
            raise InputError(
                f"a keyword list has at most {MAX_COLUMNS:,} columns; column {name[:60]!r} is one more"
            )
        if fold_case(name) in _COUNTS | _AMOUNTS:
            self._numbers[name] = _Numbers(is_count=fold_case(name) in _COUNTS)
        return at

    def table(self, read: Sequence[ColumnsRead] = ()) -> KeywordTable:
        keywords = dense_ids(np.array(self._keys, np.int64))
        size = int(keywords.max(initial=-1)) + 1
        first = np.unique(keywords, return_index=True)[1]
        row_counts = np.array(self.row_counts, np.int64)
        if row_counts.sum(dtype=np.float64) > MAX_SUM:
            raise InputError(f"the counts of a keyword list sum to at most {MAX_SUM:,}: divide them by 1,000")
        counts = np.zeros(size, np.int64)
        np.add.at(counts, keywords, row_counts)
        summed = {
            name: numbers.sums(keywords, size)
            for name, numbers in self._numbers.items()
            if numbers.are_numbers and numbers.rows and np.isfinite(sum(numbers.values))
        }
        return KeywordTable(
            self._queries.at(first.tolist()),
            counts.tolist(),
            list(self._columns),
            summed,
            keywords,
            self._queries,
            row_counts,
            next((each.delimiter for each in read if each.delimiter), ","),
            _roles(read),
            self._rows,
        )


def _roles(read: Iterable[ColumnsRead]) -> dict[str, str]:
    """The columns of the keyword and of the count; those of a list have these names."""
    found = {role: name for each in read for role, name in each.roles.items() if role in ("query", "count")}
    return found or {"query": "query", "count": "count"}


class _Numbers:
    """The numbers of a column that may be summed, unless a cell turns out to be none."""

    def __init__(self, is_count: bool) -> None:
        self._is_count, self.are_numbers = is_count, True
        self.rows, self.values = array("q"), array("d")

    def add(self, row: int, cell: object) -> None:
        value = _number(cell, self._is_count)
        if value is not None:
            self.are_numbers = self.are_numbers and math.isfinite(value)
            self.rows.append(row)
            self.values.append(value)

    def sums(self, keywords: Int64Array, size: int) -> Float64Array:
        """The sum for each keyword."""
        return np.asarray(np.bincount(keywords[self.rows], self.values, size), np.float64)


def _number(cell: object, is_count: bool) -> float | None:
    """The number in a cell, NaN if it is something else, None if the cell has none."""
    if cell is None or (isinstance(cell, str) and cell.strip().casefold() in _NO_NUMBER):
        return None
    try:
        if isinstance(cell, int | float):
            return float(cell)
        if not isinstance(cell, str):
            return math.nan
        return float(parse_count(cell) or 0) if is_count else parse_number(cell.strip(_CURRENCIES))
    except (ValueError, OverflowError):
        return math.nan
