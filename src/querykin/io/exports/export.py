"""The description of an export: the headers by which a program's file is recognized and read."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Literal

from querykin.text.normalization import fold_case

Names = tuple[str, ...]  # the names of one column in several languages and versions
Kind = Literal["documents", "queries", "log"]


@dataclass(frozen=True, slots=True)
class Export:
    """A file that a known program writes, recognized by its headers.

    `columns` has for each role (title, text, id, url; query, count) one column, or several that are joined.
    All marks must be among the headers, and of the roles both query and count, or the title.
    """

    name: str
    kind: Kind
    columns: Mapping[str, tuple[Names, ...]]
    marks: tuple[Names, ...] = ()  # columns that are not read, but distinguish the export from others
    variants: bool = False  # adjacent rows with the same id describe one document
    placeholders: Names = ()  # values that stand for an empty cell
    escaped_line_ends: bool = False  # a line end in a cell of a text is written as \n
    totals: Names = ()  # beginnings of the query in rows that hold a sum

    def matches(self, header: Container[str]) -> bool:
        """Whether a header, given as case-folded names (`fold_case`), is that of this export."""
        roles = ("title",) if self.kind == "documents" else tuple(self.columns)
        needed = (*self.marks, *(self.columns[role][0] for role in roles))
        return all(any(fold_case(name) in header for name in names) for names in needed)
