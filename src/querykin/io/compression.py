"""Compressed inputs: which compressions are known, how to recognise and to undo them."""

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import zstandard

from querykin.errors import InputError

MAGIC_LENGTH = 10  # bytes that suffice to recognise every compression

# Small, because a step's output is held whole: 16 kB of the most repetitive data stay below 1 GB.
_STEP = 16 * 1024

_LARGEST_ZSTD_WINDOW = 2**31  # what `zstd --long=31` writes


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Compression:
    """One way of compressing: its name, the first bytes of its files, and how to undo it."""

    name: str
    magic: re.Pattern[bytes]
    start: Callable[[], _Decompressor]


def _zstd() -> _Decompressor:
    return zstandard.ZstdDecompressor(max_window_size=_LARGEST_ZSTD_WINDOW).decompressobj()


COMPRESSIONS: dict[str, Compression] = {
    ".gz": Compression("gzip", re.compile(rb"\x1f\x8b\x08"), lambda: zlib.decompressobj(wbits=31)),
    ".xz": Compression("xz", re.compile(rb"\xfd7zXZ\x00"), lzma.LZMADecompressor),
    ".bz2": Compression("bzip2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), bz2.BZ2Decompressor),
    # The second alternative is a skippable frame, with which parallel compressors begin.
    ".zst": Compression("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _zstd),
}


def detect_compression(head: bytes, ending: str, name: str) -> Compression | None:
    """The compression that an input's first bytes show; an ending that promises another is an error."""
    shown = next((known for known in COMPRESSIONS.values() if known.magic.match(head)), None)
    promised = COMPRESSIONS.get(ending)
    if promised is not None and promised is not shown:
        found = f"{shown.name} data" if shown else "other data" if head else "nothing"
        raise InputError(
            f"{name} ends in {ending} but holds {found}: rename it after what it holds, or fetch it again"
        )
    return shown


def decompressed(file: io.BufferedReader, name: str, compression: Compression) -> Iterator[bytes]:
    """The content of a compressed file; files of several streams or frames are read to their end."""
    decompressor: _Decompressor | None = None
    while data := file.read(_STEP):
        while data:
            if decompressor is None:
                data = data.lstrip(b"\0")  # gzip and xz allow padding between streams
                if not data:
                    break
                decompressor = compression.start()
            try:
                yield decompressor.decompress(data)
            except (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
                raise _damaged(name, compression, str(error)) from error
            data = b""
            if decompressor.eof:
                data, decompressor = decompressor.unused_data, None
    if decompressor is not None:
        raise _damaged(name, compression, "it stops in the middle")


def _damaged(name: str, compression: Compression, reason: str) -> InputError:
    return InputError(
        f"{name} is cut or damaged: its {compression.name} data cannot be undone ({reason}); "
        "fetch or compress it again"
    )
