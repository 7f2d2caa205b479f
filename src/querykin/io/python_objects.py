"""Documents and queries from Python objects: data frames, Arrow tables, dicts, texts, our own types."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from querykin.errors import InputError, MissingExtra
from querykin.io.columns import ColumnMapping
from querykin.io.documents.ids import with_id
from querykin.io.documents.records import document_columns, documents
from querykin.io.exports.export import Kind
from querykin.io.exports.generic import GENERIC
from querykin.io.inputs import Input
from querykin.io.query_records import queries, query_columns
from querykin.io.record_files import RecordFile
from querykin.io.streams import as_file
from querykin.io.values import plain_value
from querykin.types import Document, SkippedRecord

ColumnNames = Mapping[str, str] | None  # the column of a role: {"title": "Name"}

_SINGLE = {
    "documents": "[text] for one document, read_documents([path], report) of querykin.io for a file",
    "queries": "[query] for one query, read_queries(path, report) of querykin.io for a file",
}


def as_documents(items: Any, columns: ColumnNames = None) -> Iterator[Document]:
    """Documents from a data frame or Arrow table, or from `Document`s, dicts and texts in any mix.

    `columns` maps roles to column names; other columns are recognized as those of files are. What is no
    document is an InputError that gives its number, from 1.

    >>> [document.title for document in as_documents([{"Word": "Java"}, {"Word": "Bali"}], {"title": "Word"})]
    ['Java', 'Bali']
    """
    source = _strict_input("documents", columns)
    frame = _frame(items)
    if frame is not None:
        yield from map(with_id, documents(source, frame.records, document_columns(source, frame.columns)))
        return
    for number, item in enumerate(_iterable(items, "documents"), start=1):
        if isinstance(item, Document):
            yield item
        elif isinstance(item, str):
            yield from map(with_id, documents(source, [(number, {"text": item})]))
        elif isinstance(item, Mapping):
            yield from map(with_id, documents(source, [(number, _record(item))]))
        else:
            _refuse("documents", number, f"a Document, a dict or a text is needed, got {_shown(item)}")


def as_queries(items: Any, columns: ColumnNames = None) -> Iterator[tuple[str, int]]:
    """Queries and their counts from a data frame or Arrow table, or from pairs, dicts and texts in any mix.

    >>> list(as_queries(["java", ("bali", 3), {"keyword": "sumatra", "volume": 70}]))
    [('java', 1), ('bali', 3), ('sumatra', 70)]
    """
    source = _strict_input("queries", columns)
    frame = _frame(items)
    if frame is not None:
        for row in queries(source, frame.records, query_columns(source, frame.columns)):
            yield row.query, row.count
        return
    for number, item in enumerate(_iterable(items, "queries"), start=1):
        match item:
            case (str() as query, int() as count) | (str() as query, int() as count, str()):  # read_queries
                yield query, count
                continue
            case str():
                record: dict[str, Any] = {"query": item}
            case (str() as query, count):
                record = {"query": query, "count": plain_value(count)}
            case Mapping():
                record = _record(item)
            case _:
                _refuse("queries", number, f"(query, count), a dict or a text is needed, got {_shown(item)}")
        for row in queries(source, [(number, record)], query_columns(source, list(record))):
            yield row.query, row.count


def _strict_input(kind: Kind, columns: ColumnNames) -> Input:
    """An input whose problems are errors: a program, unlike a file, can be corrected where they arise."""

    def fail(problem: SkippedRecord) -> None:
        _refuse(kind, problem.line, problem.message)

    for role, name in (columns or {}).items():
        if role not in GENERIC[kind] or not isinstance(name, str):
            raise InputError(
                f"columns maps roles to names of columns, got {role!r}: {name!r}; roles of {kind} are "
                f"{', '.join(GENERIC[kind])}"
            )
    return Input(as_file(iter(())), f"the {kind}", "", fail, ColumnMapping(tuple((columns or {}).items())))


def _refuse(kind: Kind, number: int | None, message: str) -> NoReturn:
    raise InputError(f"{kind}, number {number}: {message}; nothing was added")


def _frame(items: Any) -> RecordFile | None:
    """The rows of a data frame (pandas, Polars, PyArrow...) or of anything that exports an Arrow stream."""
    if not (hasattr(type(items), "columns") or hasattr(items, "__arrow_c_stream__")):
        return None
    import narwhals

    frame = narwhals.from_native(items, pass_through=True)
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, narwhals.DataFrame):
        rows = (_record(row) for row in frame.iter_rows(named=True))
        return RecordFile("data frame", list(map(str, frame.columns)), enumerate(rows, start=1))
    if narwhals.dependencies.is_into_series(items):
        return None  # of texts
    return _arrow_stream(items)


def _arrow_stream(items: Any) -> RecordFile:
    try:
        from arro3.core import RecordBatchReader
    except ImportError:
        raise MissingExtra(f"reading a {type(items).__name__} as an Arrow stream", "arrow") from None
    from querykin.io.arrow_files import ROWS
    from querykin.io.arrow_process import rows_of_batches

    try:
        batches = RecordBatchReader.from_arrow(items)
        columns = list(batches.schema.names)
    except Exception as error:
        raise InputError(
            f"the Arrow stream of a {type(items).__name__} has no columns ({error}); a table is needed"
        ) from error
    rows = (dict(zip(columns, row, strict=True)) for row in rows_of_batches(batches, ROWS))
    return RecordFile("Arrow", columns, enumerate(rows, start=1))


def _iterable(items: Any, kind: Kind) -> Iterable[Any]:
    if isinstance(items, str | bytes | os.PathLike | Mapping | Document) or not isinstance(items, Iterable):
        raise InputError(
            f"{kind} must be a data frame or a list, got one {type(items).__name__}; pass {_SINGLE[kind]}"
        )
    return items


def _record(item: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): plain_value(value) for name, value in item.items()}


def _shown(item: object) -> str:
    return f"{type(item).__name__} {item!r:.60}"
