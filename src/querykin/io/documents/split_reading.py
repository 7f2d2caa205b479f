"""Reading of one split: its documents, and what there is to say about its files."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import BinaryIO, Protocol

from querykin.errors import InputError, MissingExtra, QuerykinError
from querykin.io.columns import ColumnMapping, ColumnsRead
from querykin.io.documents.formats import known_suffixes, readable_kinds, recognize_format
from querykin.io.documents.ids import with_id
from querykin.io.documents.jsonl import read_further_lines
from querykin.io.documents.opening import Opener
from querykin.io.documents.splits import Split, SplitFile
from querykin.io.inputs import Input, content
from querykin.io.streams import as_file, counted
from querykin.types import Document, SkippedRecord, with_source


@dataclass(frozen=True)
class FileEnd:
    """What is known at the end of a file, or of a range of its lines."""

    documents: int
    lines: int  # where the format has any
    problem: SkippedRecord | None  # the first; its line is counted from the begin of the range
    error: QuerykinError | None = None  # why the file cannot be read, or not to its end


class ReadingListener(Protocol):
    """Receives what reading says about files, in the order of the input."""

    def progressed(self, size: int) -> None:
        """So many bytes, as stored, were read."""

    def skipped(self, record: SkippedRecord) -> None:
        """A record was skipped; its line is counted from the begin of the range."""

    def noted(self, columns: ColumnsRead) -> None:
        """How the columns of a file were read."""

    def ended(self, file: SplitFile, end: FileEnd) -> None:
        """A file was read."""


def read_split(
    split: Split, opener: Opener, columns: ColumnMapping, listener: ReadingListener
) -> Iterator[Document]:
    """The documents of a split, each with an id and a source; a file's error is part of its end."""
    for each in split:
        count, opened = 0, None
        error: QuerykinError | None = None
        try:
            with opener.open(each.file) as raw:
                opened = _input(each, raw, columns, listener)
                for document in _read(each, opened):
                    count += 1
                    yield with_source(document, each.source_name)
            if opened.columns_read is not None:
                listener.noted(opened.columns_read)
        except (InputError, MissingExtra) as raised:
            error = raised
        lines, problem = (0, None) if opened is None else (opened.line_count, opened.problem)
        listener.ended(each, FileEnd(count, lines, problem, error))


def _input(each: SplitFile, raw: BinaryIO, columns: ColumnMapping, listener: ReadingListener) -> Input:
    file = each.file
    if each.is_range:
        raw.seek(each.begin)
        pieces = counted(raw, file.name, listener.progressed, each.size)
        # Byte order marks are no JSON, wherever they are.
        first = next(pieces, b"").removeprefix(codecs.BOM_UTF8)
        data = as_file(chain([first], pieces))
    else:
        kinds, allowed = readable_kinds(file.formats), f"known are {known_suffixes()}"
        data = content(raw, file.name, file.compression, listener.progressed, kinds, allowed)
    return Input(data, file.name, file.label, listener.skipped, columns)


def _read(each: SplitFile, opened: Input) -> Iterator[Document]:
    recognized = recognize_format(opened.file.peek(), each.file.formats)
    read = read_further_lines if each.begin else recognized.read
    for document in read(opened):
        url = document.url or each.url
        yield with_id(replace(document, url=url) if url != document.url else document)
