"""Checksums of files in blocks of 64 KiB (XXH3), so that a part of a file can be verified by itself.

The checksum of a file is the XXH3 of the checksums of its blocks. Arrays carry those in a footer (as files of
Lucene and tantivy carry theirs): a block is verified when it is first read, and the checksum of a whole file
is known without reading it.
"""

import os
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64_digest, xxh3_64_hexdigest

BLOCK_SIZE = 1 << 16  # one checksum for so many bytes: verified in 6 microseconds, .012 % of space
DIGEST_SIZE = 8
_MAGIC = b"QKblocks"
_TRAILER_SIZE = 24  # magic, number of bytes before the footer, checksum of the checksums and of that number


class BlockHasher:
    """The checksums of the blocks of a file that arrives in pieces.

    >>> hasher = BlockHasher()
    >>> hasher.update(bytes(100_000))
    >>> hasher.update(b"more")
    >>> len(hasher.digests()) // DIGEST_SIZE
    2
    """

    def __init__(self) -> None:
        self._digests, self._begun = bytearray(), bytearray()

    def update(self, piece: bytes | bytearray | memoryview) -> None:
        """Append bytes."""
        with memoryview(piece) as view, view.cast("B") as octets:
            at = 0
            if self._begun:
                at = BLOCK_SIZE - len(self._begun)
                self._begun += octets[:at]
                if len(self._begun) < BLOCK_SIZE:
                    return
                self._digests += xxh3_64_digest(self._begun)
                self._begun.clear()
            end = len(octets) - (len(octets) - at) % BLOCK_SIZE
            for begin in range(at, end, BLOCK_SIZE):
                self._digests += xxh3_64_digest(octets[begin : begin + BLOCK_SIZE])
            self._begun += octets[end:]

    def digests(self) -> bytes:
        """The checksums of all blocks, the last of which may be shorter."""
        return bytes(self._digests) + (xxh3_64_digest(self._begun) if self._begun else b"")

    def checksum(self) -> str:
        """The checksum of the file."""
        return xxh3_64_hexdigest(self.digests())


def block_of(octets: memoryview, block: int) -> memoryview:
    """One block of a file."""
    return octets[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]


def footer(digests: bytes, size: int) -> bytes:
    """What follows `size` bytes that have these checksums."""
    head = digests + _MAGIC + size.to_bytes(8, "little")
    return head + xxh3_64_digest(head)


class Footer(NamedTuple):
    """The checksums of the blocks of the first `size` bytes of a file."""

    size: int
    digests: bytes


def read_footer(descriptor: int) -> Footer:
    """The footer of an open file; ValueError if it has none that is whole."""
    total = os.fstat(descriptor).st_size
    trailer = os.pread(descriptor, _TRAILER_SIZE, max(0, total - _TRAILER_SIZE))
    size = int.from_bytes(trailer[8:16], "little")
    length = -(-size // BLOCK_SIZE) * DIGEST_SIZE
    if trailer[:8] != _MAGIC or size + length + _TRAILER_SIZE != total:
        raise ValueError("it has no footer, or is truncated")
    digests = os.pread(descriptor, length, size)
    if footer(digests, size)[-DIGEST_SIZE:] != trailer[-DIGEST_SIZE:]:
        raise ValueError("its footer differs from what was written")
    return Footer(size, digests)


def append_footer(path: Path) -> None:
    """Give a complete file its footer."""
    hasher, size = BlockHasher(), path.stat().st_size
    for piece in _pieces(path):
        hasher.update(piece)
    with path.open("ab") as file:
        file.write(footer(hasher.digests(), size))


def file_checksum(path: Path) -> str:
    """The checksum of a file, computed from all of its bytes."""
    hasher = BlockHasher()
    for piece in _pieces(path):
        hasher.update(piece)
    return hasher.checksum()


def footer_checksum(path: Path) -> str:
    """The checksum of a file according to its footer; of its bytes only the last are read."""
    with path.open("rb") as file:
        found = read_footer(file.fileno())
        whole = found.size // BLOCK_SIZE
        rest = os.pread(
            file.fileno(), os.fstat(file.fileno()).st_size - whole * BLOCK_SIZE, whole * BLOCK_SIZE
        )
    hasher = BlockHasher()
    hasher.update(rest)
    return xxh3_64_hexdigest(found.digests[: whole * DIGEST_SIZE] + hasher.digests())


def _pieces(path: Path) -> Iterator[memoryview]:
    """The bytes of a file."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size:
            with mmap(file.fileno(), 0, access=ACCESS_READ) as mapped, memoryview(mapped) as view:
                yield view
