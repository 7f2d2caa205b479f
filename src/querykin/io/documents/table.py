"""Tables with a header line (CSV, TSV) as documents, one a row.

A row without an id is named by the line on which it starts. Rows may be shorter than the header, not longer;
rows that cannot be used are skipped and reported.
"""

from collections.abc import Callable, Iterator

from querykin.errors import InputError
from querykin.io.characters import invalid_characters
from querykin.io.documents.columns import ALLOWED, InvalidRecord, document, has_text
from querykin.io.documents.formats import document_format
from querykin.io.inputs import Input
from querykin.io.tables import ParsedRow, parse_rows
from querykin.types import Document


def _has_header(form: str, separator: str) -> Callable[[bytes], bool]:
    """Recognizes a table by its first line: several columns, one of them for a title or a text."""

    def recognize(head: bytes) -> bool:
        line = head.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
        return separator in line and has_text(next(parse_rows([(1, line)], form, strict=False)).cells)

    return recognize


@document_format("csv", ".csv", description="CSV tables", recognize=_has_header("csv", ","))
def read_csv(source: Input) -> Iterator[Document]:
    """The documents of a CSV file; quoted cells may contain commas, quotes and line ends (RFC 4180)."""
    return _documents(source, "csv")


@document_format("tsv", ".tsv", description="TSV tables", recognize=_has_header("tsv", "\t"))
def read_tsv(source: Input) -> Iterator[Document]:
    """The documents of a TSV file; there is no quoting."""
    return _documents(source, "tsv")


def _documents(source: Input, form: str) -> Iterator[Document]:
    lines = ((number, line.decode("utf-8", "surrogateescape")) for number, line in source.lines())
    rows = _well_formed(source, parse_rows(lines, form))
    header = _header(source, rows)
    for row in rows:
        if not any(row.cells):
            continue
        try:
            found = _document(header, row.cells, f"{source.label}:{row.line}")
        except InvalidRecord as error:
            source.skip(row.line, str(error))
        else:
            yield found


def _well_formed(source: Input, rows: Iterator[ParsedRow]) -> Iterator[ParsedRow]:
    for row in rows:
        if row.error:
            source.skip(row.line, f"not CSV: {row.error}")
        else:
            yield row


def _document(header: list[str], cells: list[str], default_id: str) -> Document:
    if len(cells) > len(header):
        raise InvalidRecord(f"{len(cells)} columns where the header has {len(header)}")
    if wrong := invalid_characters("".join(cells)):
        raise InvalidRecord(wrong)
    cells += [""] * (len(header) - len(cells))
    # Of columns with the same name the first counts, so it is written last; unnamed ones are ignored.
    record = {name: cell for name, cell in zip(reversed(header), reversed(cells), strict=True) if name}
    return document(record, default_id)


def _header(source: Input, rows: Iterator[ParsedRow]) -> list[str]:
    header = [name.strip() for name in next(rows, ParsedRow(0, [""])).cells]
    if wrong := invalid_characters("".join(header)):
        raise InputError(f"{source.name}, line 1: {wrong}")
    if not has_text(header):
        raise InputError(
            f"{source.name} has no column for a title or a text: its first line names "
            f"{', '.join(map(repr, header))}; {ALLOWED}"
        )
    return header
