"""Files of a search log: tables of sessions, of clicks, and of reformulations.

What a table is follows from its columns: a session, a time and a query; a query, a URL and a count; a query,
its reformulation and a count. Sessions may have a URL, which is the page that was clicked. A zip archive has
several tables.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import PurePath
from typing import Any, BinaryIO
from zipfile import ZipInfo

from querykin.errors import InputError, MissingExtra
from querykin.io import limits
from querykin.io.characters import printable
from querykin.io.columns import (
    ColumnMapping,
    Columns,
    ColumnsRead,
    columns_read,
    listed_columns,
    recognize_columns,
)
from querykin.io.compression import split_suffixes
from querykin.io.inputs import check_standard_input, content
from querykin.io.lines import OpenedContent, open_content
from querykin.io.numbers import parse_count
from querykin.io.query_records import MAX_COUNT
from querykin.io.record_files import KINDS
from querykin.io.streams import as_file
from querykin.io.tables import as_text, open_table
from querykin.io.zip_archive import ZipArchive
from querykin.text.normalization import MAX_QUERY_LENGTH, normalize_query
from querykin.types import SkippedFile, SkippedRecord

ALLOWED = (
    "a log has the columns session and query (and time, url), or query and url (and count), or query and "
    "reformulation (and count); give the file's own names with --columns, as in "
    "--columns session=visit,query=q,url=page"
)
_MILLISECONDS = 1e11  # a larger number of seconds would be after the year 5138
_SECOND = ("session", "url", "reformulation")  # columns of which a log has one beside the query
_LAST = 1e15  # milliseconds that are read as a time


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A query of a log: asked in a session, followed by clicks on a page, or followed by another query.

    Empty texts are what the row does not say; `time` is in seconds, and 0 where rows are in order already.
    """

    query: str
    session: str = ""
    time: float = 0.0
    url: str = ""
    reformulation: str = ""
    count: int = 1


def read_log(
    source: str,
    report: Callable[[SkippedRecord], None],
    columns: str = "",
    noted: Callable[[ColumnsRead], None] = lambda columns: None,
    stdin: BinaryIO | None = None,
) -> Iterator[LogRecord]:
    """The records of a table: CSV, TSV, JSON lines, a workbook, Parquet or Arrow, compressed or not.

    Of a zip archive those of all its tables; files of it that are no log go to `report`. `columns` maps roles
    to the file's own column names, as in "session=visit,query=q". Rows that cannot be used are skipped and go
    to `report`; how a table is read goes to `noted`.
    """
    mapping = ColumnMapping.parse(columns, "log")

    def read(opened: OpenedContent, name: str) -> Iterator[LogRecord]:
        table = open_table(opened, name, [[own for _, own in mapping.roles]])
        mapping.check(name, table.columns)
        found = recognize_columns(tuple(table.columns), "log", mapping)
        if not found.roles["query"] or not any(found.roles[role] for role in _SECOND):
            raise InputError(f"{name} is not a log; found: {listed_columns(table.columns)}; {ALLOWED}")
        if found.roles["time"] and not (found.roles["session"] or found.roles["count"]):
            # The clicks of one person would count as those of several: a query of few would be offered.
            raise InputError(
                f"{name} has single events, with times, but no session; found: "
                f"{listed_columns(table.columns)}; next: name the column of sessions, as in --columns "
                "session=visit, or count the events of each query and page"
            )
        noted(columns_read(name, _content(found), "", found))
        return _records(name, enumerate(table.rows, start=table.first_row), found, report)

    if PurePath(source).suffix.lower() == ".zip":
        return _from_archive(ZipArchive(source, source), source, report, read)
    return read(open_content(source, stdin, KINDS), source)


def _from_archive(
    archive: ZipArchive,
    name: str,
    report: Callable[[SkippedRecord], None],
    read: Callable[[OpenedContent, str], Iterator[LogRecord]],
) -> Iterator[LogRecord]:
    found, reason = False, "nothing to read was found in it"
    with archive:
        for member in archive.members():
            label = f"{name}/{printable(member.filename)}"
            try:
                records = read(_opened(archive, member, label), label)
            except (InputError, MissingExtra) as error:
                report(SkippedFile(label, None, str(error).removesuffix(f"; {ALLOWED}")))
                reason = str(error)
                continue
            found = True
            yield from records
    if not found:
        raise InputError(f"no log in {name}: {reason}")


def read_logs(
    sources: Sequence[str],
    report: Callable[[SkippedRecord], None],
    columns: str = "",
    noted: Callable[[ColumnsRead], None] = lambda columns: None,
) -> Iterator[LogRecord]:
    """The records of several tables, one after another; standard input may be one of them."""
    check_standard_input(sources)
    return chain.from_iterable(read_log(source, report, columns, noted) for source in sources)


def _opened(archive: ZipArchive, member: ZipInfo, name: str) -> OpenedContent:
    raw = as_file(archive.read(member))
    compression = split_suffixes(PurePath(member.filename))[1]
    return OpenedContent(raw, content(raw, name, compression, None, KINDS), name)


def _content(columns: Columns) -> str:
    """What a table with these columns holds."""
    if columns.roles["reformulation"]:
        return "reformulations"
    if not columns.roles["session"]:
        return "clicks"
    return "sessions with clicks" if columns.roles["url"] else "sessions"


def _records(
    source: str, rows: Iterator[tuple[int, Mapping[str, Any]]], columns: Columns, report: Callable[..., None]
) -> Iterator[LogRecord]:
    names = {role: parts[0][0] for role, parts in columns.roles.items() if parts}
    for number, row in rows:
        try:
            yield _record({role: row.get(name) for role, name in names.items()})
        except ValueError as error:
            report(SkippedRecord(source, number, str(error)))


def _record(values: Mapping[str, Any]) -> LogRecord:
    """The record of a row by role; ValueError with the reason if it has none."""
    query = _query(values.get("query"), "query")
    session = as_text(values.get("session")).strip()
    url = as_text(values.get("url")).strip()
    if "session" in values and not session:
        raise ValueError("no session")
    if len(url) > limits.MAX_URL_CHARACTERS:
        raise ValueError(f"a URL of {len(url):,} characters; at most {limits.MAX_URL_CHARACTERS:,} are read")
    if "reformulation" in values:
        return LogRecord(
            query,
            reformulation=_query(values["reformulation"], "reformulation"),
            count=_count(values.get("count")),
        )
    if "session" in values:
        return LogRecord(query, session, _seconds(values.get("time")), url)
    if not url:
        raise ValueError("no URL")
    return LogRecord(query, url=url, count=_count(values.get("count")))


def _query(value: Any, role: str) -> str:
    text = normalize_query(as_text(value))
    if not text:
        raise ValueError(f"no {role}")
    if len(text) > MAX_QUERY_LENGTH:
        raise ValueError(f"{len(text):,} characters; a query has at most {MAX_QUERY_LENGTH:,}")
    return text


def _count(value: Any) -> int:
    try:
        found = parse_count(as_text(value))
    except (ValueError, OverflowError):
        raise ValueError(f"the count {as_text(value)[:40]!r} is not a number") from None
    count = 1 if found is None else found
    if not 1 <= count <= MAX_COUNT:
        raise ValueError(f"the count {as_text(value)[:40]} is not from 1 to {MAX_COUNT:,}")
    return count


def _seconds(value: Any) -> float:
    """A time in seconds: an ISO 8601 date, or seconds or milliseconds since 1970; 0 for none.

    >>> _seconds("1970-01-01 00:01"), _seconds("60000000000000"), _seconds(None)
    (60.0, 60000000000.0, 0.0)
    """
    if isinstance(value, date):
        value = value.isoformat()
    text = as_text(value).strip()
    if not text:
        return 0.0
    try:
        number = float(text)
    except ValueError:
        try:
            found = datetime.fromisoformat(text)
            number = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            raise ValueError(f"the time {text[:40]!r} is neither ISO 8601 nor a number of seconds") from None
    if not abs(number) < _LAST:
        raise ValueError(f"the time {text[:40]!r} is not a time")
    return number / 1000 if abs(number) >= _MILLISECONDS else number
