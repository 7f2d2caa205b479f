"""Atomic replacement of files, durable after a power failure."""

import os
from pathlib import Path
from threading import get_ident


def write_text(path: Path, text: str) -> None:
    """Replace a file atomically: readers, also after a crash, see the old content or all of the new."""
    write_bytes(path, text.encode("utf-8", "replace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Replace a file atomically: readers, also after a crash, see the old content or all of the new."""
    draft = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    sync_to_disk(path.parent)


def sync_to_disk(path: Path) -> None:
    """Force a file, or the entries of a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
