"""Documents from any mix of sources: all are checked first, then read one document at a time."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import BinaryIO

from querykin.errors import InputError
from querykin.io.columns import NO_MAPPING, ColumnMapping, ColumnsRead
from querykin.io.documents.formats import recognize_format
from querykin.io.documents.opening import Opener
from querykin.io.documents.reading_report import Progress, ReadingReport, Report
from querykin.io.documents.sitemaps import PageUrls, locations
from querykin.io.documents.sources import Source, find_files
from querykin.io.documents.split_reading import ReadingListener, read_split
from querykin.io.documents.splits import Split, SplitFile, plan_splits
from querykin.io.inputs import check_standard_input, content
from querykin.io.split_size import SPLIT_BYTES
from querykin.storage.source_names import default_source
from querykin.types import Document


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
        check_standard_input(paths)
        return cls([find_files(path) for path in paths], [default_source(path) for path in paths])

    @property
    def size(self) -> int | None:
        """The bytes to read, as stored; None if standard input is among the sources."""
        files = [file for source in self.sources for file in source.files]
        return None if any(file.path is None for file in files) else sum(file.size for file in files)

    def splits(self, max_bytes: int = SPLIT_BYTES) -> Iterator[Split]:
        """The files in splits of bounded size, in their order."""
        with Opener() as opener:
            urls, sitemaps = _page_urls(self.sources, opener)
        yield from plan_splits(self._files(urls, sitemaps), max_bytes)

    def _files(self, urls: PageUrls, sitemaps: set[str]) -> Iterator[SplitFile]:
        for number, (source, name) in enumerate(zip(self.sources, self.names, strict=True)):
            files = [file for file in source.files if file.label not in sitemaps]
            for file in files:
                # A task may have another working directory.
                opened = replace(file, path=file.path and file.path.absolute())
                is_last = file is files[-1]
                yield SplitFile(opened, number, name, source.is_folder, is_last, urls.url(file.label))

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
        listener = ReadingReport(self.sources, report, progress, noted)
        for documents in self.read_splits(listener, columns, stdin):
            yield from documents

    def read_splits(
        self,
        listener: ReadingListener,
        columns: ColumnMapping = NO_MAPPING,
        stdin: BinaryIO | None = None,
        max_bytes: int = SPLIT_BYTES,
    ) -> Iterator[Iterator[Document]]:
        """The documents of each split, to be read one split after the other."""
        with Opener(stdin) as opener:
            for split in self.splits(max_bytes):
                yield read_split(split, opener, columns, listener)


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


def _page_urls(sources: Sequence[Source], opener: Opener) -> tuple[PageUrls, set[str]]:
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
