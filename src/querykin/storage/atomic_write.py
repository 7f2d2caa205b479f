"""Atomic replacement of files, durable after a power failure."""

import os
from contextlib import suppress
from pathlib import Path
from threading import get_ident


def write_text(path: Path, text: str) -> None:
    """Replace a file atomically: readers, also after a crash, see the old content or all of the new."""
    write_bytes(path, text.encode("utf-8", "replace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Replace a file atomically: readers, also after a crash, see the old content or all of the new."""
    draft = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise
    sync_to_disk(path.parent)


def create_folder(path: Path) -> None:
    """Create a folder, with the folders above it, that is still there after a power failure.

    An empty folder may be that of a process that was killed before it could force its entry to disk.
    """
    if path.is_dir() and any(path.iterdir()):
        return
    if path.parent != path:
        create_folder(path.parent)
    path.mkdir(exist_ok=True)
    if os.access(path.parent, os.R_OK):  # writable suffices for mkdir, and fsync needs to open it
        sync_to_disk(path.parent)


def sync_to_disk(path: Path) -> None:
    """Force a file, or the entries of a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
