"""Stores of derived data: one that is damaged is deleted and made again, where anything may be built."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from querykin.errors import DamagedFile
from querykin.progress import Progress
from querykin.storage.published_files import remove_folder
from querykin.storage.store import locked

T = TypeVar("T")


def open_derived(folder: Path, opening: Callable[[], T], progress: Progress, *, may_build: bool = True) -> T:
    """Open derived data; if a file of this folder is damaged, open it again without its content."""
    try:
        return opening()
    except DamagedFile as error:
        if not may_build or folder not in error.path.parents:
            raise
        problem = str(error).partition("; next: ")[0]
        progress.message(f"{problem}; {folder} is made again")
        with locked(folder):
            remove_folder(folder)
        return opening()
