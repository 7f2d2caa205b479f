"""Names of sources: the file, folder or feed that documents and queries came from."""

import os
from collections.abc import Iterable

from querykin.errors import InputError, UnknownName
from querykin.text.normalization import normalize_query

DEFAULT_SOURCE = "default"  # of what is added in Python without a source, and of workspaces of querykin 0.1
MINED_SOURCE = "mined"  # of queries from the corpus
LOG_SOURCE = "search-log"  # of queries that enough sessions of the log asked
SNIPPETS_SOURCE = "snippets"  # of documents that are results of a search engine elsewhere
MAX_SOURCE_LENGTH = 255  # characters; the limit of file names on most file systems


def source_name(given: str) -> str:
    r"""A source's name as it is stored: one line without control characters.

    >>> source_name(" Search\tConsole ")
    'Search Console'
    """
    if not isinstance(given, str):
        raise InputError(f"a source needs a name, a text like 'shop', got {given!r:.60}")
    name = normalize_query(given)
    if not name or len(name) > MAX_SOURCE_LENGTH:
        raise InputError(
            f"a source needs a name of 1 to {MAX_SOURCE_LENGTH} characters, got {given[:40]!r}"
            + (f" and {len(name) - 40:,} more" if len(name) > MAX_SOURCE_LENGTH else "")
        )
    return name


def default_source(path: str | os.PathLike[str]) -> str:
    """The source of what is read from a file, a folder or standard input ("-"): the name without its path.

    >>> default_source("exports/2024/Queries.csv"), default_source("-")
    ('Queries.csv', 'stdin')
    """
    if path == "-":
        return "stdin"
    absolute = os.path.abspath(os.fspath(path))  # "." has a name, too
    return source_name(os.path.basename(absolute) or absolute)


def known_source(given: str, names: Iterable[str]) -> str:
    """The stored name of a source that must exist; the error suggests the nearest name."""
    known = list(names)
    name = source_name(given)
    if name not in known:
        if not known:
            raise InputError(f"there is no source {name!r}: nothing has been added yet")
        raise UnknownName("source", name, known)
    return name
