"""Rows of delimited text: RFC 4180 with any delimiter, and rows whose quotes are unbalanced."""

import csv
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from querykin.io import limits

# Delimiters of a row with quotes, most of them within its texts: 8 bytes each while the row is parsed.
_MAX_DELIMITERS = 4_000_000
# Characters that may be looked at in vain for the end of a quoted cell: so many for each of the table, and
# those of one row more. Without such a bound a table of unclosed quotes would take quadratic time.
_VAIN_PER_CHARACTER = 2
_LINE_COST = 64  # characters that a line counts for besides its own: short lines cost time, too


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
    csv.field_size_limit(limits.MAX_LINE_BYTES)  # of the whole process; the default is 131,072 characters
    pending = _Pending(lines)
    vain = limits.MAX_LINE_BYTES  # characters that may still be looked at
    while (entry := pending.take()) is not None:
        number, line = entry
        vain += _VAIN_PER_CHARACTER * len(line)
        cells = None
        if dialect.is_quoted and '"' in line:
            cells, seen = _quoted_row(line, pending, dialect, vain)
            vain -= 0 if cells else seen
        yield ParsedRow(number, _split(line, dialect) if cells is None else cells)


class _Pending:
    """Lines that can be looked at before they are taken."""

    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self._lines = iter(lines)
        self._seen: list[tuple[int, str]] = []
        self._taken = 0  # of those seen

    def take(self) -> tuple[int, str] | None:
        if self._taken == len(self._seen):
            return next(self._lines, None)
        self._taken += 1
        return self._seen[self._taken - 1]

    def look(self, position: int) -> str | None:
        """The line after `position` others that were not taken, or None at the end."""
        if self._taken + position == len(self._seen):
            entry = next(self._lines, None)
            if entry is None:
                return None
            if self._taken > len(self._seen) // 2:
                del self._seen[: self._taken]
                self._taken = 0
            self._seen.append(entry)
        return self._seen[self._taken + position][1]

    def drop(self, count: int) -> None:
        self._taken += count


def _quoted_row(
    line: str, following: _Pending, dialect: Dialect, longest: int
) -> tuple[list[str] | None, int]:
    """The cells of a row that starts with this line, None if its quotes are unbalanced; the cost."""
    size = 0
    longest = min(longest, limits.MAX_LINE_BYTES)

    def row() -> Iterator[str]:
        nonlocal size
        delimiters = 0
        for position in range(limits.MAX_ROW_LINES):
            next_line = following.look(position - 1) if position else line
            if next_line is None or size + len(next_line) > longest:
                return
            size += len(next_line) + (_LINE_COST if position else 0)
            delimiters += next_line.count(dialect.delimiter)
            if delimiters > _MAX_DELIMITERS:
                return
            yield next_line

    reader = csv.reader(row(), delimiter=dialect.delimiter, strict=True)
    try:
        cells = next(reader)
    except (csv.Error, StopIteration):  # not RFC 4180, or the quoted cell goes on
        return None, size
    following.drop(reader.line_num - 1)
    return cells[: limits.MAX_COLUMNS + 1], size


def _split(line: str, dialect: Dialect) -> list[str]:
    return line.rstrip("\r\n").split(dialect.delimiter, limits.MAX_COLUMNS)
