"""The file of a backup: a tar archive, compressed by Zstandard, with a table of contents and checksums.

The first member lists the names and sizes of all files, the last one their checksums. What is read must be
what the table says, in this order: a truncated archive has no checksums, a hostile one can neither name files
outside a workspace nor grow beyond the size that it states at the beginning.
"""

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import zstandard
from xxhash import xxh3_128

from querykin.errors import InputError, WorkspaceError
from querykin.integrity.inventory import is_workspace_file
from querykin.storage.checked_json import verified_json, with_checksum

CONTENTS, CHECKSUMS = "querykin-backup.json", "querykin-checksums.json"
_MAX_TABLE = 256 << 20  # bytes of the first and the last member
_MAX_NAME = 4096
_PIECE = 1 << 20
Receive = Callable[[bytes], object]


class NotABackup(InputError):
    """A file that `querykin backup` did not write."""


@dataclass
class Table:
    """What an archive contains: the sizes of its files by name, and what is known of its origin."""

    sizes: dict[str, int]
    facts: dict[str, Any] = field(default_factory=dict)


class ArchiveWriter:
    """Writes the files of a table in its order."""

    def __init__(self, stream: BinaryIO, table: Table) -> None:
        self._stream, self._checksums = stream, dict[str, str]()
        self._add_json(CONTENTS, {**table.facts, "format": 1, "files": list(table.sizes.items())})

    def add(self, name: str, content: BinaryIO, size: int, private: bool, receive: Receive) -> None:
        """Copy a file; `receive` is called with its pieces."""
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, 0o600 if private else 0o644
        self._stream.write(info.tobuf(tarfile.GNU_FORMAT, "utf-8", "strict"))
        hasher, left = xxh3_128(), size
        while left:
            piece = content.read(min(_PIECE, left))
            if not piece:
                raise WorkspaceError(f"{name} became shorter while it was copied; run the command again")
            hasher.update(piece)
            receive(piece)
            self._stream.write(piece)
            left -= len(piece)
        self._stream.write(bytes(-size % tarfile.BLOCKSIZE))
        self._checksums[name] = hasher.hexdigest()

    def finish(self, left_out: set[str]) -> None:
        """Write the checksums; files in `left_out` were damaged, and are not restored."""
        known = {name: value for name, value in self._checksums.items() if name not in left_out}
        self._add_json(CHECKSUMS, with_checksum({"checksums": known, "left_out": sorted(left_out)}))
        self._stream.write(bytes(2 * tarfile.BLOCKSIZE))

    def _add_json(self, name: str, content: dict[str, Any]) -> None:
        raw = json.dumps(content, ensure_ascii=False).encode()
        self.add(name, io.BytesIO(raw), len(raw), False, lambda piece: None)
        del self._checksums[name]


class ArchiveReader:
    """Reads the files of an archive in their order; `table` is known at once, the rest when it is read."""

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self._stream, self._path = stream, path
        try:
            content = json.loads(self._table(CONTENTS))
            form = content["format"]
            sizes = {str(name): int(size) for name, size in content.get("files", ())}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, WorkspaceError) as error:
            raise NotABackup(
                f"{path} is not a backup of querykin; next: name a file of querykin backup"
            ) from error
        if form != 1:
            raise InputError(
                f"{path} is a backup of format {form}; this version reads 1: use a newer version"
            )
        for name, size in sizes.items():
            if not is_workspace_file(name) or size < 0:
                raise InputError(
                    f"{path} contains {name[:200]!r}, which is no file of a workspace; nothing was restored"
                )
        self.table = Table(sizes, content)
        self.created = str(content.get("created"))

    def extract(
        self, target: Callable[[str, bool], BinaryIO | None], advance: Callable[[int], object]
    ) -> list[str]:
        """Write every file to its target, if it has one; returns the names of those that were damaged before.

        Everything is verified, also what is not written.
        """
        found = {}
        for name, size in self.table.sizes.items():
            info = self._header()
            if (info.name, info.size) != (name, size):
                raise self._damaged(f"it has {info.name[:200]!r} in the place of {name!r}")
            hasher, file = xxh3_128(), target(name, not info.mode & 0o077)
            try:
                for piece in self._pieces(size):
                    hasher.update(piece)
                    advance(len(piece))
                    if file:
                        file.write(piece)
            finally:
                if file:
                    file.close()
            found[name] = hasher.hexdigest()
        try:
            last = verified_json(json.loads(self._table(CHECKSUMS)), self._path)
            checksums, left_out = dict(last["checksums"]), list(last["left_out"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._damaged("its checksums cannot be read") from error
        for name in found.keys() - set(left_out):
            if checksums.get(name) != found[name]:
                raise self._damaged(f"{name} in it differs from what was written")
        return left_out

    def _table(self, name: str) -> bytes:
        info = self._header()
        if info.name != name or info.size > _MAX_TABLE:
            raise self._damaged(f"it has no {name} where it should be")
        return b"".join(self._pieces(info.size))

    def _header(self) -> tarfile.TarInfo:
        """The next member; only regular files are, so that nothing else is ever created."""
        info = self._parsed()
        if info.type == tarfile.GNUTYPE_LONGNAME and info.size <= _MAX_NAME:
            name = b"".join(self._pieces(info.size)).rstrip(b"\0").decode("utf-8", "replace")
            info = self._parsed()
            info.name = name
        if info.type != tarfile.REGTYPE:
            raise self._damaged(f"{info.name[:200]!r} in it is not a regular file")
        return info

    def _parsed(self) -> tarfile.TarInfo:
        try:
            return tarfile.TarInfo.frombuf(self._read(tarfile.BLOCKSIZE), "utf-8", "replace")
        except tarfile.HeaderError as error:
            raise self._damaged(str(error)) from error

    def _pieces(self, size: int) -> Iterator[bytes]:
        left = size
        while left:
            piece = self._read(min(_PIECE, left))
            yield piece
            left -= len(piece)
        self._read(-size % tarfile.BLOCKSIZE)

    def _read(self, size: int) -> bytes:
        try:
            found = self._stream.read(size)
        except zstandard.ZstdError as error:
            raise self._damaged(str(error)) from error
        if len(found) < size:
            raise self._damaged("it is truncated")
        return found

    def _damaged(self, problem: str) -> WorkspaceError:
        return WorkspaceError(f"{self._path} is a damaged backup: {problem}; next: use another backup")


@contextmanager
def compressing(target: BinaryIO, threads: int) -> Iterator[BinaryIO]:
    """A stream whose content is compressed into a file."""
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True, threads=threads)
    with compressor.stream_writer(target, closefd=False) as stream:
        yield stream


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveReader]:
    """A backup, opened for reading."""
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        yield ArchiveReader(io.BufferedReader(stream, _PIECE), path)
