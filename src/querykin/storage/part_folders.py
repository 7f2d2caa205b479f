"""Folders of parts: made and marked by their store, and deleted only if they are.

A workspace may come from somebody else, or contain symbolic links: what a store did not make itself is never
deleted, whatever its name, and no link is followed.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from querykin.errors import DamagedFile, WorkspaceError
from querykin.storage.atomic_write import create_folder, sync_to_disk

MARKER = ".part"  # a file with the id of the store that made the folder
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_FILE = re.compile(r"[A-Za-z0-9_.-]{1,200}(/[A-Za-z0-9_.-]{1,200})?")


def check_part_name(name: str) -> str:
    """A name that can only be that of a folder in `parts`; ValueError otherwise.

    >>> check_part_name("segment-3f0c52a9d1e4")
    'segment-3f0c52a9d1e4'
    >>> check_part_name("../../home")
    Traceback (most recent call last):
    ValueError: '../../home' is not the name of a part
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a part")
    return name


def check_file_name(name: str) -> str:
    """A name that can only be that of a file in the folder of a part; ValueError otherwise."""
    if not _FILE.fullmatch(name) or not {".", ".."}.isdisjoint(name.split("/")):
        raise ValueError(f"{name!r} is not the name of a file of a part")
    return name


def make_folder(folder: Path, store_id: str) -> None:
    """Create the folder of a part and mark it."""
    _refuse_link(folder.parent)
    create_folder(folder.parent)  # on disk before a manifest that needs it
    folder.mkdir()
    mark(folder, store_id)


def mark(folder: Path, store_id: str) -> None:
    """Write into a folder which store has made it."""
    (folder / MARKER).write_text(store_id, "ascii")
    sync_to_disk(folder / MARKER)
    sync_to_disk(folder)


def link_or_copy(source: Path, target: Path) -> None:
    """Make a file of a part appear in another part too."""
    try:
        os.link(source, target)
    except OSError:  # no hard links on this file system, or not to files of another user
        shutil.copyfile(source, target)


def own_folders(parts: Path, store_id: str) -> Iterator[Path]:
    """The folders in `parts` that this store has made."""
    _refuse_link(parts)
    if parts.is_dir():
        with os.scandir(parts) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and _is_own(Path(entry.path), store_id):
                    yield Path(entry.path)


def remove_own(folder: Path, store_id: str) -> bool:
    """Delete the folder of a part if this store has made it; returns whether it was deleted."""
    _refuse_link(folder.parent)
    if folder.is_symlink() or not folder.is_dir() or not _is_own(folder, store_id):
        return False
    for found, folders, files in os.walk(folder, topdown=False):  # follows no links
        # The marker goes last: a folder that is left when this process is killed is still known.
        for name in (*files, *folders):
            path = Path(found, name)
            if path != folder / MARKER:
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    (folder / MARKER).unlink(missing_ok=True)
    folder.rmdir()
    return True


def _is_own(folder: Path, store_id: str) -> bool:
    """Whether a folder has the mark of a store, or is empty: its maker was killed before it was marked."""
    try:
        descriptor = os.open(folder / MARKER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return not any(folder.iterdir())
    try:
        return os.read(descriptor, 100) in (store_id.encode(), b"")
    finally:
        os.close(descriptor)


def _refuse_link(parts: Path) -> None:
    if parts.is_symlink():
        raise WorkspaceError(
            f"{parts} is a symbolic link, through which nothing is written or deleted; "
            "next: link the folder of the workspace instead"
        )


def regular_size(path: Path) -> int:
    """The size of a file; DamagedFile if something else is in its place."""
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise DamagedFile(path, "it is not a regular file")
    return found.st_size
