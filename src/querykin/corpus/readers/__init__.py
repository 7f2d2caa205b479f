"""Where documents come from: files, folders, dumps and standard input, read one document at a time."""

from querykin.corpus.readers.forms import known_endings
from querykin.corpus.readers.lines import open_text
from querykin.corpus.readers.reading import read_documents, source_size

__all__ = ["known_endings", "open_text", "read_documents", "source_size"]
