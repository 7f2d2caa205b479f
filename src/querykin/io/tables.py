"""Tables with named columns, read and written as TSV, CSV or JSON lines.

CSV has the quoting of RFC 4180; TSV has none.
"""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, TypeVar

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError
from querykin.io.characters import invalid_characters
from querykin.io.inputs import MAX_LINE_BYTES
from querykin.io.lines import open_text

FORMS = ("tsv", "csv", "jsonl")
Row = dict[str, Any]
Item = TypeVar("Item")


class ParsedRow(NamedTuple):
    """A row of a CSV or TSV file, or the reason why it cannot be parsed."""

    line: int  # on which it starts
    cells: list[str]
    error: str = ""


def parse_rows(lines: Iterable[tuple[int, str]], form: str, strict: bool = True) -> Iterator[ParsedRow]:
    r"""The rows of a CSV or TSV file from its numbered lines; parsing continues after a malformed row.

    With `strict`, unbalanced quotes are an error.

    >>> [row.cells for row in parse_rows([(1, 'a,"b\n'), (2, 'c"\n'), (3, 'd\n')], "csv")]
    [['a', 'b\nc'], ['d']]
    """
    if form == "tsv":
        for number, line in lines:
            yield ParsedRow(number, line.rstrip("\r\n").split("\t"))
        return
    start = 0

    def texts() -> Iterator[str]:
        nonlocal start
        for number, line in lines:
            start = start or number
            yield line

    csv.field_size_limit(MAX_LINE_BYTES)  # of the whole process; the default is 131,072 characters
    reader = csv.reader(texts(), strict=strict)
    while True:
        start = 0
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield ParsedRow(start, [], str(error))
            continue
        if cells is None:
            return
        yield ParsedRow(start, cells)


@dataclass(frozen=True)
class Table:
    """Rows under named columns, read on demand."""

    form: str
    columns: list[str]
    rows: Iterator[Row]

    @property
    def first_row(self) -> int:
        """The number of the first row in messages: a header is row 1."""
        return 1 if self.form == "jsonl" else 2


def read_table(source: str, needed: Sequence[str], stdin: BinaryIO | None = None) -> Table:
    """Open a table that has the needed columns; `source` is a path, or '-' for standard input.

    Rows shorter than the header are padded with empty cells. A row that cannot be used is an error that
    names the row: none is skipped.
    """
    lines = open_text(source, stdin)
    head = next((line for line in lines if line.strip()), "")
    if wrong := invalid_characters(head):
        raise InputError(f"{source}, line 1: {wrong}")
    form = _form(source, head)
    if form == "jsonl":
        first = _object(source, 1, head)
        table = Table(form, list(first), chain([first], _objects(source, lines)))
    else:
        table = _table(source, form, chain([head], lines))
    check_columns(source, table, needed)
    return table


def check_columns(source: str, table: Table, needed: Sequence[str]) -> None:
    """Raise an InputError if a table lacks columns."""
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise InputError(
            f"{source} has no column {', '.join(map(repr, missing))}; needed: {', '.join(needed)}; "
            f"found: {', '.join(table.columns) or 'none'}; "
            "give the file's own names with --columns, as in --columns query=NAME"
        )


def _form(source: str, head: str) -> str:
    """By the first line: an object, tabs or commas; the suffix decides only between the last two."""
    if head.lstrip().startswith("{"):
        return "jsonl"
    if head.lstrip().startswith("[{"):
        raise InputError(f"{source} is a JSON array; write one object a line, as in: jq -c '.[]' FILE")
    if "\t" in head or ".tsv" in Path(source).name or (".csv" not in Path(source).name and "," not in head):
        return "tsv"
    return "csv"


def _table(source: str, form: str, lines: Iterable[str]) -> Table:
    rows = parse_rows(enumerate(lines, start=1), form)
    header = next(rows)
    if header.error:
        raise InputError(f"{source}, line 1: {header.error}; a header is needed")
    columns = header.cells
    repeated = next((name for name in columns if columns.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"{source} has two columns {repeated!r}; column names must be unique")
    return Table(form, columns, _rows(source, columns, rows))


def _rows(source: str, columns: list[str], rows: Iterator[ParsedRow]) -> Iterator[Row]:
    for number, (_, cells, error) in enumerate(rows, start=2):
        if error:
            raise InputError(f"{source}, row {number}: {error}")
        if not cells or cells == [""]:
            continue  # an empty line, as at the end of many files
        if len(cells) > len(columns):
            raise InputError(f"{source}, row {number}: {len(cells)} values under {len(columns)} columns")
        yield dict(zip(columns, cells + [""] * (len(columns) - len(cells)), strict=True))


def _objects(source: str, lines: Iterator[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=2):
        if line.strip():
            yield _object(source, number, line)


def _object(source: str, number: int, line: str) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
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

    The columns of `scores` are rounded, with NaN written as null in JSON and as 'nan' elsewhere; the other
    columns are written as they were read.
    """

    def __init__(self, file: TextIO, form: str, columns: Sequence[str], scores: Sequence[str] = ()) -> None:
        clashing = [name for name in scores if name in columns]
        if clashing:
            raise InputError(
                f"the input has a column {clashing[0]!r} already; rename it or leave the measure out"
            )
        self._file, self._form, self._scores = file, form, scores
        self._columns = columns
        if form == "csv":
            self._csv = csv.writer(file, lineterminator="\n")
            self._quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
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
                self._write_cells([*(_cell(row.get(name)) for name in self._columns), *row_scores])

    def _write_cells(self, cells: Sequence[str]) -> None:
        if self._form == "csv":
            has_return = any("\r" in cell for cell in cells)  # Python before 3.13 would not quote it
            (self._quoting if has_return else self._csv).writerow(cells)
        else:
            line = "\t".join(cells)
            if "\n" in line or "\r" in line or line.count("\t") >= len(cells):
                line = "\t".join(" ".join(cell.split()) if _has_separator(cell) else cell for cell in cells)
            self._file.write(line + "\n")


def _has_separator(cell: str) -> bool:
    return "\t" in cell or "\n" in cell or "\r" in cell


def _cell(value: Any) -> str:
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
    names = {name: name for name in wanted}
    for part in filter(None, mapping.split(",")):
        role, _, name = part.partition("=")
        if role not in names or not name:
            allowed = ", ".join(f"{name}=NAME" for name in wanted)
            raise InputError(f"--columns takes {allowed} separated by commas, got {part!r}")
        names[role] = name
    return list(names.values())
