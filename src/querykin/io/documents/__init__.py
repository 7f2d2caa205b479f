"""Where documents come from: files, folders, dumps and standard input, read one document at a time."""

from querykin.io.documents.formats import known_suffixes
from querykin.io.documents.reading import read_documents, source_size
from querykin.io.lines import open_text

__all__ = ["known_suffixes", "open_text", "read_documents", "source_size"]
