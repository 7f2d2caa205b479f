"""From a record with named columns to a document: which column is the id, the title, the text, the url."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from querykin.types import Document

ID = ("id", "_id", "docno", "docid")
TITLE = ("title", "name")
TEXT = ("text", "contents", "content", "body", "description", "abstract")
URL = ("url", "link")

ALLOWED = f"a title is one of {', '.join(TITLE)}, a text one of {', '.join(TEXT)}"


class InvalidRecord(Exception):
    """A record that is no document; the message says why."""


class _Roles(NamedTuple):
    """A record's columns by what they are for, each in order of preference."""

    id: tuple[str, ...]
    title: tuple[str, ...]
    text: tuple[str, ...]
    url: tuple[str, ...]
    spare: tuple[str, ...]  # known columns that compete with another one of the same role
    others: tuple[str, ...]


@lru_cache(maxsize=1024)
def _roles(columns: tuple[str, ...]) -> _Roles:
    named: dict[str, str] = {}
    for column in columns:
        named.setdefault(column.strip().lower(), column)

    def having(role: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(named[name] for name in role if name in named)

    found = having(ID), having(TITLE), having(TEXT), having(URL)
    known = {column for role in found for column in role}
    spare = tuple(column for role in found if len(role) > 1 for column in role)
    return _Roles(*found, spare, tuple(column for column in columns if column not in known))


def has_text(columns: Iterable[str]) -> bool:
    """Whether one of these columns can be a title or a text."""
    roles = _roles(tuple(columns))
    return bool(roles.title or roles.text)


def document(record: Mapping[str, object], default_id: str) -> Document:
    """The document that a record describes; columns without a role become its fields.

    >>> document({"_id": 7, "Title": "Java", "body": "An island.", "pages": 3}, "f.jsonl:1")
    Document(id='7', title='Java', text='An island.', url='', fields={'pages': 3})
    """
    roles = _roles(tuple(record))
    id_column, identity = _first(record, roles.id)
    title_column, title = _first(record, roles.title)
    text_column, text = _first(record, roles.text)
    url_column, url = _first(record, roles.url)
    if not title and not text:
        raise InvalidRecord(_no_text(record, roles))
    fields = {column: record[column] for column in roles.others}
    for column in roles.spare:
        used = column in (id_column, title_column, text_column, url_column)
        if not used and record[column] not in (None, ""):
            fields[column] = record[column]
    return Document(identity or default_id, title, text, url, fields)


def _first(record: Mapping[str, object], columns: tuple[str, ...]) -> tuple[str, str]:
    for column in columns:
        value = record[column]
        if not isinstance(value, str):
            value = _as_text(column, value)
        value = value.strip()
        if value:
            return column, value
    return "", ""


def _as_text(column: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InvalidRecord(f"{column!r} must be a text or a number, got {type(value).__name__}")


def _no_text(record: Mapping[str, object], roles: _Roles) -> str:
    if roles.title or roles.text:
        return f"nothing in {' or '.join(map(repr, roles.title + roles.text))}"
    return f"no title or text: found {', '.join(map(repr, record)) or 'nothing'}; {ALLOWED}"
