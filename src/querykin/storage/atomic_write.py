"""Atomic replacement of files, durable after a power failure."""

import os
from pathlib import Path
from threading import get_ident


def write_text(path: Path, text: str, mode: int = 0o666) -> None:
    """Replace a file atomically: readers, also after a crash, see the old content or all of the new."""
    write_bytes(path, text.encode("utf-8", "replace"), mode)


def write_bytes(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replace a file atomically: readers, also after a crash, see the old content or all of the new.

    `mode` is what others may do with it, as far as the umask allows that.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}")
    with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
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
