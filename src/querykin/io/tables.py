"""Tables with named columns: CSV with any delimiter, TSV and JSON lines, read on demand and written.

The delimiter, the quoting, the encoding and the line of the header are found in the file.
"""

import csv
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, BinaryIO, TextIO, TypeVar

from querykin.compute.arrays import Float64Array
from querykin.counted_nouns import counted
from querykin.errors import InputError
from querykin.io.characters import invalid_characters
from querykin.io.columns import listed_columns, named_positions, nearest_column, parse_roles
from querykin.io.csv_rows import Dialect, ParsedRow, parse_rows
from querykin.io.dialects import Layout, find_layout, first_lines
from querykin.io.inputs import Input
from querykin.io.lines import OpenedContent, open_content
from querykin.io.record_files import KINDS, open_records
from querykin.io.safe_csv import restored_cell, safe_cell
from querykin.untrusted_json import InvalidJson, parse_json

FORMS = ("tsv", "csv", "jsonl")
Row = dict[str, Any]
Item = TypeVar("Item")


def open_rows(
    lines: Iterator[tuple[int, str]],
    name: str,
    is_header: Callable[[Sequence[str]], bool] = lambda cells: False,
) -> tuple[Layout, Iterator[ParsedRow]]:
    r"""The layout of a table with numbered lines, and the rows below its header.

    >>> layout, rows = open_rows(iter([(1, "Report\n"), (2, "a;b\n"), (3, "1,5;x\n")]), "r.csv")
    >>> layout.dialect.delimiter, layout.header.cells, next(rows)
    (';', ['a', 'b'], ParsedRow(line=3, cells=['1,5', 'x']))
    """
    sample = first_lines(lines)
    layout = find_layout(sample, name, is_header)
    return layout, rows_below(layout, chain(sample, lines))


def rows_below(layout: Layout, lines: Iterator[tuple[int, str]]) -> Iterator[ParsedRow]:
    """The rows below the header of a table, of which these are all lines, with cells as before export."""
    rows = parse_rows(islice(lines, layout.skipped_lines, None), layout.dialect)
    next(rows, None)
    for row in rows:
        yield ParsedRow(row.line, list(map(restored_cell, row.cells)))


def fit(cells: list[str], width: int) -> list[str] | None:
    """The cells of a row in a table of this width: missing ones are empty; None if there are too many.

    >>> fit(["a"], 2), fit(["a", "b", ""], 2), fit(["a", "b", "c"], 2)
    (['a', ''], ['a', 'b'], None)
    """
    return None if any(cells[width:]) else cells[:width] + [""] * (width - len(cells))


def named_rows(
    source: Input, header: Sequence[str], rows: Iterable[ParsedRow]
) -> Iterator[tuple[int, dict[str, object]]]:
    """The rows below a header as records with their lines; rows that cannot be used are skipped.

    Of columns with the same name the first counts; columns without a name are ignored.
    """
    positions = named_positions(header)
    for line, cells in rows:
        if not any(cells):
            continue
        fitted = fit(cells, len(header))
        if fitted is None:
            source.skip(line, f"{counted(len(cells), 'column')} where the header has {len(header)}")
        elif wrong := invalid_characters("".join(cells)):
            source.skip(line, wrong)
        else:
            yield line, {name: fitted[at] for name, at in positions.items()}


@dataclass(frozen=True)
class Table:
    """Rows under named columns, read on demand."""

    form: str
    columns: list[str]
    rows: Iterator[Row]
    first_row: int  # the number of the first row in messages: a header without lines above it is row 1
    dialect: Dialect | None = None  # None for JSON lines


def read_table(
    source: str,
    needed: Sequence[str],
    stdin: BinaryIO | None = None,
    headers: Iterable[Collection[str]] = (),
) -> Table:
    """Open a table that has the needed columns; `source` is a path, or '-' for standard input.

    Rows shorter than the header are padded with empty cells. A row that cannot be used is an error that
    names the row: none is skipped. The header is the row that has the needed columns, or all those of one
    of `headers`.
    """
    table = open_table(open_content(source, stdin, KINDS), source, (needed, *headers))
    check_columns(source, table, needed)
    return table


def open_table(opened: OpenedContent, name: str, headers: Iterable[Collection[str]] = ()) -> Table:
    """The table in an opened file; its header is the row that has all names of one of `headers`."""
    known = [set(names) for names in headers if names]

    def is_header(cells: Sequence[str]) -> bool:
        return any(names.issubset(cells) for names in known)

    try:
        records = open_records(opened.file, name, is_header)
    except BaseException:
        opened.close()
        raise
    if records is None:
        return _from_lines(name, opened.lines(), is_header)
    opened.close()
    form = "csv" if records.form.startswith("Excel") else "jsonl"
    return Table(form, records.columns, (row for _, row in records.records), records.first_row)


def _from_lines(source: str, lines: Iterator[str], is_header: Callable[[Sequence[str]], bool]) -> Table:
    head = next((line for line in lines if line.strip()), "")
    if wrong := invalid_characters(head):
        raise InputError(f"{source}, line 1: {wrong}")
    if head.lstrip().startswith("{"):
        first = _object(source, 1, head)
        return Table("jsonl", list(first), chain([first], _objects(source, lines)), 1)
    return _delimited(source, chain([head], lines), is_header)


def check_columns(source: str, table: Table, needed: Sequence[str]) -> None:
    """Raise an InputError if a table lacks columns; it names the nearest."""
    missing = [name for name in needed if name not in table.columns]
    if missing:
        named = ", ".join(f"{name!r}{nearest_column(name, table.columns)}" for name in missing)
        raise InputError(
            f"{source} has no column {named}; needed: {', '.join(needed)}; "
            f"found: {listed_columns(table.columns)}; "
            "give the file's own names with --columns, as in --columns query=NAME"
        )


def _delimited(source: str, lines: Iterable[str], is_header: Callable[[Sequence[str]], bool]) -> Table:
    layout, rows = open_rows(enumerate(lines, start=1), source, is_header)
    columns = layout.header.cells
    repeated = next((name for name in columns if columns.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"{source} has two columns {repeated!r}; column names must be unique")
    first_row = layout.skipped_lines + 2
    return Table(
        layout.dialect.form, columns, _rows(source, columns, rows, first_row), first_row, layout.dialect
    )


def _rows(source: str, columns: list[str], rows: Iterator[ParsedRow], first_row: int) -> Iterator[Row]:
    for number, (_, cells) in enumerate(rows, start=first_row):
        if not cells or cells == [""]:
            continue  # an empty line, as at the end of many files
        fitted = fit(cells, len(columns))
        if fitted is None:
            given, expected = counted(len(cells), "value"), counted(len(columns), "column")
            raise InputError(f"{source}, row {number}: {given} under {expected}")
        yield dict(zip(columns, fitted, strict=True))


def _objects(source: str, lines: Iterator[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=2):
        if line.strip():
            yield _object(source, number, line)


def _object(source: str, number: int, line: str) -> Row:
    try:
        row = parse_json(line)
    except InvalidJson as error:
        raise InputError(f"{source}, line {number}: not JSON: {error}") from error
    if not isinstance(row, dict):
        raise InputError(f"{source}, line {number}: expected an object, got {line.strip()[:40]}")
    return row


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Items in lists of the given size; the last may be shorter."""
    remaining = iter(items)
    while chunk := list(islice(remaining, size)):
        yield chunk


def plain(value: float) -> float | None:
    """A score as a JSON value: null for 'not covered'."""
    return None if math.isnan(value) else round(value, 9)


class TableWriter:
    """Writes a header and rows as TSV, CSV or JSON lines.

    `dialect` is that of the input, so that a table with semicolons stays one. TSV is written without quotes,
    unless the input has them. The columns of `scores` are rounded, with NaN written as null in JSON and as
    'nan' elsewhere; the other columns are written as they were read, in CSV so that no cell is a formula.
    """

    def __init__(
        self,
        file: TextIO,
        form: str,
        columns: Sequence[str],
        scores: Sequence[str] = (),
        dialect: Dialect | None = None,
    ) -> None:
        clashing = [name for name in scores if name in columns]
        if clashing:
            raise InputError(
                f"the input has a column {clashing[0]!r} already; rename it or leave the measure out"
            )
        self._file, self._form, self._scores = file, form, scores
        self._columns = columns
        if dialect is None or dialect.form != form:
            dialect = Dialect("\t", is_quoted=False) if form == "tsv" else Dialect()
        self._is_quoted = dialect.is_quoted
        self._csv = csv.writer(file, delimiter=dialect.delimiter, lineterminator="\n")
        self._quoting = csv.writer(
            file, delimiter=dialect.delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL
        )
        if form != "jsonl":
            self._write_cells([*columns, *scores])

    def write(self, rows: Sequence[Mapping[str, Any]], scores: Mapping[str, Float64Array]) -> None:
        """Write rows, each followed by its scores."""
        if self._form == "jsonl":
            values = [[plain(value) for value in scores[name].tolist()] for name in self._scores]
            for row, *row_scores in zip(rows, *values, strict=True):
                content = {**row, **dict(zip(self._scores, row_scores, strict=True))}
                self._file.write(json.dumps(content, ensure_ascii=False) + "\n")
        else:
            cells = [[format(value, ".9g") for value in scores[name].tolist()] for name in self._scores]
            for row, *row_scores in zip(rows, *cells, strict=True):
                texts = (cell_text(row.get(name)) for name in self._columns)
                self._write_cells([*(map(safe_cell, texts) if self._form == "csv" else texts), *row_scores])

    def _write_cells(self, cells: Sequence[str]) -> None:
        if self._is_quoted:
            has_return = any("\r" in cell for cell in cells)  # Python before 3.13 would not quote it
            (self._quoting if has_return else self._csv).writerow(cells)
        else:
            line = "\t".join(cells)
            if "\n" in line or "\r" in line or line.count("\t") >= len(cells):
                line = "\t".join(" ".join(cell.split()) if _has_separator(cell) else cell for cell in cells)
            self._file.write(line + "\n")


def _has_separator(cell: str) -> bool:
    return "\t" in cell or "\n" in cell or "\r" in cell


def cell_text(value: Any) -> str:
    """A value as a cell of a table: a text as it is, None as the empty cell, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_text(value: object) -> str:
    """A cell as text: the empty text for None, "0" for the number 0."""
    return "" if value is None else str(value)


def column_names(mapping: str, wanted: Sequence[str]) -> list[str]:
    """The names that the wanted columns have in a file.

    >>> column_names("query=anchor", ("query", "candidate"))
    ['anchor', 'candidate']
    """
    given = parse_roles(mapping, wanted)
    return [given.get(role, role) for role in wanted]
