"""Lines of text from a file or standard input, for tables and lists."""

import io
import sys
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.compression import split_suffixes
from querykin.io.inputs import STANDARD_INPUT, content


def open_text(
    source: str, stdin: BinaryIO | None = None, progress: Callable[[int], None] | None = None
) -> Iterator[str]:
    """The lines of a text file, compressed or not; an unreadable file is an InputError at once."""
    return open_content(source, stdin, progress=progress).lines()


@dataclass(frozen=True)
class OpenedContent:
    """The content of a file, which is closed after its last line."""

    raw: BinaryIO
    file: io.BufferedReader
    name: str

    def lines(self) -> Iterator[str]:
        """The lines of a text file; one above MAX_LINE_BYTES is an InputError."""
        with self.raw, self.file:
            longest = limits.MAX_LINE_BYTES
            lines = iter(partial(self.file.readline, longest + 1), b"")
            for number, line in enumerate(lines, start=1):
                if len(line) > longest:
                    raise InputError(f"{self.name}, line {number}: a line of more than {longest:,} bytes")
                try:
                    yield line.decode()
                except UnicodeDecodeError as error:
                    raise InputError(
                        f"{self.name}, line {number}: damaged: its UTF-8 is invalid here; save it as UTF-8"
                    ) from error

    def close(self) -> None:
        """Close a file that was read otherwise."""
        self.file.close()
        self.raw.close()


def open_content(
    source: str,
    stdin: BinaryIO | None = None,
    kinds: Container[str] = (),
    progress: Callable[[int], None] | None = None,
) -> OpenedContent:
    """The content of a file or of standard input; of binary files only these kinds are opened."""
    raw, name, compression = open_source(source, stdin)
    try:
        return OpenedContent(raw, content(raw, name, compression, progress, kinds), name)
    except BaseException:
        raw.close()
        raise


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
