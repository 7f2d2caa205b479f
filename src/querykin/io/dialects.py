"""The dialect of a table, found in its first lines: the delimiter, the quoting, and the line of the header.

Reports have lines above their header (a title, a date), and spreadsheets write "sep=;" there.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from querykin.io.csv_rows import Dialect, ParsedRow, parse_rows

SAMPLE_LINES = 200
SAMPLE_CHARACTERS = 2**20
MAX_PREAMBLE_ROWS = 20

_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r"\s*\"?sep=(.)\"?\s*", re.IGNORECASE)
_QUOTED_LINE = re.compile(r'"[^"\t\n]*"(?:\t"[^"\t\n]*")*\r?\n?')

Lines = Sequence[tuple[int, str]]


@dataclass(frozen=True)
class Layout:
    """Where the table begins, and in which dialect it is written."""

    dialect: Dialect
    header: ParsedRow
    skipped_lines: int  # above the header
    is_recognized: bool  # whether the header was recognized


def first_lines(lines: Iterator[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines from which the layout of a table is found, taken from an iterator."""
    sample: list[tuple[int, str]] = []
    size = 0
    for number, line in lines:
        sample.append((number, line))
        size += len(line)
        if len(sample) == SAMPLE_LINES or size > SAMPLE_CHARACTERS:
            break
    return sample


def find_layout(
    lines: Lines, name: str, is_header: Callable[[Sequence[str]], bool] = lambda cells: False
) -> Layout:
    """The dialect and the header of a table from its first lines.

    The header is the first row that `is_header` accepts (of several, the widest), otherwise the first row
    as wide as most.
    """
    forced = _SEPARATOR_LINE.fullmatch(lines[0][1]) if lines else None
    table = lines[1:] if forced else lines
    delimiters = (forced[1],) if forced else _in_order(lines, name)
    dialects = [Dialect(delimiter, _is_quoted(table, delimiter)) for delimiter in delimiters]
    tables = [(dialect, _rows(table, dialect)) for dialect in dialects]
    accepted = [
        (dialect, row) for dialect, rows in tables for row in rows[:MAX_PREAMBLE_ROWS] if is_header(row.cells)
    ]
    if accepted:
        dialect, header = max(accepted, key=lambda found: len(found[1].cells))
    else:
        dialect, rows = max(tables, key=lambda parsed: _regularity(parsed[1]))
        width = _usual_width(rows)
        wide = (row for row in rows[:MAX_PREAMBLE_ROWS] if len(row.cells) >= width)
        header = next(wide, ParsedRow(1, [""]))
    skipped = sum(number < header.line for number, _ in lines)
    return Layout(dialect, header, skipped, bool(accepted))


def _in_order(lines: Lines, name: str) -> list[str]:
    """The delimiters, the most likely one first: it wins among equals."""
    first = "\t" if ".tsv" in name.lower() or any("\t" in line for _, line in lines[:1]) else ","
    return sorted(_DELIMITERS, key=lambda delimiter: delimiter != first)


def _is_quoted(lines: Lines, delimiter: str) -> bool:
    """Other tables than TSV always have quoting; TSV if a line is all quoted, or only then makes sense."""
    if delimiter != "\t" or any(_QUOTED_LINE.fullmatch(line) for _, line in lines[:MAX_PREAMBLE_ROWS]):
        return True
    quoted, literal = (
        [
            row for row in parse_rows(lines, Dialect(delimiter, is_quoted)) if row.cells != [""]
        ]  # not blank lines
        for is_quoted in (True, False)
    )
    if _regularity(quoted) > _regularity(literal):
        return True
    written = {row.line: row.cells for row in literal}
    return any(
        cell != as_written and '"' in cell
        for row in quoted
        for cell, as_written in zip(row.cells, written[row.line], strict=False)
    )


def _rows(lines: Lines, dialect: Dialect) -> list[ParsedRow]:
    return [row for row in parse_rows(lines, dialect) if any(map(str.strip, row.cells))]


def _usual_width(rows: Sequence[ParsedRow]) -> int:
    widths = Counter(len(row.cells) for row in rows if len(row.cells) > 1)
    return max(widths, key=lambda width: (widths[width], width), default=1)


def _regularity(rows: Sequence[ParsedRow]) -> float:
    """The share of rows that have the usual number of columns, which is above one."""
    width = _usual_width(rows)
    return sum(len(row.cells) == width for row in rows) / len(rows) if width > 1 else 0.0
