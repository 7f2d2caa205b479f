"""Single files of a workspace: replaced and deleted on disk, and in object storage if that is where it is."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from querykin.storage.atomic_write import write_bytes
from querykin.storage.locations import mirror_of


def publish_text(path: Path, text: str) -> None:
    """Replace a file atomically; WorkspaceError if another machine has replaced it meanwhile."""
    publish_bytes(path, text.encode("utf-8", "replace"))


def publish_bytes(path: Path, content: bytes) -> None:
    """Replace a file atomically; WorkspaceError if another machine has replaced it meanwhile."""
    if mirror := mirror_of(path):
        mirror.put(path, content)
    else:
        write_bytes(path, content)


@contextmanager
def newest_version(path: Path) -> Iterator[None]:
    """Have the newest version of a file here, from which its next one is made in the block."""
    if mirror := mirror_of(path):
        with mirror.changing(path):
            yield
    else:
        yield


def remove_file(path: Path) -> None:
    """Delete a file, if it exists."""
    if mirror := mirror_of(path):
        mirror.delete(path)
    path.unlink(missing_ok=True)


def remove_folder(path: Path) -> None:
    """Delete a folder with all that is in it."""
    if mirror := mirror_of(path):
        mirror.delete(path)
    shutil.rmtree(path)
