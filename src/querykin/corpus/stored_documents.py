"""The stored documents of a segment: JSON records in zstd-compressed blocks."""

import json
import os
import weakref
from pathlib import Path

import numpy as np
import zstandard

from querykin.compute.arrays import Int64Array
from querykin.errors import DamagedFile
from querykin.storage.array_files import MappedArray, check_offsets, load, load_offsets, save
from querykin.storage.content_hash import content_hash
from querykin.types import Document

TEXTS = "texts.zst"
# Uncompressed bytes: small enough to decompress for one passage, large enough to compress well.
_BLOCK_SIZE = 1 << 18


def to_record(document: Document) -> bytes:
    """A document as it is stored, without its source."""
    content = [document.id, document.title, document.text, document.url, dict(document.fields)]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class StoredDocumentsWriter:
    """Writes records one after another into compressed blocks."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._file = folder, (folder / TEXTS).open("wb")
        self._compressor = zstandard.ZstdCompressor(level=3)
        self._buffered: list[bytes] = []
        self._records, self._blocks, self._block_starts = [0], [0], [0]
        self._compressed_size = 0

    def append(self, record: bytes) -> None:
        """Write a record."""
        self._buffered.append(record)
        self._records.append(self._records[-1] + len(record))
        if self._records[-1] - self._block_starts[-1] >= _BLOCK_SIZE:
            self._flush()

    def close(self) -> None:
        """Write the last block and the offset tables."""
        self._flush()
        self._file.close()
        arrays = {"records": self._records, "blocks": self._blocks, "block_starts": self._block_starts}
        save(self._folder, **{name: np.array(values, np.int64) for name, values in arrays.items()})

    def _flush(self) -> None:
        if self._buffered:
            block = self._compressor.compress(b"".join(self._buffered))
            self._file.write(block)
            self._compressed_size += len(block)
            self._blocks.append(self._compressed_size)
            self._block_starts.append(self._records[-1])
            self._buffered = []


class StoredDocuments:
    """Documents by their ordinal in the segment; each must have its content hash."""

    def __init__(self, folder: Path, hashes: MappedArray[np.int64]) -> None:
        self._path, self._hashes = folder / TEXTS, hashes
        self._file = self._path.open("rb")  # kept open: a writer may replace the segment
        self._block_starts: Int64Array = load(folder, "block_starts", types=np.int64)  # in uncompressed bytes
        end = int(self._block_starts[-1]) if len(self._block_starts) else 0
        check_offsets(folder / "block_starts.npy", self._block_starts, end)
        self._records: Int64Array = load_offsets(folder, "records", end, len(hashes))  # in uncompressed bytes
        length = os.fstat(self._file.fileno()).st_size
        self._blocks: Int64Array = load_offsets(folder, "blocks", length, len(self._block_starts) - 1)
        self._last_block = (-1, b"")
        weakref.finalize(self, self._file.close)

    def document(self, ordinal: int) -> Document:
        """Read one document."""
        name, title, text, url, fields = json.loads(self.record(ordinal))
        return Document(name, title, text, url, fields)

    def record(self, ordinal: int) -> bytes:
        """One document as stored; the last decompressed block is cached."""
        begin, end = self._records[ordinal : ordinal + 2]
        block = int(np.searchsorted(self._block_starts, begin, side="right")) - 1
        cached, raw = self._last_block
        if cached != block:
            raw = self._decompress(block)
            self._last_block = (block, raw)
        start = self._block_starts[block]
        record = raw[begin - start : end - start]
        if content_hash(record) != self._hashes[ordinal : ordinal + 1][0]:
            raise DamagedFile(self._path, f"its document {ordinal} differs from what was written")
        return record

    def _decompress(self, block: int) -> bytes:
        begin, end = int(self._blocks[block]), int(self._blocks[block + 1])
        size = int(self._block_starts[block + 1] - self._block_starts[block])
        compressed = os.pread(self._file.fileno(), end - begin, begin)
        try:
            if zstandard.frame_content_size(compressed) != size:  # else a frame could claim any size
                raise DamagedFile(self._path, "a block does not have its size")
            return zstandard.ZstdDecompressor().decompress(compressed)
        except zstandard.ZstdError as error:
            raise DamagedFile(self._path, str(error)) from error
