"""Documents from any mix of sources: all are checked first, then read one document at a time."""

import os
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import BinaryIO

from querykin.counted_nouns import counted
from querykin.errors import InputError, MissingExtra
from querykin.io.columns import NO_MAPPING, ColumnMapping, ColumnsRead
from querykin.io.documents.formats import known_suffixes, readable_kinds, recognize_format
from querykin.io.documents.ids import with_id
from querykin.io.documents.sitemaps import PageUrls, locations
from querykin.io.documents.sources import Source, SourceFile, find_files
from querykin.io.inputs import STANDARD_INPUT, Input, content
from querykin.io.streams import as_file
from querykin.io.zip_archive import ZipArchive
from querykin.storage.source_names import default_source
from querykin.types import Document, SkippedFile, SkippedRecord, with_source

Report = Callable[[SkippedRecord], None]
Progress = Callable[[int], None] | None


@dataclass(frozen=True)
class DocumentSources:
    """Files, folders, zip archives and standard input ("-") that were found and checked, and can be read."""

    sources: Sequence[Source]
    names: Sequence[str]  # to which their documents belong

    @classmethod
    def discover(cls, paths: Sequence[str | os.PathLike[str]]) -> "DocumentSources":
        """Find the files of all sources; one that is missing, unreadable or unknown is an InputError."""
        if not paths:
            raise InputError("nothing to read: name a file, a folder, or - for standard input")
        if sum(path == STANDARD_INPUT for path in paths) > 1:
            raise InputError("standard input (-) is named twice, but can be read only once")
        return cls([find_files(path) for path in paths], [default_source(path) for path in paths])

    @property
    def size(self) -> int | None:
        """The bytes to read, as stored; None if standard input is among the sources."""
        files = [file for source in self.sources for file in source.files]
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
        nothing should be committed before the iterator is exhausted. A file of a folder that cannot be read
        is only reported, as a `SkippedFile`, as long as other files of the folder have documents. A
        document's source is the name of the file or folder, unless the document has its own (an export).
        """
        with _Opener(stdin) as opener:
            urls, sitemaps = _page_urls(self.sources, opener)
            reading = _Reading(opener, report, progress, columns, noted, urls)
            for source, name in zip(self.sources, self.names, strict=True):
                for document in reading.documents(source, sitemaps):
                    yield with_source(document, name)


def read_documents(
    sources: Sequence[str | os.PathLike[str]],
    report: Report,
    *,
    progress: Progress = None,
    stdin: BinaryIO | None = None,
    columns: str = "",
    noted: Callable[[ColumnsRead], None] = lambda columns: None,
) -> Iterator[Document]:
    """The documents of files, folders, zip archives and standard input ("-"): see `DocumentSources`.

    `columns` maps roles to the files' own column names, as in "title=Name,text=Body+Tags,id=SKU".

    The sources are checked at once, before the first document is read.
    """
    mapping = ColumnMapping.parse(columns, "documents")
    return DocumentSources.discover(sources).read(report, progress, stdin, mapping, noted)


_NOTHING = "nothing to read was found in it"


class _Opener:
    """Opens files and members of archives; the archive opened last stays open for its next member."""

    def __init__(self, stdin: BinaryIO | None) -> None:
        self._stdin = stdin
        self._archives = ExitStack()
        self._opened: tuple[Path, ZipArchive] | None = None

    def __enter__(self) -> "_Opener":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._archives.close()

    def open(self, file: SourceFile) -> AbstractContextManager[BinaryIO]:
        """The bytes of a file."""
        if file.path is None:
            return nullcontext(self._stdin or sys.stdin.buffer)
        if file.member is not None:
            return as_file(self._archive(file.path).read(file.member))
        try:
            return file.path.open("rb")
        except OSError as error:
            raise InputError(f"cannot read {file.name}: {error.strerror}") from error

    def _archive(self, path: Path) -> ZipArchive:
        if self._opened is None or self._opened[0] != path:
            self._archives.close()
            self._opened = path, self._archives.enter_context(ZipArchive(path, path.as_posix()))
        return self._opened[1]


@dataclass(frozen=True)
class _Reading:
    """What is the same for all sources that are read together."""

    opener: _Opener
    report: Report
    progress: Progress
    columns: ColumnMapping
    noted: Callable[[ColumnsRead], None]
    urls: PageUrls

    def documents(self, source: Source, sitemaps: Container[str]) -> Iterator[Document]:
        """The documents of one source; that a file cannot be read is an error, or reported in a folder."""
        count, reason = 0, ""
        files = [file for file in source.files if file.label not in sitemaps]
        for file in files:
            before = count
            try:
                with self.opener.open(file) as raw:
                    opened = self._input(file, raw)
                    for document in self._read(file, opened):
                        count += 1
                        yield document
                problem = _problem(opened)
                if count == before and opened.problem is None and source.is_folder:
                    self.report(SkippedFile(file.name, None, f"{file.name}: no documents: {problem}"))
            except (InputError, MissingExtra) as error:
                if not source.is_folder:
                    raise
                read = f"; read before that: {counted(count - before, 'document')}" if count > before else ""
                self.report(SkippedFile(file.name, None, f"{error}{read}"))
                problem = str(error)
            reason = reason or problem
        for skipped in source.skipped:
            self.report(skipped)
        if files and not count:
            raise InputError(f"no documents in {source.name}: {reason}")

    def _input(self, file: SourceFile, raw: BinaryIO) -> Input:
        kinds = readable_kinds(file.formats)
        allowed = f"known are {known_suffixes()}"
        data = content(raw, file.name, file.compression, self.progress, kinds, allowed)
        return Input(data, file.name, file.label, self.report, self.columns)

    def _read(self, file: SourceFile, opened: Input) -> Iterator[Document]:
        for document in recognize_format(opened.file.peek(), file.formats).read(opened):
            url = document.url or self.urls.url(file.label)
            yield with_id(replace(document, url=url) if url != document.url else document)
        if opened.columns_read is not None:
            self.noted(opened.columns_read)


def _page_urls(sources: Sequence[Source], opener: _Opener) -> tuple[PageUrls, set[str]]:
    """The URLs of pages from the sitemaps among the sources, and the labels of these sitemaps."""
    urls, sitemaps = PageUrls(), set[str]()
    files = [file for source in sources for file in source.files]
    if not any(known.name == "html" for file in files for known in file.formats):
        return urls, sitemaps
    folders = [source.name for source in sources if source.is_folder]
    for file in files:
        if any(known.name == "sitemap" for known in file.formats):
            with opener.open(file) as raw, suppress(InputError):  # what is wrong is said when it is read
                data = content(raw, file.name, file.compression, None, ("xml",))
                if recognize_format(data.peek(), file.formats).name == "sitemap":
                    parent = PurePosixPath(file.label).parent.as_posix()
                    urls.add(locations(data, file.name), [parent, *folders])
                    sitemaps.add(file.label)
    return urls, sitemaps


def _problem(opened: Input) -> str:
    if opened.problem is None:
        return _NOTHING
    line = opened.problem.line
    return opened.problem.message if line is None else f"line {line}: {opened.problem.message}"
