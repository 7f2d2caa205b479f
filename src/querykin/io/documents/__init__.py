"""Documents from files, folders, dumps and standard input, read one at a time."""

from querykin.io.documents.formats import (
    DocumentFormat,
    document_format,
    document_formats,
    document_formats_help,
    known_suffixes,
)
from querykin.io.documents.reading import DocumentSources, read_documents
from querykin.io.lines import open_text

__all__ = [
    "DocumentFormat",
    "DocumentSources",
    "document_format",
    "document_formats",
    "document_formats_help",
    "known_suffixes",
    "open_text",
    "read_documents",
]
