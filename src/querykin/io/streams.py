"""Byte streams composed of generators: each layer of an input is a small generator of byte strings."""

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from querykin.errors import InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

PIECE = 256 * 1024  # bytes read at once


class _Pieces(io.RawIOBase):
    """A readable file whose content comes from an iterator of byte strings."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        target = memoryview(buffer)
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def as_pieces(pieces: Iterator[bytes]) -> io.RawIOBase:
    """An unbuffered file over the pieces."""
    return _Pieces(pieces)


def as_file(pieces: Iterator[bytes]) -> io.BufferedReader:
    """A buffered file over the pieces, with about one of them in memory at a time."""
    return io.BufferedReader(_Pieces(pieces), PIECE)


def counted(
    file: BinaryIO, name: str, progress: Callable[[int], None] | None, size: int | None = None
) -> Iterator[bytes]:
    """The bytes of a file, or the next `size`; `progress` receives the size of each piece as it is read."""
    left = size
    while True:
        try:
            piece = file.read(PIECE if left is None else min(PIECE, left))
        except OSError as error:
            raise InputError(f"cannot read {name}: {error.strerror or error}") from error
        if not piece:
            return
        left = None if left is None else left - len(piece)
        if progress is not None:
            progress(len(piece))
        yield piece
