"""Exceptions whose messages are shown to users.

QuerykinError                the base class: its message is shown as it is, without a traceback
  InputError                 a file, text or option that cannot be used
  WorkspaceError             the workspace is missing, damaged, locked or of another version
    DamagedFile              a file is not what was written
  UnknownName                an unknown name of a measure, filter, language, source, setting...
  MissingExtra               an optional dependency is not installed
  ServiceUnavailable         a service that this one depends on does not answer
    ObjectStorageError       object storage cannot be reached, or refuses a request
  MissingPackage             a package that pip installs along with this one is not there
"""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

# Characters of a message that are shown: hostile files have names of tens of thousands.
_HEAD, _TAIL = 3_000, 900


class QuerykinError(Exception):
    """An error that the user can correct; the message says what is wrong, what is allowed and what to do."""

    def __str__(self) -> str:
        message = super().__str__()
        if len(message) <= _HEAD + _TAIL:
            return message
        return f"{message[:_HEAD]} [...] {message[-_TAIL:]}"

    def __reduce__(self) -> tuple[Any, ...]:
        """An error of a task reaches the process that asked for it with its message, whatever made that."""
        return Exception.__new__, (type(self), *self.args), vars(self) or None


class InputError(QuerykinError):
    """A file, text or option that cannot be used."""


class WorkspaceError(QuerykinError):
    """The workspace is missing, damaged, locked or of another version."""


class DamagedFile(WorkspaceError):
    """A file of the workspace is not what was written: bits have changed, or it is missing or truncated."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(f"{path} is damaged: {problem}; next: querykin check says what can be done")
        self.path = Path(path)


class UnknownName(QuerykinError):
    """An unknown name of a measure, filter, language, source or setting; the message suggests the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        allowed = f"{hint} Known: {', '.join(names)}" if names else "; none is known"
        super().__init__(f"unknown {kind} {name!r}{allowed}")


class MissingExtra(QuerykinError):
    """An optional dependency is not installed; the message is the command that installs it."""

    def __init__(self, purpose: str, extra: str) -> None:
        from querykin.installation import install_command  # imports urllib, which no other error needs

        super().__init__(f"{purpose} needs an optional part: {install_command(extra)}")


class ServiceUnavailable(QuerykinError):
    """A service that this one depends on, like a search cluster, does not answer."""


class ObjectStorageError(ServiceUnavailable):
    """Object storage cannot be reached, or refuses a request."""


class MissingPackage(QuerykinError):
    """A package that pip installs along with this one is not there; the message has the command."""

    def __init__(self, purpose: str, requirement: str) -> None:
        super().__init__(f"{purpose} need a package that is not installed; next: pip install {requirement}")
