"""Lists of queries: one a line, query<TAB>count, CSV with a query or keyword column, or JSONL."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from querykin.errors import InputError
from querykin.io.documents import open_text
from querykin.io.tables import as_text, read_table
from querykin.querylog.repository import LONGEST, normalize_query
from querykin.types import SkippedRecord

QUERY_COLUMNS = ("query", "keyword", "keywords", "search term", "text", "q")
COUNT_COLUMNS = ("count", "volume", "search volume", "frequency", "impressions", "clicks")
LARGEST = 10**12  # more than anybody can count; sums of such counts stay exact
Report = Callable[[SkippedRecord], None]


def read_queries(
    source: str, report: Report, stdin: BinaryIO | None = None
) -> Iterator[tuple[str, int, str]]:
    """The queries of a file with their counts (1 where none is given) and ids (else the line number).

    Lines that are empty, too long or have a bad count go to `report` and are left out.
    """
    name = Path(source).name.lower()
    if any(form in name for form in (".jsonl", ".csv")):
        return _from_table(source, report)
    lines = open_text(source, stdin)
    head = next(lines, "")
    if head.lstrip().startswith("{"):
        raise InputError(f"{source} looks like JSON lines: give it the ending .jsonl")
    return _from_lines(source, chain([head], lines), report)


def _from_lines(source: str, lines: Iterator[str], report: Report) -> Iterator[tuple[str, int, str]]:
    for number, line in enumerate(lines, start=1):
        query, _, count = line.rstrip("\r\n").partition("\t")
        if (
            number == 1
            and query.lower() in QUERY_COLUMNS
            and count.partition("\t")[0].lower() in COUNT_COLUMNS
        ):
            continue  # a header
        yield from _checked(source, number, query, count.partition("\t")[0], str(number), report)


def _from_table(source: str, report: Report) -> Iterator[tuple[str, int, str]]:
    table = read_table(source, ())
    by_name = {column.strip().lower(): column for column in table.columns}
    query = next((by_name[name] for name in QUERY_COLUMNS if name in by_name), None)
    count = next((by_name[name] for name in COUNT_COLUMNS if name in by_name), None)
    if query is None:
        raise InputError(
            f"{source} has no column of queries; found: {', '.join(table.columns)}; "
            f"allowed: {', '.join(QUERY_COLUMNS)}"
        )
    for number, row in enumerate(table.rows, start=1 if table.form == "jsonl" else 2):  # a header is line 1
        given = row.get(count) if count else None
        given = "" if given is None else given
        yield from _checked(
            source, number, as_text(row.get(query)), given, as_text(row.get("id")) or str(number), report
        )


def _checked(
    source: str, number: int, query: str, count: Any, name: str, report: Report
) -> Iterator[tuple[str, int, str]]:
    text = normalize_query(query)
    problem = None
    try:
        amount = int(float(str(count).replace(",", ""))) if str(count).strip() else 1
    except (ValueError, OverflowError):
        amount, problem = 1, f"the count {str(count)[:40]!r} is not a number"
    if amount < 1 and problem is None:
        problem = f"the count {amount} is below 1"
    if amount > LARGEST:
        problem = f"the count {str(count)[:40]!r} is above {LARGEST:,}"
    if len(text) > LONGEST:
        problem = f"{len(text):,} characters; a query has at most {LONGEST:,}"
    if not text:
        problem = "no query"
    if problem:
        report(SkippedRecord(source, number, problem))
    else:
        yield text, amount, name
