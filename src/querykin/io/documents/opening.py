"""Opening of the files that documents are read from: files, members of archives, standard input."""

import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from querykin.errors import InputError
from querykin.io.documents.sources import SourceFile
from querykin.io.streams import as_file
from querykin.io.zip_archive import ZipArchive


class Opener:
    """Opens files and members of archives; the archive opened last stays open for its next member."""

    def __init__(self, stdin: BinaryIO | None = None) -> None:
        self._stdin = stdin
        self._archives = ExitStack()
        self._opened: tuple[Path, ZipArchive] | None = None

    def __enter__(self) -> "Opener":
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
