"""An opened input as readers see it: decompressed, in UTF-8 and without a byte order mark."""

import codecs
import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

from querykin.errors import InputError
from querykin.io.compression import MAGIC_LENGTH, decompressed, detect_compression
from querykin.io.streams import PIECE, as_file, counted
from querykin.types import Document, SkippedRecord

STANDARD_INPUT = "-"
MAX_LINE_BYTES = 64 * 2**20  # also the largest file that is held in memory as a whole

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Input:
    """A file being read: its content, its name for messages, its label for ids, its first problem."""

    def __init__(
        self, file: io.BufferedReader, name: str, label: str, report: Callable[[SkippedRecord], None]
    ) -> None:
        self.file = file
        self.name = name
        self.label = label
        self.problem: SkippedRecord | None = None
        self._report = report

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


def content(
    raw: BinaryIO, name: str, suffix: str, progress: Callable[[int], None] | None
) -> io.BufferedReader:
    """The UTF-8 content of a raw file; `suffix` is that of a compression, or ""."""
    file = as_file(counted(raw, name, progress))
    compression = detect_compression(file.peek(MAGIC_LENGTH)[:MAGIC_LENGTH], suffix, name)
    if compression is not None:
        file = as_file(decompressed(file, name, compression))
    start = file.peek(len(codecs.BOM_UTF8))
    if start.startswith(codecs.BOM_UTF8):
        file.read(len(codecs.BOM_UTF8))
    elif start.startswith(_UTF16_MARKS):
        file = as_file(_utf8_from_utf16(file, name))
    return file


def _utf8_from_utf16(file: io.BufferedReader, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")()
    try:
        while piece := file.read(PIECE):
            yield decoder.decode(piece).encode()
        decoder.decode(b"", final=True)
    except UnicodeError as error:
        raise InputError(
            f"{name} begins like UTF-16 but is not ({error}): save it as UTF-8 and try again"
        ) from error
