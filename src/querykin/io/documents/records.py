"""Records with named columns to documents: rows of tables and spreadsheets, JSON objects, items of feeds."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.columns import Column, Columns, columns_read, listed_columns, recognize_columns
from querykin.io.documents.exported import exported_document
from querykin.io.exports.generic import DOCUMENTS
from querykin.io.inputs import Input
from querykin.io.markup import strip_html
from querykin.io.record_files import first_records, keys_of
from querykin.types import Document

_SHOWN = 8  # names of a list in messages
_ALLOWED = (
    f"a title is one of {', '.join(DOCUMENTS['title'][:_SHOWN])}..., a text one of "
    f"{', '.join(DOCUMENTS['text'][:_SHOWN])}...; give the file's own names with --columns, as in "
    "--columns title=NAME,text=NAME"
)
Record = Mapping[str, object]
_LINE_END = re.compile(r"\\{1,2}n")
_ROLES = ("id", "title", "text", "url")


class InvalidRecord(Exception):
    """A record that is not a document; the message says why."""


def documents(
    source: Input, records: Iterable[tuple[int | None, Record]], columns: Columns | None = None
) -> Iterator[Document]:
    """The documents that records describe; one that is none is skipped and reported with its line.

    `columns` are those of all records; without them every record has columns of its own. Variants of a
    product (see `Export.variants`) are one document.
    """
    # Variants are rows with one id; the user may have given its column another role.
    if columns is not None and columns.export and columns.export.variants and columns.roles["id"]:
        records = _merged_variants(records, columns, columns.export.placeholders)
    if columns is not None and columns.export is not None and columns.export.escaped_line_ends:
        names = {name for column in columns.roles["text"] for name in column}
        records = ((line, _with_line_ends(record, names)) for line, record in records)
    for line, record in records:
        if len(record) > limits.MAX_COLUMNS:
            source.skip(line, f"{len(record):,} columns; a record has at most {limits.MAX_COLUMNS:,}")
            continue
        try:
            found = document(record, columns or recognize_columns(tuple(record), "documents", source.columns))
        except InvalidRecord as error:
            source.skip(line, str(error))
        else:
            yield found


def documents_with_own_keys(
    source: Input, records: Iterator[tuple[int | None, Record]], form: str
) -> Iterator[Document]:
    """The documents of records, each with its own keys; those of the first ones are reported as columns."""
    first = first_records(records)
    header = tuple(keys_of(record for _, record in first))
    if first:
        source.columns.check(source.name, header)
    columns = recognize_columns(header, "documents", source.columns)
    if first and exported_document(first[0][1]):
        columns = replace(columns, others=())  # fields and sources are read, too
    yield from documents(source, chain(first, records))
    source.columns_read = columns_read(source.name, form, source.encoding, columns)


def document_columns(source: Input, header: Sequence[str]) -> Columns:
    """The columns of a header by role; a header without a title or text is an InputError."""
    return source.find_columns(header, "documents", "document", "for a title or a text", _ALLOWED)


def document(record: Record, columns: Columns | None = None) -> Document:
    """The document that a record describes; columns without a role become its fields.

    Without an id column the id is empty: it is then made of the URL or the content (`with_id`).

    >>> document({"_id": 7, "Title": "Java", "body": "<p>An island.", "pages": 3})
    Document(id='7', title='Java', text='An island.', url='', fields={'pages': 3})
    """
    if (exported := exported_document(record)) is not None:
        return exported
    columns = columns or recognize_columns(tuple(record), "documents")
    used: list[str] = []
    identity, title, text, url = (_joined(record, columns.roles[role], used) for role in _ROLES)
    if not title and not text:
        raise InvalidRecord(_no_text(record, columns))
    fields = {name: record[name] for name in columns.others if name in record}
    for name in columns.alternatives:
        if name not in used and record.get(name) not in (None, ""):
            fields[name] = record[name]
    return Document(identity, title, text, url, fields)


def _joined(record: Record, parts: tuple[Column, ...], used: list[str]) -> str:
    """The values of a role without HTML, one a line; the columns they are from are added to `used`."""
    values = []
    for column in parts:
        for name in column:
            value = record.get(name)
            value = strip_html(value if isinstance(value, str) else _as_text(name, value)).strip()
            if value:
                used.append(name)
                values.append(value)
                break
    return "\n".join(values)


def _with_line_ends(record: Record, names: Container[str]) -> Record:
    r"""The record with line ends where the cells of these columns have \n, and \n where they have \\n.

    >>> _with_line_ends({"Description": r"Soft.\nWarm. C:\\new"}, {"Description"})
    {'Description': 'Soft.\nWarm. C:\\new'}
    """
    return {
        name: _LINE_END.sub(_line_end, value) if name in names and isinstance(value, str) else value
        for name, value in record.items()
    }


def _line_end(found: re.Match[str]) -> str:
    return "\n" if found[0] == r"\n" else r"\n"


def _as_text(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InvalidRecord(f"{name!r} must be a text or a number, got {type(value).__name__}")


def _no_text(record: Record, columns: Columns) -> str:
    names = [name for role in ("title", "text") for column in columns.roles[role] for name in column]
    if names:
        return f"nothing in {' or '.join(map(repr, names))}"
    return f"no title or text: found: {listed_columns(list(record))}; {_ALLOWED}"


def _merged_variants(
    records: Iterable[tuple[int | None, Record]], columns: Columns, placeholders: Container[object]
) -> Iterator[tuple[int | None, Record]]:
    """Adjacent records with the same id as one: all different texts, and otherwise the first value."""
    id_column = columns.roles["id"][0][0]
    joined = {name for column in columns.roles["text"] for name in column}
    first_line: int | None = None
    merged: dict[str, dict[str, None]] = {}  # the values of each column in the order of their occurrence
    identity: object = None
    size = 0  # characters of the variants so far

    def product() -> tuple[int | None, Record]:
        return first_line, {
            name: ", ".join(values) if name in joined else next(iter(values), "")
            for name, values in merged.items()
        }

    for line, record in records:
        if merged and record.get(id_column) != identity:
            yield product()
            merged = {}
        if not merged:
            first_line, identity, size = line, record.get(id_column), 0
        for name, value in record.items():
            if value not in (None, "") and value not in placeholders:
                merged.setdefault(name, {}).setdefault(str(value))
                size += len(str(value))
        if size > limits.MAX_LINE_BYTES:
            raise InputError(
                f"the variants of one product, from line {first_line}, have more than "
                f"{limits.MAX_LINE_BYTES:,} characters; give the column of its id with --columns id=NAME"
            )
    if merged:
        yield product()
