"""Folders of an unfinished restore in a workspace.

New content is complete in a draft before that is renamed, which is the commit; then the workspace does
not open until everything is in its place.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from querykin.errors import WorkspaceError

DRAFT, COMMITTED, DONE = ".restore-draft", ".restore", ".restore-done"


def refuse_unfinished_restore(path: Path) -> None:
    """Raise an error if only a part of the files of a workspace are in their places."""
    if (path / COMMITTED).exists():
        raise WorkspaceError(f"a restore of {path} was interrupted; next: run querykin restore again")


@contextmanager
def restoring(path: Path) -> Iterator[None]:
    """Keep other restores of the same folder out."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WorkspaceError(f"another process is restoring {path}; try again later") from None
        yield
    finally:
        os.close(descriptor)
