"""The local cache of parts: bounded in bytes, the least recently used parts are evicted.

A process that has a part open holds a shared lock on its folder, which the kernel releases when the process
ends, however it does. A part is evicted under an exclusive lock, so never while somebody has it open. What
was mapped stays mapped even if its files are deleted.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from weakref import finalize

from filelock import FileLock, Timeout

REMOTE, ORIGIN = ".remote", "origin.json"  # a folder with this file in that folder is a mirror


class PinnedPart:
    """A part that is in use as long as this object exists; FileNotFoundError if there is none."""

    def __init__(self, folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._closing = finalize(self, os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if os.stat(folder).st_ino != os.fstat(descriptor).st_ino:
            raise FileNotFoundError(2, "evicted meanwhile", str(folder))
        os.utime(descriptor)  # the time of the last use


def remove_unused(folder: Path) -> bool:
    """Delete a part unless it is in use; returns whether it is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # In one step: what is left if this process is killed must not be taken for a whole part.
        removed = folder.with_name(f".{folder.name}.{os.getpid()}")
        os.rename(folder, removed)
        shutil.rmtree(removed, ignore_errors=True)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return True
    finally:
        os.close(descriptor)
    return True


@dataclass(frozen=True, slots=True)
class _CachedPart:
    used: int
    size: int
    folder: Path


@dataclass(frozen=True, slots=True)
class PartCache:
    """The parts of all mirrors in a folder, of at most `limit` bytes together unless more are in use."""

    folder: Path
    limit: int

    def make_room(self, needed: int) -> int:
        """Evict parts until `needed` bytes more are within the limit; returns the bytes above it."""
        parts = sorted(self._parts(), key=lambda part: part.used)
        excess = sum(part.size for part in parts) + needed - self.limit
        for part in parts:
            if excess <= 0:
                break
            if _evict(part.folder):
                excess -= part.size
        return max(0, excess)

    def _parts(self) -> Iterator[_CachedPart]:
        # Only mirrors are a cache: others may keep workspaces in the same folder.
        for origin in self.folder.glob(f"*/{REMOTE}/{ORIGIN}"):
            for path, folders, _ in os.walk(origin.parents[1]):
                if os.path.basename(path) == "parts":
                    for name in folders:
                        with suppress(FileNotFoundError):  # deleted by another process
                            yield _cached_part(Path(path, name))
                    folders.clear()


def _cached_part(folder: Path) -> _CachedPart:
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return _CachedPart(folder.stat().st_mtime_ns, size, folder)


def _evict(folder: Path) -> bool:
    """Delete a part, unless it is in use or its store is being written to."""
    try:
        with FileLock(folder.parent.parent / "lock", timeout=0):
            return remove_unused(folder)
    except Timeout:
        return False
