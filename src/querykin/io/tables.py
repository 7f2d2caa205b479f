"""Which pairs? Rows with a query and a candidate, read and written as they came: TSV, CSV or JSONL."""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError
from querykin.io.characters import invalid_characters
from querykin.io.documents import open_text
from querykin.io.inputs import MAX_LINE_BYTES

FORMS = ("tsv", "csv", "jsonl")
Row = dict[str, Any]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Table:
    """Rows under named columns, read as they are asked for."""

    form: str
    columns: list[str]
    rows: Iterator[Row]


def read_table(source: str, needed: Sequence[str], stdin: BinaryIO | None = None) -> Table:
    """Open a table that has the needed columns; `source` is a path, or '-' for standard input.

    A row with fewer values than the header has empty ones; a row with more is an error, since rows are
    never dropped.
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
        table = _table(source, form, head, lines)
    check_columns(source, table, needed)
    return table


def check_columns(source: str, table: Table, needed: Sequence[str]) -> None:
    """Complain about columns that a table lacks."""
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise InputError(
            f"{source} has no column {', '.join(map(repr, missing))}; needed: {', '.join(needed)}; "
            f"found: {', '.join(table.columns) or 'none'}; "
            "give the file's own names with --columns, as in --columns query=NAME"
        )


def _form(source: str, head: str) -> str:
    """By the first line: an object, tabs, or commas; the ending decides only between the last two."""
    if head.lstrip().startswith("{"):
        return "jsonl"
    if head.lstrip().startswith("[{"):
        raise InputError(f"{source} is a JSON array; write one object a line, as in: jq -c '.[]' FILE")
    if "\t" in head or ".tsv" in Path(source).name or (".csv" not in Path(source).name and "," not in head):
        return "tsv"
    return "csv"


def _table(source: str, form: str, head: str, lines: Iterator[str]) -> Table:
    if form == "tsv":
        records: Iterator[list[str]] = (line.rstrip("\r\n").split("\t") for line in chain([head], lines))
    else:
        csv.field_size_limit(MAX_LINE_BYTES)  # the module's own limit, 131072 characters, is for the process
        records = csv.reader(chain([head], lines), strict=True)
    try:
        columns = next(records)
    except csv.Error as error:
        raise InputError(f"{source}, line 1: {error}; a header is needed") from error
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{source} has two columns {twice!r}; columns need names of their own")
    return Table(form, columns, _rows(source, columns, records))


def _rows(source: str, columns: list[str], records: Iterator[list[str]]) -> Iterator[Row]:
    number = 1
    while True:
        number += 1
        try:
            values = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"{source}, row {number}: {error}") from error
        if not values or values == [""]:
            continue  # an empty line, as at the end of many files
        if len(values) > len(columns):
            raise InputError(f"{source}, row {number}: {len(values)} values under {len(columns)} columns")
        yield dict(zip(columns, values + [""] * (len(columns) - len(values)), strict=True))


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
    """Items in groups of a size."""
    remaining = iter(items)
    while group := list(islice(remaining, size)):
        yield group


def plain(value: float) -> float | None:
    """A score as JSON knows it: null for 'not covered'."""
    return None if math.isnan(value) else round(value, 9)


class TableWriter:
    """Writes rows in one of the forms: the header first, then rows as they come.

    The columns of `scores` are rounded, and NaN there is null in JSON and 'nan' elsewhere; the other
    columns stay as they were read.
    """

    def __init__(self, file: TextIO, form: str, columns: Sequence[str], scores: Sequence[str] = ()) -> None:
        both = [name for name in scores if name in columns]
        if both:
            raise InputError(
                f"the input has a column {both[0]!r} already; rename it or leave the measure out"
            )
        self._file, self._form, self._scores = file, form, scores
        self._columns = columns
        if form == "csv":
            self._csv = csv.writer(file, lineterminator="\n")
            self._quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        if form != "jsonl":
            self._values([*columns, *scores])

    def write(self, rows: Sequence[Mapping[str, Any]], scores: Mapping[str, Float64Array]) -> None:
        """Write rows, each with its scores behind it."""
        if self._form == "jsonl":
            values = [[plain(value) for value in scores[name].tolist()] for name in self._scores]
            for row, *found in zip(rows, *values, strict=True):
                content = {**row, **dict(zip(self._scores, found, strict=True))}
                self._file.write(json.dumps(content, ensure_ascii=False) + "\n")
        else:
            cells = [[format(value, ".9g") for value in scores[name].tolist()] for name in self._scores]
            for row, *found in zip(rows, *cells, strict=True):
                self._values([*(_cell(row.get(name)) for name in self._columns), *found])

    def _values(self, values: Sequence[str]) -> None:
        if self._form == "csv":
            bare = any("\r" in value for value in values)  # Python before 3.13 would not quote it
            (self._quoting if bare else self._csv).writerow(values)
        else:
            line = "\t".join(values)
            if "\n" in line or "\r" in line or line.count("\t") >= len(values):
                line = "\t".join(" ".join(value.split()) if _breaks(value) else value for value in values)
            self._file.write(line + "\n")


def _breaks(value: str) -> bool:
    return "\t" in value or "\n" in value or "\r" in value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_text(value: object) -> str:
    """A cell as text; nothing is the empty text, and the number 0 is "0"."""
    return "" if value is None else str(value)


def column_names(mapping: str, wanted: Sequence[str]) -> list[str]:
    """The file's own names of the wanted columns.

    >>> column_names("query=anchor", ("query", "candidate"))
    ['anchor', 'candidate']
    """
    names = {name: name for name in wanted}
    for part in filter(None, mapping.split(",")):
        ours, _, theirs = part.partition("=")
        if ours not in names or not theirs:
            allowed = ", ".join(f"{name}=NAME" for name in wanted)
            raise InputError(f"--columns takes {allowed} separated by commas, got {part!r}")
        names[ours] = theirs
    return list(names.values())
