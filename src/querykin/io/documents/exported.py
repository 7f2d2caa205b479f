"""Documents as `querykin corpus export` writes them, read back with their fields and sources."""

from collections.abc import Mapping

from querykin.types import Document

_KEYS = {"id", "title", "text", "url", "fields", "source"}


def exported_document(record: Mapping[str, object]) -> Document | None:
    """The document of a record with exactly the keys of an export; None for any other record.

    >>> exported_document({"id": "7", "title": "Java", "text": "", "url": "", "fields": {}, "source": "shop"})
    Document(id='7', title='Java', text='', url='', fields={})
    >>> exported_document({"id": "7", "title": "Java", "source": "shop"})
    """
    if record.keys() != _KEYS:
        return None
    fields = record["fields"]
    texts = [record[name] for name in ("id", "title", "text", "url", "source")]
    if not isinstance(fields, dict):
        return None
    identity, title, text, url, source = (value if isinstance(value, str) else "" for value in texts)
    if not identity or not all(isinstance(value, str) for value in texts):
        return None
    return Document(identity, title, text, url, fields, source)
