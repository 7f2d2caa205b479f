"""Segments of an index: immutable rows of some queries, mapped into memory.

The rows are posting lists, a block-max index or a dense matrix. Beside them each segment stores their
provenance, from which stale rows are found: the documents behind each row, and the score of the last one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from querykin.errors import DamagedFile
from querykin.index.block_max_index import BlockMaxIndex, merge_block_max_indexes, write_block_max_index
from querykin.index.posting_lists import PostingLists
from querykin.index.posting_writer import merge_posting_lists, write_posting_lists
from querykin.index.provenance import Sizes, pack, rearrange, unpack
from querykin.index.quantized_matrix import (
    QuantizedMatrix,
    merge_quantized_matrices,
    write_quantized_matrix,
)
from querykin.measures.vector_measure import Layout
from querykin.storage.array_files import at_least, load, load_ascending, map_array, save, within
from querykin.vectors import Vectors

_MAX_ID = np.iinfo(np.int32).max


class IndexSegment:
    """A segment on disk.

    When it is opened, what is small or needed at once is verified: ids, statistics, scales. The rows, which
    kernels walk by themselves, are verified as a whole when they are first searched, their provenance by
    blocks.
    """

    def __init__(self, folder: Path) -> None:
        self.query_ids = query_ids_of(folder)  # the query behind each row
        size = len(self.query_ids)
        self.rows = _opened(folder, size)
        # What the measure needs to know of each row, one number.
        self.candidate_stats: Float64Array = load(folder, "candidate_stats", at_least(0), size, np.float64)
        self._last_scores = map_array(folder, "last_scores", size=size, types=np.float32)
        self._document_bytes = map_array(folder, "document_bytes", size=size, types=np.uint16)
        self._documents = map_array(folder, "documents", types=np.uint8)

    @cached_property
    def last_scores(self) -> NDArray[np.float32]:
        """The score of the last document behind each row, rounded down."""
        return self._last_scores.whole()

    @cached_property
    def _document_ends(self) -> Int64Array:
        """Where the documents of each row end."""
        sizes: Sizes = self._document_bytes.whole()
        ends = np.cumsum(sizes, dtype=np.int64)
        if (int(ends[-1]) if len(ends) else 0) != len(self._documents):
            raise DamagedFile(self._document_bytes.path, "the documents of the rows are longer or shorter")
        return ends

    def __len__(self) -> int:
        return len(self.query_ids)

    @cached_property
    def filled(self) -> BoolArray:
        """Which rows are not empty: those of texts that are covered."""
        return self.rows.filled(len(self))

    def find(self, query_ids: Int64Array, wanted: BoolArray) -> tuple[Int64Array, Int64Array]:
        """Which of these queries have a row that is wanted, and their rows."""
        if not len(self):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        rows = np.minimum(self.query_ids.searchsorted(query_ids.astype(np.int32)), len(self) - 1)
        known = (self.query_ids[rows] == query_ids) & wanted[rows]
        return np.flatnonzero(known), rows[known]

    def documents(self, begin: int = 0, end: int | None = None) -> tuple[Int64Array, Int64Array]:
        """The provenance of consecutive rows: the row, from 0 on, and the id of each document."""
        ends = self._document_ends[begin:end]
        first = int(self._document_ends[begin - 1]) if begin else 0
        last = int(ends[-1]) if len(ends) else first
        rows, documents = unpack(self._document_bytes[begin:end], self._documents[first:last])
        if (documents < 0).any():
            raise DamagedFile(self._documents.path, "a document does not end with its row")
        return rows, documents

    def row_metadata(self, live: BoolArray) -> tuple[Float64Array, NDArray[np.float32], Sizes, UInt8Array]:
        """The metadata of some rows: statistics, last scores, and the encoded provenance."""
        assert len(self._document_ends) == len(self)  # verified
        return (
            self.candidate_stats[live],
            self.last_scores[live],
            *rearrange(self._document_bytes.whole(), self._documents.whole(), np.flatnonzero(live)),
        )


def query_ids_of(folder: Path) -> Int32Array:
    """The queries behind the rows of a segment, ascending."""
    query_ids: Int32Array = load_ascending(folder, "query_ids", np.int32, within(0, _MAX_ID))
    return query_ids


def _opened(folder: Path, size: int) -> PostingLists | BlockMaxIndex | QuantizedMatrix:
    if (folder / "levels.npy").exists():
        return QuantizedMatrix(folder, size)
    return BlockMaxIndex(folder, size) if (folder / "order.npy").exists() else PostingLists(folder, size)


@dataclass(frozen=True)
class SegmentRows:
    """Rows to be written as a segment, with increasing query ids, and their provenance."""

    query_ids: Int64Array
    vectors: Vectors
    candidate_stats: Float64Array
    document_indptr: Int64Array
    documents: Int64Array
    last_scores: Float64Array


_WRITERS: dict[Layout, Callable[[Path, Vectors], None]] = {
    "postings": write_posting_lists,
    "block-max": write_block_max_index,
    "dense": write_quantized_matrix,
}


def write_segment(folder: Path, rows: SegmentRows, layout: Layout = "postings") -> None:
    """Write rows as a new segment."""
    _WRITERS[layout](folder, rows.vectors)
    provenance = pack(rows.document_indptr, rows.documents)
    _save(folder, rows.query_ids, rows.candidate_stats, provenance, _rounded_down(rows.last_scores))


def _save(
    folder: Path,
    query_ids: Int64Array,
    candidate_stats: Float64Array,
    provenance: tuple[Sizes, UInt8Array],
    last_scores: NDArray[np.float32],
) -> None:
    save(
        folder,
        query_ids=query_ids.astype(np.int32),
        candidate_stats=candidate_stats,
        document_bytes=provenance[0],
        documents=provenance[1],
        last_scores=last_scores,
    )


def _rounded_down(scores: Float64Array) -> NDArray[np.float32]:
    """In single precision, rounded down: a current row may count as stale, a stale one never as current."""
    near = scores.astype(np.float32)
    return np.where(near > scores, np.nextafter(near, np.float32(-np.inf)), near)


def merge(folder: Path, segments: Sequence[IndexSegment], live: Sequence[BoolArray]) -> None:
    """Write the live rows of several segments as one."""
    query_ids = np.concatenate(
        [segment.query_ids[mask] for segment, mask in zip(segments, live, strict=True)]
    )
    order = np.argsort(query_ids, kind="stable")
    new_row = np.empty(len(order), np.int32)
    new_row[order] = np.arange(len(order), dtype=np.int32)
    new_rows, base = [], 0
    for mask in live:
        mapping = np.full(len(mask), -1, np.int32)
        count = int(mask.sum())
        mapping[mask] = new_row[base : base + count]
        new_rows.append(mapping)
        base += count
    if isinstance(segments[0].rows, QuantizedMatrix):
        merge_quantized_matrices(
            folder, [cast(QuantizedMatrix, segment.rows) for segment in segments], new_rows
        )
    elif isinstance(segments[0].rows, BlockMaxIndex):
        merge_block_max_indexes(folder, [cast(BlockMaxIndex, segment.rows) for segment in segments], new_rows)
    else:
        merge_posting_lists(folder, [cast(PostingLists, segment.rows) for segment in segments], new_rows)
    kept = [segment.row_metadata(mask) for segment, mask in zip(segments, live, strict=True)]
    sizes, last_scores, document_bytes, documents = map(np.concatenate, zip(*kept, strict=True))
    evidence = rearrange(document_bytes, documents, order)
    _save(folder, query_ids[order], sizes[order], evidence, last_scores[order])
