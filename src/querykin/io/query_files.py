"""Files of queries: tables with a column of queries, JSON, lists of one query per line; zip archives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import PurePath
from typing import BinaryIO

from querykin.errors import InputError, MissingExtra
from querykin.io.characters import invalid_characters, printable, sanitize_json
from querykin.io.columns import (
    ColumnMapping,
    ColumnsRead,
    columns_read,
    is_header,
    recognize_columns,
)
from querykin.io.compression import split_suffixes
from querykin.io.dialects import Layout, find_layout, first_lines
from querykin.io.inputs import Input, content
from querykin.io.lines import open_source
from querykin.io.numbers import parse_count
from querykin.io.query_records import ALLOWED, QueryRow, queries, query_columns, usable_query
from querykin.io.record_files import KINDS, RecordFile, first_records, keys_of, open_records
from querykin.io.streams import as_file
from querykin.io.tables import named_rows, rows_below
from querykin.io.zip_archive import ZipArchive
from querykin.types import SkippedFile, SkippedRecord
from querykin.untrusted_json import InvalidJson, parse_json

_TABLE_SUFFIXES = (".csv", ".tsv", ".tab")
_ARCHIVED_SUFFIXES = (
    *_TABLE_SUFFIXES,
    *(".txt", ".json", ".jsonl", ".ndjson", ".xlsx", ".xlsm", ".parquet", ".arrow", ".feather"),
)
Report = Callable[[SkippedRecord], None]
Noted = Callable[[ColumnsRead], None]
Query = tuple[str, int, str]  # the query, its count and its id


def read_queries(
    source: str,
    report: Report,
    stdin: BinaryIO | None = None,
    columns: str = "",
    noted: Noted = lambda columns: None,
) -> Iterator[Query]:
    """The queries of a file with their counts (1 by default) and ids (by default the line number).

    `columns` maps roles to the file's own column names, as in "query=Suchanfrage,count=Klicks"; how the file
    was read goes to `noted` at its end. Lines that are empty, too long or have an invalid count are skipped
    and go to `report`; so are the files of a zip archive that hold no queries.
    """
    return ((row.query, row.count, row.id) for row in read_query_rows(source, report, stdin, columns, noted))


def read_query_rows(
    source: str,
    report: Report,
    stdin: BinaryIO | None = None,
    columns: str = "",
    noted: Noted = lambda columns: None,
    *,
    keeps_zero_counts: bool = False,
) -> Iterator[QueryRow]:
    """The queries of a file, each with the row or JSON object that it was read from.

    The row of a list has the columns `query` and `count`.
    """
    mapping = ColumnMapping.parse(columns, "queries")

    def read(raw: BinaryIO, name: str, compression: str) -> Iterator[QueryRow]:
        with raw, content(raw, name, compression, None, KINDS) as file:
            opened = Input(file, name, name, report, mapping, keeps_zero_counts)
            records = open_records(file, name, partial(is_header, kind="queries", given=mapping))
            yield from _from_text(opened) if records is None else _from_records(opened, records)
            if opened.columns_read is not None:
                noted(opened.columns_read)

    if PurePath(source).suffix.lower() == ".zip":
        return _from_archive(ZipArchive(source, source), source, report, read)
    return read(*open_source(source, stdin))


def _from_archive(
    archive: ZipArchive,
    name: str,
    report: Report,
    read: Callable[[BinaryIO, str, str], Iterator[QueryRow]],
) -> Iterator[QueryRow]:
    count, reason = 0, "nothing to read was found in it"
    with archive:
        for member in archive.members():
            label = f"{name}/{printable(member.filename)}"
            suffix, compression = split_suffixes(PurePath(member.filename))
            try:
                if suffix not in _ARCHIVED_SUFFIXES:
                    raise InputError(f"{label} is neither a table nor a list ({suffix or 'no ending'})")
                for row in read(as_file(archive.read(member)), label, compression):
                    count += 1
                    yield row
            except (InputError, MissingExtra) as error:
                report(SkippedFile(label, None, str(error).removesuffix(f"; {ALLOWED}")))
                reason = str(error)
    if not count:
        raise InputError(f"no queries in {name}: {reason}")


def _from_records(source: Input, found: RecordFile) -> Iterator[QueryRow]:
    columns = query_columns(source, found.columns)
    yield from queries(source, found.records, columns)
    source.columns_read = columns_read(source.name, found.form, "", columns)


def _from_text(source: Input) -> Iterator[QueryRow]:
    lines = _text_lines(source)
    sample = first_lines(lines)
    following = chain(sample, lines)
    layout = find_layout(sample, source.name, partial(is_header, kind="queries", given=source.columns))
    if _is_json(source.name, sample):
        return _from_json(source, following)
    if _is_table(source.name, sample, layout, source.columns):
        return _from_table(source, layout, following)
    return _from_list(source, following)


def _text_lines(source: Input) -> Iterator[tuple[int, str]]:
    for number, line in source.lines():
        text = line.decode("utf-8", "surrogateescape")
        wrong = invalid_characters(text.replace("\0", " "))  # NUL is a space in queries
        if wrong:
            source.skip(number, wrong)
        else:
            yield number, text


def _is_json(name: str, sample: Sequence[tuple[int, str]]) -> bool:
    if any(suffix in name.lower() for suffix in (".jsonl", ".ndjson")):
        return True
    head = next((line for _, line in sample if line.strip()), "")
    return head.startswith("{") and isinstance(_object(head), dict)


def _object(line: str) -> object:
    """The JSON value of a line, or the error."""
    try:
        return sanitize_json(parse_json(line))
    except InvalidJson as error:
        return error


def _is_table(name: str, sample: Sequence[tuple[int, str]], layout: Layout, mapping: ColumnMapping) -> bool:
    """Whether a file is a table rather than a list; a list may begin with a query such as "keyword"."""
    if ".csv" in name.lower() or mapping.roles:
        return True
    if not layout.is_recognized:
        return False
    cells = layout.header.cells
    columns = recognize_columns(tuple(cells), "queries")
    if columns.export is not None:
        return True
    if layout.skipped_lines != sum(not line.strip() for _, line in sample[: layout.skipped_lines]):
        return False
    is_named_table = any(suffix in name.lower() for suffix in _TABLE_SUFFIXES)
    return bool(columns.roles["count"]) or (is_named_table and not any(map(_is_number, cells)))


def _is_number(cell: str) -> bool:
    try:
        return parse_count(cell) is not None
    except ValueError:
        return False


def _from_table(source: Input, layout: Layout, lines: Iterator[tuple[int, str]]) -> Iterator[QueryRow]:
    header = [name.strip() for name in layout.header.cells]
    columns = query_columns(source, header)
    yield from queries(source, named_rows(source, header, rows_below(layout, lines)), columns)
    form, delimiter = layout.dialect.form.upper(), layout.dialect.delimiter
    source.columns_read = columns_read(source.name, form, source.encoding, columns, delimiter)


def _from_json(source: Input, lines: Iterator[tuple[int, str]]) -> Iterator[QueryRow]:
    def objects() -> Iterator[tuple[int, Mapping[str, object]]]:
        for number, line in lines:
            if line.strip():
                value = _object(line)
                if isinstance(value, dict):
                    yield number, value
                else:
                    reason = f"not JSON: {value}" if isinstance(value, Exception) else "not a JSON object"
                    source.skip(number, reason)

    records = objects()
    first = first_records(records)
    columns = query_columns(source, keys_of(record for _, record in first))
    yield from queries(source, chain(first, records), columns)
    source.columns_read = columns_read(source.name, "JSON lines", source.encoding, columns)


def _from_list(source: Input, lines: Iterator[tuple[int, str]]) -> Iterator[QueryRow]:
    has_counts = False
    for number, line in lines:
        query, tab, rest = line.rstrip("\r\n").partition("\t")
        has_counts = has_counts or bool(tab)
        count = rest.partition("\t")[0]
        yield from usable_query(source, number, query, count, "", {"query": query, "count": count})
    form = "query<TAB>count" if has_counts else "one query per line"
    source.columns_read = ColumnsRead(source.name, form, source.encoding)
