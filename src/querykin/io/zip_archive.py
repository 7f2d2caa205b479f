"""Zip archives as folders: all members are checked first, and unpacked while they are read."""

import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.characters import printable
from querykin.io.streams import PIECE

_RATIO_FROM = 10 * 2**20  # bytes of a member, unpacked, from which on its ratio matters
_REASON = 200  # characters of an error of zipfile that are shown
_REPACK = "unpack it yourself and name the folder"


class _BoundedReads:
    """A file that reads no more at once than the directory of an archive may have, as zipfile reads that."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name = file, name
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self.close = file.close

    def read(self, size: int = -1) -> bytes:
        """Read this many bytes."""
        if size > limits.MAX_ARCHIVE_DIRECTORY_BYTES:
            raise InputError(
                f"{self._name} has a directory of {size:,} bytes; that of a zip archive may have "
                f"{limits.MAX_ARCHIVE_DIRECTORY_BYTES:,}: {_REPACK}"
            )
        return self._file.read(size)

    def size(self) -> int:
        """The bytes of the whole file."""
        place = self._file.tell()
        size = self._file.seek(0, io.SEEK_END)
        self._file.seek(place)
        return size


class ZipArchive:
    """An opened archive; a context manager.

    Nothing is written to disk, so no path can escape; the names of members only make labels. A member cannot
    yield more bytes than the directory of the archive declares, so the declared sizes are a bound.
    """

    def __init__(self, file: str | Path | IO[bytes], name: str, max_bytes: int | None = None) -> None:
        self._name = name
        self._max_bytes = limits.MAX_ARCHIVE_BYTES if max_bytes is None else max_bytes
        try:
            opened = Path(file).open("rb") if isinstance(file, str | Path) else file  # noqa: SIM115
            self._file = _BoundedReads(opened, name)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InputError(f"cannot read {name}: {reason}") from error
        try:
            self._zip = zipfile.ZipFile(self._file)
            self._check()
        except OSError as error:
            self._file.close()
            raise InputError(f"cannot read {name}: {error.strerror or error}") from error
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError, struct.error) as error:
            self._file.close()
            raise InputError(
                f"{name} is cut or damaged: it is no complete zip archive ({_reason(error)}); "
                "fetch or pack it again"
            ) from error
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "ZipArchive":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._file.close()

    def members(self) -> list[zipfile.ZipInfo]:
        """The regular files in the order of their names, without those that start with a dot.

        Names that lead out of the archive and symbolic links are left out too, and the folder of macOS.
        """
        return sorted(
            (member for member in self._zip.infolist() if _is_regular(member)), key=lambda each: each.filename
        )

    def entries(self) -> list[zipfile.ZipInfo]:
        """All that the directory of the archive lists."""
        return self._zip.infolist()

    def read(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        """The content of a member in pieces."""
        try:
            with self._zip.open(member) as file:
                while piece := file.read(PIECE):
                    yield piece
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            OSError,
            RuntimeError,
            ValueError,
            lzma.LZMAError,
        ) as error:
            raise InputError(
                f"{self._name}/{printable(member.filename)} is cut or damaged ({_reason(error)}); "
                "fetch or pack the archive again"
            ) from error

    def head(self, member: zipfile.ZipInfo) -> bytes:
        """The first bytes of a member, or none if it is damaged."""
        try:
            return next(self.read(member), b"")
        except InputError:
            return b""

    def _check(self) -> None:
        members = self._zip.infolist()
        if len(members) > limits.MAX_ARCHIVE_FILES:
            raise InputError(
                f"{self._name} has {len(members):,} files; a zip archive may have "
                f"{limits.MAX_ARCHIVE_FILES:,}: {_REPACK}"
            )
        unpacked = sum(member.file_size for member in members)
        if unpacked > self._max_bytes:
            raise InputError(
                f"{self._name} holds {unpacked:,} bytes unpacked; at most {self._max_bytes:,} are read: "
                f"{_REPACK}"
            )
        size = self._file.size()
        if unpacked > max(limits.RATIO_FROM, limits.MAX_RATIO * size):
            raise InputError(
                f"{self._name} has {size:,} bytes and holds {unpacked:,} unpacked; above a ratio of "
                f"{limits.MAX_RATIO} an archive is refused: {_REPACK}"
            )
        for member in members:
            if len(member.filename) > limits.MAX_ARCHIVE_NAME:
                raise InputError(
                    f"{self._name} holds a file whose name has {len(member.filename):,} characters; at most "
                    f"{limits.MAX_ARCHIVE_NAME:,} are read: {_REPACK}"
                )
            shown = printable(member.filename)
            if member.flag_bits & 1:
                raise InputError(
                    f"{self._name} is encrypted ({shown} needs a password): unpack it with the "
                    "password and name the folder"
                )
            if member.file_size > max(_RATIO_FROM, limits.MAX_RATIO * member.compress_size):
                raise InputError(
                    f"{self._name}: {shown} is {member.compress_size:,} bytes packed and "
                    f"{member.file_size:,} unpacked; above a ratio of {limits.MAX_RATIO} an archive is "
                    f"refused: {_REPACK}"
                )


def _reason(error: Exception) -> str:
    """What zipfile says, which quotes what the archive has in place of a name."""
    return printable(str(error)[:_REASON])


def _is_regular(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    mode = member.external_attr >> 16  # of Unix; 0 if another system wrote the archive
    return not (
        member.filename.endswith(("/", "\\"))
        or not path.parts
        or path.is_absolute()
        or any(part.startswith(".") or part == "__MACOSX" or ":" in part for part in path.parts)
        or (stat.S_IFMT(mode) and not stat.S_ISREG(mode))
    )
