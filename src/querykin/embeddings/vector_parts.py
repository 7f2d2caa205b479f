"""Parts of stored document vectors: 8-bit rows under ascending document ids, mapped into memory."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int8Array, Int64Array
from querykin.embeddings.base import Float32Matrix
from querykin.storage.array_files import MatrixFile, load_ascending, map_array, save

LEVELS = 127  # steps from 0 to the largest weight of a row
_STEP = 65_536  # rows copied at once


def quantize(rows: Float32Matrix) -> Int8Array:
    """Rows in 8 bits, each scaled so that its largest weight is 127; the direction is what is kept.

    >>> quantize(np.array([[0.6, -0.8], [0.0, 0.0]], np.float32)).tolist()
    [[95, -127], [0, 0]]
    """
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    shares = rows.astype(np.float64) / np.where(largest > 0, largest, 1)
    return np.rint(shares * LEVELS).astype(np.int8)


def unit_rows(quantized: Int8Array) -> Float64Array:
    """The unit vectors of quantized rows; zero rows stay zero."""
    rows = quantized.astype(np.float64)
    norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return rows / np.where(norms > 0, norms, 1.0)


class VectorPart:
    """A part on disk."""

    def __init__(self, folder: Path) -> None:
        self.doc_ids: Int64Array = load_ascending(folder, "doc_ids", np.int64)
        self._vectors = map_array(folder, "vectors", size=len(self.doc_ids), types=np.int8, dimensions=2)

    @property
    def width(self) -> int:
        """The number of dimensions."""
        return self._vectors.shape[1]

    def rows(self, rows: Int64Array) -> Int8Array:
        """Some of the vectors, verified when they are first read."""
        found: Int8Array = self._vectors.covering(rows, rows + 1)[rows]
        return found

    def __len__(self) -> int:
        return len(self.doc_ids)

    def find(self, doc_ids: Int64Array) -> tuple[BoolArray, Int64Array]:
        """Which documents are here, and the rows of those."""
        rows = np.searchsorted(self.doc_ids, doc_ids)
        known = np.zeros(len(doc_ids), np.bool_)
        inside = rows < len(self)
        known[inside] = self.doc_ids[rows[inside]] == doc_ids[inside]
        return known, rows[known]


def write_part(folder: Path, doc_ids: Int64Array, vectors: Int8Array) -> None:
    """Write rows as a part."""
    save(folder, doc_ids=doc_ids, vectors=vectors)


def merge_parts(folder: Path, parts: Sequence[VectorPart], live: Sequence[BoolArray]) -> None:
    """Write the live rows of consecutive parts as one."""
    doc_ids = np.concatenate([part.doc_ids[mask] for part, mask in zip(parts, live, strict=True)])
    save(folder, doc_ids=doc_ids)
    merged = MatrixFile(folder / "vectors.npy", np.int8, (len(doc_ids), parts[0].width))
    end = 0
    for part, mask in zip(parts, live, strict=True):
        for begin in range(0, len(part), _STEP):
            rows = begin + np.flatnonzero(mask[begin : begin + _STEP])
            merged.rows[end : end + len(rows)] = part.rows(rows)
            end += len(rows)
    merged.close()
