"""Records with named columns to documents: which column is the id, the title, the text, the URL."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from querykin.types import Document

# Known names of columns, in order of preference.
ID = ("id", "_id", "docno", "docid")
TITLE = ("title", "name")
TEXT = ("text", "contents", "content", "body", "description", "abstract")
URL = ("url", "link")

ALLOWED = f"a title is one of {', '.join(TITLE)}, a text one of {', '.join(TEXT)}"


class InvalidRecord(Exception):
    """A record that is not a document; the message says why."""


class _Roles(NamedTuple):
    """The columns of a record by role, each in order of preference."""

    id: tuple[str, ...]
    title: tuple[str, ...]
    text: tuple[str, ...]
    url: tuple[str, ...]
    competing: tuple[str, ...]  # columns of a role that has several
    others: tuple[str, ...]


@lru_cache(maxsize=1024)
def _roles(columns: tuple[str, ...]) -> _Roles:
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(column.strip().lower(), column)

    def having(role: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(by_name[name] for name in role if name in by_name)

    roles = having(ID), having(TITLE), having(TEXT), having(URL)
    known = {column for role in roles for column in role}
    competing = tuple(column for role in roles if len(role) > 1 for column in role)
    return _Roles(*roles, competing, tuple(column for column in columns if column not in known))


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
    id_column, identity = _first_nonempty(record, roles.id)
    title_column, title = _first_nonempty(record, roles.title)
    text_column, text = _first_nonempty(record, roles.text)
    url_column, url = _first_nonempty(record, roles.url)
    if not title and not text:
        raise InvalidRecord(_no_text(record, roles))
    fields = {column: record[column] for column in roles.others}
    for column in roles.competing:
        used = column in (id_column, title_column, text_column, url_column)
        if not used and record[column] not in (None, ""):
            fields[column] = record[column]
    return Document(identity or default_id, title, text, url, fields)


def _first_nonempty(record: Mapping[str, object], columns: tuple[str, ...]) -> tuple[str, str]:
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
