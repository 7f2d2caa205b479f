"""What reading has to say: the progress, skipped records and files, columns, and input without documents."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from querykin.counted_nouns import counted
from querykin.errors import InputError, QuerykinError
from querykin.io.columns import ColumnsRead
from querykin.io.documents.sources import Source
from querykin.io.documents.split_reading import FileEnd
from querykin.io.documents.splits import SplitFile
from querykin.types import SkippedFile, SkippedRecord

Report = Callable[[SkippedRecord], None]
Progress = Callable[[int], None] | None
_NOTHING = "nothing to read was found in it"


class ReadingReport:
    """Joins what is said about splits, in their order, to reports on files and sources.

    A source that was named and cannot be read, or has no documents, is an InputError. Of a folder or an
    archive, files that cannot be read are only reported, as long as others have documents.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        report: Report,
        progress: Progress = None,
        noted: Callable[[ColumnsRead], None] = lambda columns: None,
    ) -> None:
        self._sources, self._report, self._progress = sources, report, progress
        self.noted = noted
        self._source_documents = self._file_documents = self._lines = 0  # up to the split
        self._file_problem: SkippedRecord | None = None
        self._reason = ""  # why the source has no documents, if it has none

    def progressed(self, size: int) -> None:
        """So many bytes, as stored, were read."""
        if self._progress is not None:
            self._progress(size)

    def skipped(self, record: SkippedRecord) -> None:
        """Report a record with its line in the file."""
        self._report(self._with_line(record))

    def _with_line(self, record: SkippedRecord) -> SkippedRecord:
        return record if record.line is None else replace(record, line=record.line + self._lines)

    def ended(self, file: SplitFile, end: FileEnd) -> None:
        """Add up the ranges of a file and the files of a source; report what is wrong with them."""
        if self._file_problem is None and end.problem is not None:
            self._file_problem = self._with_line(end.problem)
        self._lines += end.lines
        self._file_documents += end.documents
        self._source_documents += end.documents
        if end.error:
            self._reason = self._reason or str(end.error)
            self._report_error(file, end.error)
        if file.end is None:
            self._end_file(file, end)
        if file.is_last:
            self._end_source(self._sources[file.source])

    def _report_error(self, file: SplitFile, error: QuerykinError) -> None:
        if not file.in_folder:
            raise error
        count = self._file_documents
        read = f"; read before that: {counted(count, 'document')}" if count else ""
        self._report(SkippedFile(file.file.name, None, f"{error}{read}"))

    def _end_file(self, file: SplitFile, end: FileEnd) -> None:
        name, problem = file.file.name, self._file_problem
        if not end.error:
            self._reason = self._reason or _description(problem)
            if not self._file_documents and problem is None and file.in_folder:
                self._report(SkippedFile(name, None, f"{name}: no documents: {_NOTHING}"))
        self._lines = self._file_documents = 0
        self._file_problem = None

    def _end_source(self, source: Source) -> None:
        for file in source.skipped:
            self._report(file)
        if not self._source_documents:
            raise InputError(f"no documents in {source.name}: {self._reason}")
        self._source_documents, self._reason = 0, ""


def _description(problem: SkippedRecord | None) -> str:
    if problem is None:
        return _NOTHING
    return problem.message if problem.line is None else f"line {problem.line}: {problem.message}"
