"""Atomic replacement of files, durable after a power failure."""

import os
from contextlib import suppress
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
    try:
        # A link under this name would lead the content elsewhere.
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise
    sync_to_disk(path.parent)


PRIVATE_FOLDER = 0o700  # the mode of folders that only their owner may enter


def create_folder(path: Path, mode: int = 0o777) -> None:
    """Create a folder, with the folders above it, that is still there after a power failure.

    `mode` is what others may do with it, as far as the umask allows that. An empty folder may be that of a
    process that was killed before it could force its entry to disk.
    """
    if path.is_dir() and any(path.iterdir()):
        return
    if path.parent != path:
        create_folder(path.parent)
    path.mkdir(mode, exist_ok=True)
    if os.access(path.parent, os.R_OK):  # writable suffices for mkdir, and fsync needs to open it
        sync_to_disk(path.parent)


def sync_to_disk(path: Path) -> None:
    """Force a file, or the entries of a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
