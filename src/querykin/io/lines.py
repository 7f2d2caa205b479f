"""Lines of text from a file or standard input, for tables and lists."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from querykin.errors import InputError
from querykin.io.compression import split_suffixes
from querykin.io.inputs import STANDARD_INPUT, content


def open_text(
    source: str, stdin: BinaryIO | None = None, progress: Callable[[int], None] | None = None
) -> Iterator[str]:
    """The lines of a text file, compressed or not; an unreadable file is an InputError at once."""
    return _lines(*open_source(source, stdin), progress)


def open_source(source: str, stdin: BinaryIO | None = None) -> tuple[BinaryIO, str, str]:
    """The bytes of a file or of standard input ("-"), its name, and the suffix of its compression."""
    if source == STANDARD_INPUT:
        return stdin or sys.stdin.buffer, "standard input", ""
    path = Path(source)
    if path.is_dir():
        raise InputError(f"{source} is a folder; a file is needed, or - for standard input")
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read {source}: {reason}") from error
    return file, source, split_suffixes(path)[1]


def _lines(
    raw: BinaryIO, name: str, compression: str, progress: Callable[[int], None] | None
) -> Iterator[str]:
    with raw, content(raw, name, compression, progress) as file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{name}, line {number}: damaged: its UTF-8 is invalid here; save it again as UTF-8"
                ) from error
