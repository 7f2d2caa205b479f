"""Files of queries: one per line, query<TAB>count, CSV with a query or keyword column, or JSON lines."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from querykin.errors import InputError
from querykin.io.lines import open_text
from querykin.io.tables import as_text, read_table
from querykin.text.normalization import MAX_QUERY_LENGTH, normalize_query
from querykin.types import SkippedRecord

QUERY_COLUMNS = ("query", "keyword", "keywords", "search term", "text", "q")
COUNT_COLUMNS = ("count", "volume", "search volume", "frequency", "impressions", "clicks")
MAX_COUNT = 10**12  # sums of such counts stay exact
Report = Callable[[SkippedRecord], None]


def read_queries(
    source: str, report: Report, stdin: BinaryIO | None = None
) -> Iterator[tuple[str, int, str]]:
    """The queries of a file with their counts (1 by default) and ids (by default the line number).

    Lines that are empty, too long or have an invalid count are skipped and go to `report`.
    """
    name = Path(source).name.lower()
    if any(suffix in name for suffix in (".jsonl", ".csv")):
        return _from_table(source, report)
    lines = open_text(source, stdin)
    head = next(lines, "")
    if head.lstrip().startswith("{"):
        raise InputError(f"{source} looks like JSON lines: give it the ending .jsonl")
    return _from_lines(source, chain([head], lines), report)


def _from_lines(source: str, lines: Iterator[str], report: Report) -> Iterator[tuple[str, int, str]]:
    for number, line in enumerate(lines, start=1):
        query, _, rest = line.rstrip("\r\n").partition("\t")
        count = rest.partition("\t")[0]
        if number == 1 and query.lower() in QUERY_COLUMNS and count.lower() in COUNT_COLUMNS:
            continue  # a header
        yield from _valid(source, number, query, count, str(number), report)


def _from_table(source: str, report: Report) -> Iterator[tuple[str, int, str]]:
    table = read_table(source, ())
    by_name = {column.strip().lower(): column for column in table.columns}
    query_column = next((by_name[name] for name in QUERY_COLUMNS if name in by_name), None)
    count_column = next((by_name[name] for name in COUNT_COLUMNS if name in by_name), None)
    if query_column is None:
        raise InputError(
            f"{source} has no column of queries; found: {', '.join(table.columns)}; "
            f"allowed: {', '.join(QUERY_COLUMNS)}"
        )
    for number, row in enumerate(table.rows, start=table.first_row):
        count = row.get(count_column) if count_column else None
        query, identity = as_text(row.get(query_column)), as_text(row.get("id")) or str(number)
        yield from _valid(source, number, query, "" if count is None else count, identity, report)


def _valid(
    source: str, number: int, query: str, count: Any, identity: str, report: Report
) -> Iterator[tuple[str, int, str]]:
    """The query, or nothing and a report."""
    text = normalize_query(query)
    problem = None
    try:
        amount = int(float(str(count).replace(",", ""))) if str(count).strip() else 1
    except (ValueError, OverflowError):
        amount, problem = 1, f"the count {str(count)[:40]!r} is not a number"
    if amount < 1 and problem is None:
        problem = f"the count {amount} is below 1"
    if amount > MAX_COUNT:
        problem = f"the count {str(count)[:40]!r} is above {MAX_COUNT:,}"
    if len(text) > MAX_QUERY_LENGTH:
        problem = f"{len(text):,} characters; a query has at most {MAX_QUERY_LENGTH:,}"
    if not text:
        problem = "no query"
    if problem:
        report(SkippedRecord(source, number, problem))
    else:
        yield text, amount, identity
