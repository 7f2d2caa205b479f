"""An opened input as readers see it: decompressed, in UTF-8 and without a byte order mark."""

import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

from querykin.io.columns import NO_MAPPING, ColumnMapping, ColumnsRead
from querykin.io.compression import MAGIC_LENGTH, decompressed, detect_compression
from querykin.io.encodings import TextFile
from querykin.io.streams import as_file, counted
from querykin.types import Document, SkippedRecord

STANDARD_INPUT = "-"
MAX_LINE_BYTES = 64 * 2**20  # also the largest file that is held in memory as a whole


class Input:
    """A file being read: its content, its name for messages, its label for titles, its first problem.

    `columns` is what the user said about its columns, `columns_read` what the reader made of them.
    """

    def __init__(
        self,
        file: io.BufferedReader,
        name: str,
        label: str,
        report: Callable[[SkippedRecord], None],
        columns: ColumnMapping = NO_MAPPING,
    ) -> None:
        self.file = file
        self.name = name
        self.label = label
        self.columns = columns
        self.columns_read: ColumnsRead | None = None
        self.problem: SkippedRecord | None = None
        self._report = report
        self._content = file

    @property
    def encoding(self) -> str:
        """The name of the encoding found so far."""
        return self._content.encoding if isinstance(self._content, TextFile) else "UTF-8"

    def skip(self, line: int | None, message: str) -> None:
        """Report that a part of the input is skipped, and why; the first such problem is kept."""
        problem = SkippedRecord(self.name, line, message)
        self.problem = self.problem or problem
        self._report(problem)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The physical lines with their numbers from 1; lines above MAX_LINE_BYTES are skipped."""
        readline, number = self.file.readline, 0
        while line := readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) <= MAX_LINE_BYTES:
                yield number, line
                continue
            self.skip(number, f"a line of more than {MAX_LINE_BYTES:,} bytes")
            while line and not line.endswith(b"\n"):
                line = readline(MAX_LINE_BYTES)


Reader = Callable[[Input], Iterator[Document]]


def content(raw: BinaryIO, name: str, suffix: str, progress: Callable[[int], None] | None) -> TextFile:
    """The content of a raw file, decompressed and in UTF-8; `suffix` is that of a compression, or ""."""
    file = as_file(counted(raw, name, progress))
    compression = detect_compression(file.peek(MAGIC_LENGTH)[:MAGIC_LENGTH], suffix, name)
    if compression is not None:
        file = as_file(decompressed(file, name, compression))
    return TextFile(file, name)
