"""Rows of delimited text: RFC 4180 with any delimiter, and rows whose quotes are unbalanced."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from querykin.io import inputs

# Lines that one row may span. A quote that is never closed is an ordinary character; so far one looks ahead.
MAX_ROW_LINES = 10_000


class Dialect(NamedTuple):
    """The delimiter of a table, and whether its cells may be quoted."""

    delimiter: str = ","
    is_quoted: bool = True

    @property
    def form(self) -> str:
        """The format as the command line names it: tsv or csv."""
        return "tsv" if self.delimiter == "\t" else "csv"


class ParsedRow(NamedTuple):
    """A row and the number of the line on which it starts."""

    line: int
    cells: list[str]


def parse_rows(lines: Iterable[tuple[int, str]], dialect: Dialect) -> Iterator[ParsedRow]:
    r"""The rows of a table from its numbered lines.

    A quoted cell may contain delimiters and line ends. Quotes that do not enclose a cell are ordinary
    characters, so that a stray one changes its own row only.

    >>> [row.cells for row in parse_rows([(1, 'a,"b\n'), (2, 'c"\n'), (3, 'd,"e\n'), (4, "f\n")], Dialect())]
    [['a', 'b\nc'], ['d', '"e'], ['f']]
    """
    csv.field_size_limit(inputs.MAX_LINE_BYTES)  # of the whole process; the default is 131,072 characters
    pending = _Pending(lines)
    while (entry := pending.take()) is not None:
        number, line = entry
        if not dialect.is_quoted or '"' not in line:
            yield ParsedRow(number, _split(line, dialect))
            continue
        cells = _quoted_row(line, pending, dialect)
        yield ParsedRow(number, _split(line, dialect) if cells is None else cells)


class _Pending:
    """Lines that can be looked at before they are taken."""

    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self._lines = iter(lines)
        self._seen: deque[tuple[int, str]] = deque()

    def take(self) -> tuple[int, str] | None:
        return self._seen.popleft() if self._seen else next(self._lines, None)

    def look(self, position: int) -> str | None:
        """The line after `position` others that were not taken, or None at the end."""
        if position == len(self._seen):
            entry = next(self._lines, None)
            if entry is None:
                return None
            self._seen.append(entry)
        return self._seen[position][1]

    def drop(self, count: int) -> None:
        for _ in range(count):
            self._seen.popleft()


def _quoted_row(line: str, following: _Pending, dialect: Dialect) -> list[str] | None:
    """The cells of a row that starts with this line; None if its quotes are unbalanced."""
    row, size = [line], len(line)
    length, cells = _parse(row, dialect)
    while not length:
        next_line = following.look(len(row) - 1) if len(row) < MAX_ROW_LINES else None
        if next_line is None or size + len(next_line) > inputs.MAX_LINE_BYTES:
            return None
        row.append(next_line)
        size += len(next_line)
        if next_line.count('"') % 2:  # otherwise the quoted cell goes on
            length, cells = _parse(row, dialect)
    following.drop(length - 1)
    return cells


def _parse(lines: list[str], dialect: Dialect) -> tuple[int, list[str] | None]:
    """The number of lines of the first row, 0 if it goes on, and its cells, None if they are not RFC 4180."""
    reader = csv.reader(lines, delimiter=dialect.delimiter, strict=True)
    try:
        cells = next(reader)
    except csv.Error as error:
        return (0, None) if "unexpected end of data" in str(error) else (1, None)
    return reader.line_num, cells


def _split(line: str, dialect: Dialect) -> list[str]:
    return line.rstrip("\r\n").split(dialect.delimiter)
