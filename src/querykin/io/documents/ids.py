"""Ids of documents that have none of their own."""

from dataclasses import replace
from hashlib import blake2b

from querykin.types import Document


def with_id(document: Document) -> Document:
    """The document under its own id, its URL, or a digest of its title and text.

    The same document has the same id wherever it was read: two copies are one document.

    >>> with_id(Document("", "Java", "An island.")).id
    'b3abd14c2163ff31'
    >>> with_id(Document("", "Java", url="https://example.org/java")).id
    'https://example.org/java'
    """
    if document.id:
        return document
    if document.url:
        return replace(document, id=document.url)
    content = f"{document.title}\n{document.text}".encode("utf-8", "replace")
    return replace(document, id=blake2b(content, digest_size=8).hexdigest())
