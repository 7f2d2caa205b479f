"""Compressed inputs: gzip, xz, bzip2 and zstd, recognized by their first bytes."""

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

import zstandard

from querykin.errors import InputError

MAGIC_LENGTH = 10  # bytes that suffice to recognize every compression

# Compressed bytes per step. Small, because the output of a step is held in memory as a whole: 16 kB of the
# most repetitive data expand to less than 1 GB.
_STEP = 16 * 1024

_MAX_ZSTD_WINDOW = 2**31  # the window of `zstd --long=31`


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Compression:
    """A compression: its name, the first bytes of its files, and its decompressor."""

    name: str
    magic: re.Pattern[bytes]
    start: Callable[[], _Decompressor]


def _zstd() -> _Decompressor:
    return zstandard.ZstdDecompressor(max_window_size=_MAX_ZSTD_WINDOW).decompressobj()


COMPRESSIONS: dict[str, Compression] = {
    ".gz": Compression("gzip", re.compile(rb"\x1f\x8b\x08"), lambda: zlib.decompressobj(wbits=31)),
    ".xz": Compression("xz", re.compile(rb"\xfd7zXZ\x00"), lzma.LZMADecompressor),
    ".bz2": Compression("bzip2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), bz2.BZ2Decompressor),
    # The second alternative is a skippable frame, which parallel compressors write first.
    ".zst": Compression("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _zstd),
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
    """The content of a compressed file; all streams or frames of the file are read."""
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
        raise _damaged(name, compression, "it ends in the middle of a stream")


def _damaged(name: str, compression: Compression, reason: str) -> InputError:
    return InputError(
        f"{name} is cut or damaged: its {compression.name} data cannot be decompressed ({reason}); "
        "fetch or compress it again"
    )
