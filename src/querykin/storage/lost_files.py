"""Single files of original data have a mark beside them, so that their loss is noticed.

The manifest of a store lists its files; nothing lists a file like `judgements.db`. Its mark is made when the
file is on disk: a mark without its file says that the file was lost.
"""

from contextlib import suppress
from pathlib import Path

from querykin.errors import DamagedFile
from querykin.storage.atomic_write import write_bytes
from querykin.storage.locations import mirror_of

_PRIVATE = 0o600


def mark_of(path: Path) -> Path:
    """The mark of a file, which is empty."""
    return path.with_name(f".{path.name}.exists")


def mark_existing(path: Path) -> None:
    """Mark a file that is on disk; not in a mirror, where another machine may delete it."""
    if not mark_of(path).exists() and not mirror_of(path):
        with suppress(OSError):  # the file is written; the next writer tries again
            write_bytes(mark_of(path), b"", _PRIVATE)


def is_lost(path: Path) -> bool:
    """Whether a file was there once and is missing."""
    return mark_of(path).exists() and not path.exists()


def refuse_lost(path: Path) -> None:
    """Raise an error if a file was there once and is missing."""
    if is_lost(path):
        raise DamagedFile(path, f"it is missing; to go on without it: delete {mark_of(path)}")
