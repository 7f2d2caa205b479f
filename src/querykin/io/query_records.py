"""Records with named columns as queries: the column of the query, that of the count, and usable rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from querykin.io.columns import Columns
from querykin.io.exports.generic import QUERIES
from querykin.io.inputs import Input
from querykin.io.markup import strip_html
from querykin.io.numbers import parse_count
from querykin.io.tables import as_text
from querykin.text.normalization import MAX_QUERY_LENGTH, normalize_query

MAX_COUNT = 10**12  # sums of such counts stay exact
ALLOWED = (
    f"a query is one of {', '.join(QUERIES['query'][:6])}..., in several languages; give the file's own name "
    "with --columns query=NAME, or a list without a header as .txt"
)


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query with its count and its id, and the record that it was read from."""

    query: str
    count: int
    id: str
    record: Mapping[str, object]


def queries(
    source: Input, records: Iterable[tuple[int, Mapping[str, object]]], columns: Columns
) -> Iterator[QueryRow]:
    """The queries that records describe; one that is none is skipped and reported with its line."""
    totals = columns.export.totals if columns.export else ()
    for line, record in records:
        text, count, identity = (_value(record, columns, role) for role in ("query", "count", "id"))
        query = as_text(text).strip()
        if not (totals and query.startswith(totals)):
            yield from usable_query(source, line, strip_html(query), count, as_text(identity), record)


def query_columns(source: Input, header: Sequence[str]) -> Columns:
    """The columns of a header by role; a header without queries is an InputError."""
    return source.find_columns(header, "queries", "query", "of queries", ALLOWED)


def _value(record: Mapping[str, object], columns: Columns, role: str) -> object:
    """The first value of a role that is not empty; several columns of a role are joined."""
    values = [
        next((value for name in column if (value := record.get(name)) not in (None, "")), None)
        for column in columns.roles[role]
    ]
    found = [value for value in values if value is not None]
    return found[0] if len(found) == 1 else " ".join(map(as_text, found))


def usable_query(
    source: Input, number: int, query: str, count: object, identity: str, record: Mapping[str, object]
) -> Iterator[QueryRow]:
    """The query, or nothing and a report."""
    text, shown = normalize_query(query), str(count)[:40]
    amount, problem = 1, None
    try:
        parsed = parse_count(count) if isinstance(count, str) else int(count)  # type: ignore[call-overload]
        amount = 1 if parsed is None else parsed
    except (ValueError, OverflowError, TypeError):
        problem = f"the count {shown!r} is not a number"
    if amount == 0 and source.keeps_zero_counts:
        amount = 1
    if amount < 1:
        problem = f"the count {amount} is below 1"
    if amount > MAX_COUNT:
        problem = f"the count {shown!r} is above {MAX_COUNT:,}"
    if len(text) > MAX_QUERY_LENGTH:
        problem = f"{len(text):,} characters; a query has at most {MAX_QUERY_LENGTH:,}"
    if not text:
        problem = "no query"
    if problem:
        source.skip(number, problem)
    else:
        yield QueryRow(text, amount, identity or str(number), record)
