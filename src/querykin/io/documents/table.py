"""Tables with a header line: CSV with RFC 4180 quoting, TSV without any quoting.

A row is named by the line on which it starts. Rows may be shorter than the header, not longer.
"""

import csv
from collections.abc import Iterator

from querykin.errors import InputError
from querykin.io.characters import invalid_characters
from querykin.io.documents.columns import ALLOWED, InvalidRecord, document, has_text
from querykin.io.inputs import MAX_LINE_BYTES, Input
from querykin.types import Document

_Rows = Iterator[tuple[int, list[str]]]


def read_csv(source: Input) -> Iterator[Document]:
    """The documents of a CSV file, one a row; quoted cells may hold commas, quotes and line ends."""
    return _documents(source, _csv_rows(source))


def read_tsv(source: Input) -> Iterator[Document]:
    """The documents of a TSV file, one a line; a quote is a character like any other."""
    return _documents(source, _tsv_rows(source))


def _tsv_rows(source: Input) -> _Rows:
    for number, line in source.lines():
        yield number, _text(line).rstrip("\r\n").split("\t")


def _csv_rows(source: Input) -> _Rows:
    last = 0

    def texts() -> Iterator[str]:
        nonlocal last
        for last, line in source.lines():  # noqa: B007 - read below, as the place of the row
            yield _text(line)

    csv.field_size_limit(MAX_LINE_BYTES)  # the module's own limit, 131072 characters, is for the process
    rows = csv.reader(texts(), strict=True)
    while True:
        start = last + 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            source.skip(start, f"not CSV: {error}")
            continue
        if row is None:
            return
        yield start, row


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _documents(source: Input, rows: _Rows) -> Iterator[Document]:
    header = _header(source, rows)
    for number, row in rows:
        if not any(row):
            continue
        try:
            found = _document(header, row, f"{source.label}:{number}")
        except InvalidRecord as error:
            source.skip(number, str(error))
        else:
            yield found


def _document(header: list[str], row: list[str], default_id: str) -> Document:
    if len(row) > len(header):
        raise InvalidRecord(f"{len(row)} columns where the header has {len(header)}")
    if wrong := invalid_characters("".join(row)):
        raise InvalidRecord(wrong)
    row += [""] * (len(header) - len(row))
    # Of columns with the same name the first counts, so it is written last; unnamed ones do not count.
    record = {name: cell for name, cell in zip(reversed(header), reversed(row), strict=True) if name}
    return document(record, default_id)


def _header(source: Input, rows: _Rows) -> list[str]:
    header = [name.strip() for name in next(rows, (0, [""]))[1]]
    if wrong := invalid_characters("".join(header)):
        raise InputError(f"{source.name}, line 1: {wrong}")
    if not has_text(header):
        raise InputError(
            f"{source.name} has no column for a title or a text: its first line names "
            f"{', '.join(map(repr, header))}; {ALLOWED}"
        )
    return header
