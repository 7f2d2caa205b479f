"""Files replaced in one step, durable after a power failure."""

import os
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write a file in one step: a reader sees what was there before or all of it, also after a power cut."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with draft.open("w", encoding="utf-8", errors="replace") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
