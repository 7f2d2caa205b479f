"""Compressed inputs: gzip, xz, bzip2 and zstd, recognized by their first bytes."""

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Protocol

import zstandard

from querykin.errors import InputError
from querykin.io import limits
from querykin.io.streams import PIECE

MAGIC_LENGTH = 10  # bytes that suffice to recognize every compression

_STEP = 16 * 1024  # compressed bytes read at once
# The same for zstd, whose decompressor returns all that a step yields: 4 bytes are a block of up to 128 KiB.
_ZSTD_STEP = 512


class Unpacked:
    """Counts what a compressed input grows to, and refuses a ratio that no real file has."""

    def __init__(self, name: str, packed: int = 0) -> None:
        self._name = name
        self.packed, self.unpacked = packed, 0

    def add(self, size: int) -> None:
        """So many bytes more were unpacked."""
        self.unpacked += size
        if self.unpacked > max(limits.RATIO_FROM, limits.MAX_RATIO * self.packed):
            raise InputError(
                f"{self._name} unpacks to {self.unpacked:,} bytes or more from {self.packed:,}; above a "
                f"ratio of {limits.MAX_RATIO} a file is refused: unpack it yourself and name the result"
            )


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...


def _unpack_zlib(stream: Any, data: bytes) -> Iterator[bytes]:
    while data and not stream.eof:
        yield stream.decompress(data, PIECE)
        data = stream.unconsumed_tail


def _unpack_bounded(stream: Any, data: bytes) -> Iterator[bytes]:
    """Of bzip2 and xz, whose decompressors keep what exceeds a length."""
    yield stream.decompress(data, PIECE)
    while not stream.eof and not stream.needs_input:
        yield stream.decompress(b"", PIECE)


def _unpack_whole(stream: Any, data: bytes) -> Iterator[bytes]:
    yield stream.decompress(data)


@dataclass(frozen=True, slots=True)
class Compression:
    """A compression: its name, the first bytes of its files, its decompressor and how that is used."""

    name: str
    magic: re.Pattern[bytes]
    start: Callable[[], _Decompressor]
    unpack: Callable[[Any, bytes], Iterator[bytes]]
    step: int = _STEP


COMPRESSIONS: dict[str, Compression] = {
    ".gz": Compression(
        "gzip", re.compile(rb"\x1f\x8b\x08"), lambda: zlib.decompressobj(wbits=31), _unpack_zlib
    ),
    ".xz": Compression(
        "xz",
        re.compile(rb"\xfd7zXZ\x00"),
        lambda: lzma.LZMADecompressor(memlimit=limits.MAX_XZ_MEMORY),
        _unpack_bounded,
    ),
    ".bz2": Compression(
        "bzip2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), bz2.BZ2Decompressor, _unpack_bounded
    ),
    ".zst": Compression(
        "zstd",
        # The second alternative is a skippable frame, which parallel compressors write first.
        re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
        lambda: zstandard.ZstdDecompressor(max_window_size=limits.MAX_ZSTD_WINDOW).decompressobj(),
        _unpack_whole,
        _ZSTD_STEP,
    ),
}


def split_suffixes(path: PurePath) -> tuple[str, str]:
    """The suffix that tells the format of a file, and the one that tells its compression, or "".

    >>> split_suffixes(PurePath("notes/Java.TXT.gz"))
    ('.txt', '.gz')
    """
    last = path.suffix.lower()
    if last in COMPRESSIONS:
        return PurePath(path.stem).suffix.lower(), last
    return last, ""


def detect_compression(head: bytes, suffix: str, name: str) -> Compression | None:
    """The compression that the first bytes show; a suffix of another compression is an error."""
    actual = next((known for known in COMPRESSIONS.values() if known.magic.match(head)), None)
    expected = COMPRESSIONS.get(suffix)
    if expected is not None and expected is not actual:
        content = f"{actual.name} data" if actual else "other data" if head else "nothing"
        raise InputError(
            f"{name} ends in {suffix} but holds {content}: rename it to match its content, or fetch it again"
        )
    return actual


def decompressed(file: io.BufferedReader, name: str, compression: Compression) -> Iterator[bytes]:
    """The content of a compressed file in pieces; all streams or frames of the file are read.

    Above a ratio of `limits.MAX_RATIO` the file is refused.
    """
    decompressor: _Decompressor | None = None
    total = Unpacked(name)
    while data := file.read(compression.step):
        total.packed += len(data)
        while data:
            if decompressor is None:
                data = data.lstrip(b"\0")  # gzip and xz allow padding between streams
                if not data:
                    break
                decompressor = compression.start()
            try:
                for piece in compression.unpack(decompressor, data):
                    total.add(len(piece))
                    yield piece
            except (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
                raise _damaged(name, compression, str(error)) from error
            data = b""
            if decompressor.eof:
                data, decompressor = decompressor.unused_data, None
    if decompressor is not None:
        raise _damaged(name, compression, "it ends in the middle of a stream")


def _damaged(name: str, compression: Compression, reason: str) -> InputError:
    return InputError(
        f"{name} is cut or damaged: its {compression.name} data cannot be decompressed ({reason}); "
        "fetch or compress it again"
    )
