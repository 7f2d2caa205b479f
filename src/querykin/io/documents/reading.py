"""Documents from any mix of sources: all are checked first, then read one document at a time."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import BinaryIO

from querykin.errors import InputError
from querykin.io.columns import NO_MAPPING, ColumnMapping, ColumnsRead
from querykin.io.documents.formats import recognize_format
from querykin.io.documents.ids import with_id
from querykin.io.documents.sources import SourceFile, find_files
from querykin.io.inputs import STANDARD_INPUT, Input, content
from querykin.types import Document, SkippedRecord

Report = Callable[[SkippedRecord], None]
Progress = Callable[[int], None] | None


@dataclass(frozen=True)
class DocumentSources:
    """Files, folders and standard input ("-") that were found and checked, and can be read."""

    groups: Sequence[Sequence[SourceFile]]  # the files of each source

    @classmethod
    def discover(cls, paths: Sequence[str | os.PathLike[str]]) -> "DocumentSources":
        """Find the files of all sources; one that is missing, unreadable or unknown is an InputError."""
        if not paths:
            raise InputError("nothing to read: name a file, a folder, or - for standard input")
        if sum(path == STANDARD_INPUT for path in paths) > 1:
            raise InputError("standard input (-) is named twice, but can be read only once")
        return cls([find_files(path) for path in paths])

    @property
    def size(self) -> int | None:
        """The bytes to read, as stored; None if standard input is among the sources."""
        files = [file for group in self.groups for file in group]
        return None if any(file.path is None for file in files) else sum(file.size for file in files)

    def read(
        self,
        report: Report,
        progress: Progress = None,
        stdin: BinaryIO | None = None,
        columns: ColumnMapping = NO_MAPPING,
        noted: Callable[[ColumnsRead], None] = lambda columns: None,
    ) -> Iterator[Document]:
        """The documents in order; skipped records go to `report`, the bytes read as stored to `progress`.

        `columns` are the user's roles of columns; how a file with columns was read goes to `noted` when its
        end is reached.

        A source that turns out unusable (truncated, damaged, without documents) is an InputError then, so
        nothing should be committed before the iterator is exhausted. A file without documents inside a
        folder is only reported, as long as other files of the folder have some.
        """
        for group in self.groups:
            count = 0
            for file in group:
                before = count
                with _opened(file, stdin) as raw:
                    source = Input(
                        content(raw, file.name, file.compression, progress),
                        file.name,
                        file.label,
                        report,
                        columns,
                    )
                    reader = file.reader or recognize_format(source.file.peek()).read
                    for document in reader(source):
                        count += 1
                        yield with_id(document)
                if source.columns_read is not None:
                    noted(source.columns_read)
                if count == before and len(group) > 1 and source.problem is None:
                    source.skip(None, f"no documents: {_NOTHING}")
            if not count:
                raise InputError(f"no documents in {_names(group)}: {_reason(source)}")


def read_documents(
    sources: Sequence[str | os.PathLike[str]],
    report: Report,
    *,
    progress: Progress = None,
    stdin: BinaryIO | None = None,
    columns: str = "",
    noted: Callable[[ColumnsRead], None] = lambda columns: None,
) -> Iterator[Document]:
    """The documents of files, folders and standard input ("-"): see `DocumentSources`.

    `columns` maps roles to the files' own column names, as in "title=Name,text=Body+Tags,id=SKU".

    The sources are checked at once, before the first document is read.
    """
    mapping = ColumnMapping.parse(columns, "documents")
    return DocumentSources.discover(sources).read(report, progress, stdin, mapping, noted)


_NOTHING = "nothing to read was found in it"


def _opened(file: SourceFile, stdin: BinaryIO | None) -> AbstractContextManager[BinaryIO]:
    if file.path is None:
        return nullcontext(stdin or sys.stdin.buffer)
    try:
        return file.path.open("rb")
    except OSError as error:
        raise InputError(f"cannot read {file.name}: {error.strerror}") from error


def _names(group: Sequence[SourceFile]) -> str:
    first = group[0].name
    return first if len(group) == 1 else f"{first} and the other files of its folder"


def _reason(source: Input) -> str:
    if source.problem is None:
        return _NOTHING
    line = source.problem.line
    return source.problem.message if line is None else f"line {line}: {source.problem.message}"
