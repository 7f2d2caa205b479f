"""Tables with a header (CSV with any delimiter, TSV) as documents, one a row.

Rows may be shorter than the header, not longer; rows that cannot be used are skipped and reported.
"""

from collections.abc import Callable, Iterator
from functools import partial

from querykin.errors import InputError
from querykin.io.characters import invalid_characters
from querykin.io.columns import columns_read, is_header
from querykin.io.dialects import find_layout
from querykin.io.documents.formats import document_format
from querykin.io.documents.records import document_columns, documents
from querykin.io.inputs import Input
from querykin.io.tables import named_rows, open_rows
from querykin.types import Document


def _has_header(form: str) -> Callable[[bytes], bool]:
    """Recognizes a table by its first line: several columns, one of them for a title or a text."""

    def recognize(head: bytes) -> bool:
        line = head.split(b"\n", 1)[0].decode("utf-8", "replace")
        layout = find_layout([(1, line)], f".{form}", partial(is_header, kind="documents"))
        return layout.is_recognized and len(layout.header.cells) > 1 and layout.dialect.form == form

    return recognize


@document_format("csv", ".csv", description="CSV tables", recognize=_has_header("csv"))
def read_csv(source: Input) -> Iterator[Document]:
    """The documents of a CSV file; quoted cells may contain delimiters, quotes and line ends (RFC 4180)."""
    return _documents(source, ".csv")


@document_format("tsv", ".tsv", ".tab", description="TSV tables", recognize=_has_header("tsv"))
def read_tsv(source: Input) -> Iterator[Document]:
    """The documents of a TSV file, which may have quoting."""
    return _documents(source, ".tsv")


def _documents(source: Input, suffix: str) -> Iterator[Document]:
    lines = ((number, line.decode("utf-8", "surrogateescape")) for number, line in source.lines())
    layout, rows = open_rows(lines, suffix, partial(is_header, kind="documents", given=source.columns))
    header = [name.strip() for name in layout.header.cells]
    if wrong := invalid_characters("".join(header)):
        raise InputError(f"{source.name}, line {layout.header.line}: {wrong}")
    columns = document_columns(source, header)
    yield from documents(source, named_rows(source, header, rows), columns)
    form = layout.dialect.form.upper()
    source.columns_read = columns_read(source.name, form, source.encoding, columns)
