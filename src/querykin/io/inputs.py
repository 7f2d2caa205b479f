"""An opened input as readers see it: decompressed, and text in UTF-8 without a byte order mark."""

import io
from collections.abc import Callable, Container, Iterator, Sequence
from typing import BinaryIO

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.columns import (
    NO_MAPPING,
    ColumnMapping,
    Columns,
    ColumnsRead,
    listed_columns,
    recognize_columns,
)
from querykin.io.compression import MAGIC_LENGTH, decompressed, detect_compression
from querykin.io.encodings import TextFile
from querykin.io.exports.export import Kind
from querykin.io.file_kinds import kind_of, wrong_kind
from querykin.io.streams import as_file, counted
from querykin.types import Document, SkippedRecord

STANDARD_INPUT = "-"


def check_standard_input(names: Sequence[object]) -> None:
    """Refuse names of inputs that have standard input twice: it can be read only once."""
    if sum(name == STANDARD_INPUT for name in names) > 1:
        raise InputError("standard input (-) is named twice, but can be read only once")


class Input:
    """A file being read: its content, its name for messages, its label for titles, its first problem.

    `columns` is what the user said about its columns, `columns_read` what the reader made of them. With
    `keeps_zero_counts` a query that was counted 0 times is read with the count 1, otherwise it is skipped.
    """

    def __init__(
        self,
        file: io.BufferedReader,
        name: str,
        label: str,
        report: Callable[[SkippedRecord], None],
        columns: ColumnMapping = NO_MAPPING,
        keeps_zero_counts: bool = False,
    ) -> None:
        self.file = file
        self.name = name
        self.label = label
        self.columns = columns
        self.keeps_zero_counts = keeps_zero_counts
        self.columns_read: ColumnsRead | None = None
        self.problem: SkippedRecord | None = None
        self.line_count = 0  # of the lines read so far
        self._report = report
        self._content = file

    @property
    def encoding(self) -> str:
        """The name of the encoding found so far."""
        return self._content.encoding if isinstance(self._content, TextFile) else "UTF-8"

    def find_columns(
        self, header: Sequence[str], kind: Kind, record: str, missing: str, allowed: str
    ) -> Columns:
        """The columns of a header by role; a header without the one that matters is an InputError."""
        if len(header) > limits.MAX_COLUMNS:
            raise InputError(
                f"{self.name} has more than {limits.MAX_COLUMNS:,} columns; export it with those that a "
                f"{record} needs"
            )
        if not any(header) and self.problem is None:
            raise InputError(f"{self.name} is empty: no column and no {record} was found in it; {allowed}")
        self.columns.check(self.name, header)
        columns = recognize_columns(tuple(header), kind, self.columns)
        if not columns.is_known:
            raise InputError(
                f"{self.name} has no column {missing}; found: {listed_columns(header)}; {allowed}"
            )
        return columns

    def skip(self, line: int | None, message: str) -> None:
        """Report that a part of the input is skipped, and why; the first such problem is kept."""
        problem = SkippedRecord(self.name, line, message)
        self.problem = self.problem or problem
        self._report(problem)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The physical lines with their numbers from 1; lines above limits.MAX_LINE_BYTES are skipped."""
        readline, number = self.file.readline, 0
        while line := readline(limits.MAX_LINE_BYTES + 1):
            self.line_count = number = number + 1
            if len(line) <= limits.MAX_LINE_BYTES:
                yield number, line
                continue
            self.skip(number, f"a line of more than {limits.MAX_LINE_BYTES:,} bytes")
            while line and not line.endswith(b"\n"):
                line = readline(limits.MAX_LINE_BYTES)


Reader = Callable[[Input], Iterator[Document]]


TABLES_AND_LISTS = "tables (.csv .tsv .xlsx .jsonl .json .parquet) and lists (.txt) can be"


def content(
    raw: BinaryIO,
    name: str,
    suffix: str,
    progress: Callable[[int], None] | None,
    kinds: Container[str] = (),
    allowed: str = TABLES_AND_LISTS,
) -> io.BufferedReader:
    """The content of a raw file, decompressed; text is in UTF-8. `suffix` is that of a compression, or "".

    A file that is recognizably something else than text is an InputError that says what can be read
    (`allowed`), unless its kind is among `kinds`; then its bytes are as they are.
    """
    file = as_file(counted(raw, name, progress))
    compression = detect_compression(file.peek(MAGIC_LENGTH)[:MAGIC_LENGTH], suffix, name)
    if compression is not None:
        file = as_file(decompressed(file, name, compression))
    kind = kind_of(file.peek())
    if kind is not None and kind.name not in kinds:
        raise wrong_kind(name, kind, allowed)
    return file if kind is not None and not kind.is_text else TextFile(file, name)
