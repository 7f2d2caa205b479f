"""One example: the files a user has, and what must come in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Example:
    """Files that are added together with one command.

    `files` has the bytes of each file by its name; names with a slash are in folders. `added` names what is
    given to the command (default: all files). `expected` are the records that must come in, in order:
    (id, title, text) of documents, with None for an id made of the content, and (query, count) of queries.
    """

    name: str
    kind: Literal["documents", "queries"]
    imitates: str
    files: Mapping[str, bytes]
    expected: Sequence[tuple[object, ...]]
    recognized: str = ""  # the export or format that must be named
    columns: str = ""  # the value of --columns
    skipped: int = 0  # records that must be reported as skipped
    added: Sequence[str] = field(default_factory=tuple)
