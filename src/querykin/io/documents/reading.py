"""Documents from any mix of sources: everything is checked first, then read one document at a time."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from hashlib import blake2b
from typing import BinaryIO

from querykin.errors import InputError
from querykin.io.documents.formats import READERS, suffixes
from querykin.io.documents.sniffing import sniff
from querykin.io.documents.sources import STANDARD_INPUT, SourceFile, find_files
from querykin.io.inputs import Input, content
from querykin.types import Document, SkippedRecord

_Progress = Callable[[int], None] | None


def read_documents(
    sources: Sequence[str | os.PathLike[str]],
    report: Callable[[SkippedRecord], None],
    *,
    progress: Callable[[int], None] | None = None,
    stdin: BinaryIO | None = None,
) -> Iterator[Document]:
    """The documents of files, folders and standard input ("-"), in order; bad records go to `report`.

    A source that is missing, unreadable or of an unknown form is an InputError before anything is
    read. One that turns out unusable on the way (cut, damaged, not a document in it) is an
    InputError then, so keep nothing until the iterator is exhausted. A file without documents
    inside a folder is only reported, as long as the folder has others.

    `progress` receives the number of bytes, as stored, read since it was called last.
    """
    groups = _find_all(sources)
    return _read(groups, report, progress, stdin)


def source_size(sources: Sequence[str | os.PathLike[str]]) -> int | None:
    """The bytes that reading these sources takes, as stored; None if standard input is among them."""
    if STANDARD_INPUT in sources:
        return None
    return sum(file.size for group in _find_all(sources) for file in group)


def _find_all(sources: Sequence[str | os.PathLike[str]]) -> list[list[SourceFile]]:
    if not sources:
        raise InputError("nothing to read: name a file, a folder, or - for standard input")
    if sum(source == STANDARD_INPUT for source in sources) > 1:
        raise InputError("standard input (-) is named twice, but can be read only once")
    return [find_files(source) for source in sources]


def _read(
    groups: list[list[SourceFile]],
    report: Callable[[SkippedRecord], None],
    progress: _Progress,
    stdin: BinaryIO | None,
) -> Iterator[Document]:
    for group in groups:
        count = 0
        for file in group:
            before = count
            with _opened(file, stdin) as raw:
                source, documents = _start(file, raw, report, progress)
                for document in documents:
                    count += 1
                    yield document if file.path else _named_by_content(document, file.label)
            if count == before and len(group) > 1:
                _report_empty(source)
        if not count:
            raise InputError(f"no documents in {_all_names(group)}: {_reason(source)}")


def _named_by_content(document: Document, label: str) -> Document:
    """A document of a pipe without an id of its own: two pipes must not overwrite each other's first line."""
    if not re.fullmatch(rf"{label}([:#]\d+)?", document.id):
        return document
    content = f"{document.title}\n{document.text}".encode("utf-8", "replace")
    return replace(document, id=f"{label}:{blake2b(content, digest_size=8).hexdigest()}")


def _opened(file: SourceFile, stdin: BinaryIO | None) -> AbstractContextManager[BinaryIO]:
    if file.path is None:
        return nullcontext(stdin or sys.stdin.buffer)
    try:
        return file.path.open("rb")
    except OSError as error:
        raise InputError(f"cannot read {file.name}: {error.strerror}") from error


def _start(
    file: SourceFile, raw: BinaryIO, report: Callable[[SkippedRecord], None], progress: _Progress
) -> tuple[Input, Iterator[Document]]:
    form, compression = suffixes(file.path) if file.path else ("", "")
    text = content(raw, file.name, compression, progress)
    reader = READERS[form] if file.path else sniff(text.peek())
    source = Input(text, file.name, file.label, report)
    return source, reader(source)


def _report_empty(source: Input) -> None:
    if source.problem is None:
        source.skip(None, "no documents: nothing to read was found in it")


def _all_names(group: list[SourceFile]) -> str:
    first = group[0].name
    return first if len(group) == 1 else f"{first} and the other files of its folder"


def _reason(source: Input) -> str:
    if source.problem is None:
        return "nothing to read was found in it"
    line = source.problem.line
    return source.problem.message if line is None else f"line {line}: {source.problem.message}"
