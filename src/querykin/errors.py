"""What can go wrong, in words a user can act on.

QuerykinError                the base: its message is shown as it is, without a traceback
  InputError                 a file, text or option that cannot be used
  WorkspaceError             the workspace is missing, damaged, locked or of another version
  UnknownName                no such measure, engine or reader
  MissingExtra               an optional part is not installed
"""

from collections.abc import Iterable
from difflib import get_close_matches


class QuerykinError(Exception):
    """Something the user can put right; the message says what, got, allowed and next."""


class InputError(QuerykinError):
    """A file, text or option that cannot be used."""


class WorkspaceError(QuerykinError):
    """The workspace is missing, damaged, locked or of another version."""


class UnknownName(QuerykinError):
    """No such measure, engine or reader; the message offers the nearest name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ";"
        super().__init__(f"unknown {kind} {name!r}{hint} Known: {', '.join(names)}")


class MissingExtra(QuerykinError):
    """An optional part is not installed; the message is the command that installs it."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an optional part: pip install 'querykin[{extra}]'")
