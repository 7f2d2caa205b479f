"""Records with named columns to documents: rows of tables and spreadsheets, JSON objects, items of feeds."""

from collections.abc import Container, Iterable, Iterator, Mapping

from querykin.io.columns import Column, Columns, recognize_columns
from querykin.io.exports.generic import DOCUMENTS
from querykin.io.inputs import Input
from querykin.io.markup import strip_html
from querykin.types import Document

_SHOWN = 8  # names of a list in messages
ALLOWED = (
    f"a title is one of {', '.join(DOCUMENTS['title'][:_SHOWN])}..., a text one of "
    f"{', '.join(DOCUMENTS['text'][:_SHOWN])}...; give the file's own names with --columns, as in "
    "--columns title=NAME,text=NAME"
)
Record = Mapping[str, object]


class InvalidRecord(Exception):
    """A record that is not a document; the message says why."""


def documents(
    source: Input, records: Iterable[tuple[int | None, Record]], columns: Columns | None = None
) -> Iterator[Document]:
    """The documents that records describe; one that is none is skipped and reported with its line.

    `columns` are those of all records; without them every record has columns of its own. Variants of a
    product (see `Export.variants`) are one document.
    """
    if columns is not None and columns.export is not None and columns.export.variants:
        records = _merged_variants(records, columns, columns.export.placeholders)
    for line, record in records:
        try:
            found = document(record, columns or recognize_columns(tuple(record), "documents", source.columns))
        except InvalidRecord as error:
            source.skip(line, str(error))
        else:
            yield found


def document(record: Record, columns: Columns | None = None) -> Document:
    """The document that a record describes; columns without a role become its fields.

    Without an id column the id is empty: it is then made of the URL or the content (`with_id`).

    >>> document({"_id": 7, "Title": "Java", "body": "<p>An island.", "pages": 3})
    Document(id='7', title='Java', text='An island.', url='', fields={'pages': 3})
    """
    columns = columns or recognize_columns(tuple(record), "documents")
    used: set[str] = set()
    texts = {
        role: [text for column in parts if (text := _first_nonempty(record, column, used))]
        for role, parts in columns.roles.items()
    }
    title = strip_html(" ".join(texts["title"])).strip()
    text = "\n".join(filter(None, (strip_html(part).strip() for part in texts["text"])))
    if not title and not text:
        raise InvalidRecord(_no_text(record, columns))
    fields = {name: record[name] for name in columns.others if name in record}
    for parts in columns.roles.values():
        for column in parts:
            fields |= {name: record[name] for name in column if _is_unused(record, name, used)}
    return Document(" ".join(texts["id"]), title, text, " ".join(texts["url"]), fields)


def _first_nonempty(record: Record, column: Column, used: set[str]) -> str:
    for name in column:
        value = record.get(name)
        value = (value if isinstance(value, str) else _as_text(name, value)).strip()
        if value:
            used.add(name)
            return value
    return ""


def _is_unused(record: Record, name: str, used: set[str]) -> bool:
    return name not in used and record.get(name) not in (None, "")


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
    return f"no title or text: found {', '.join(map(repr, record)) or 'nothing'}; {ALLOWED}"


def _merged_variants(
    records: Iterable[tuple[int | None, Record]], columns: Columns, placeholders: Container[object]
) -> Iterator[tuple[int | None, Record]]:
    """Adjacent records with the same id as one: all different texts, and otherwise the first value."""
    id_column = columns.roles["id"][0][0]
    joined = {name for column in columns.roles["text"] for name in column}
    first_line: int | None = None
    merged: dict[str, dict[str, None]] = {}  # the values of each column in the order of their occurrence
    identity: object = None

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
            first_line, identity = line, record.get(id_column)
        for name, value in record.items():
            if value not in (None, "") and value not in placeholders:
                merged.setdefault(name, {}).setdefault(str(value))
    if merged:
        yield product()
