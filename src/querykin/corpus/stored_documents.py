"""What did the document say? The documents themselves, compressed, for titles and passages."""

import json
import os
import weakref
from pathlib import Path

import numpy as np
import zstandard

from querykin.compute.arrays import Int64Array
from querykin.errors import WorkspaceError
from querykin.storage.array_files import load, save
from querykin.types import Document

_BLOCK = (
    1 << 18
)  # bytes before compression: small enough to unpack for one passage, large enough to pack well


class StoredDocumentsWriter:
    """Documents written one after another into compressed blocks."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._file = folder, (folder / "texts.zst").open("wb")
        self._packer = zstandard.ZstdCompressor(level=3)
        self._pending: list[bytes] = []
        self._records, self._blocks, self._starts = [0], [0], [0]
        self._packed = 0

    def add(self, document: Document) -> None:
        """Write one more document."""
        content = [document.id, document.title, document.text, document.url, dict(document.fields)]
        record = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        self._append(record)

    def copy(self, texts: "StoredDocuments", ordinal: int) -> None:
        """Write a document of another segment again, as it is."""
        self._append(texts.record(ordinal))

    def _append(self, record: bytes) -> None:
        self._pending.append(record)
        self._records.append(self._records[-1] + len(record))
        if self._records[-1] - self._starts[-1] >= _BLOCK:
            self._flush()

    def close(self) -> None:
        """Write what is left and the tables that find a document again."""
        self._flush()
        self._file.close()
        arrays = {"records": self._records, "blocks": self._blocks, "block_starts": self._starts}
        save(self._folder, **{name: np.array(values, np.int64) for name, values in arrays.items()})

    def _flush(self) -> None:
        if self._pending:
            packed = self._packer.compress(b"".join(self._pending))
            self._file.write(packed)
            self._packed += len(packed)
            self._blocks.append(self._packed)
            self._starts.append(self._records[-1])
            self._pending = []


class StoredDocuments:
    """Documents by their place in the segment."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "texts.zst").open("rb")  # kept open: a writer may replace the segment
        self._records: Int64Array = load(folder, "records")
        self._blocks: Int64Array = load(folder, "blocks")
        self._starts: Int64Array = load(folder, "block_starts")
        self._latest = (-1, b"")
        weakref.finalize(self, self._file.close)

    def document(self, ordinal: int) -> Document:
        """Read one document."""
        name, title, text, url, fields = json.loads(self.record(ordinal))
        return Document(name, title, text, url, fields)

    def record(self, ordinal: int) -> bytes:
        """One document as it is kept; documents of the same block cost one unpacking."""
        begin, end = self._records[ordinal : ordinal + 2]
        block = int(np.searchsorted(self._starts, begin, side="right")) - 1
        at, raw = self._latest
        if at != block:
            raw = self._unpack(block)
            self._latest = (block, raw)
        start = self._starts[block]
        return raw[begin - start : end - start]

    def _unpack(self, block: int) -> bytes:
        begin, end = int(self._blocks[block]), int(self._blocks[block + 1])
        packed = os.pread(self._file.fileno(), end - begin, begin)
        try:
            return zstandard.ZstdDecompressor().decompress(packed)
        except zstandard.ZstdError as error:
            raise WorkspaceError(f"{self._file.name} is damaged ({error}); restore it from a copy") from error
