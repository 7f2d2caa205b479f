"""Rows of a repository, written once and mapped into memory.

A segment holds the rows of some queries: by feature, packed, or as a matrix. Beside them stands what tells
when a row grows stale: the documents behind it and the score of the last one.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from querykin.index.block_max_index import BlockMaxIndex, merge_block_max_indexes, write_block_max_index
from querykin.index.dense_matrix import DenseMatrix, merge_dense_matrices, write_dense_matrix
from querykin.index.posting_lists import PostingLists
from querykin.index.posting_writer import merge_posting_lists, write_posting_lists
from querykin.index.provenance import Sizes, pack, rearrange, unpack
from querykin.measures.base import Layout
from querykin.storage.array_files import load, save
from querykin.vectors import Vectors


class IndexSegment:
    """A segment on disk."""

    def __init__(self, folder: Path) -> None:
        self.rows = _opened(folder)
        self.query_ids: Int32Array = load(folder, "query_ids")  # the query behind each row
        self.candidate_stats: Float64Array = load(
            folder, "candidate_stats"
        )  # what the measure needs to know of each row
        self.last_scores: NDArray[np.float32] = load(folder, "last_scores")  # never more than they were
        self._provenance: tuple[Sizes, UInt8Array] = load(folder, "document_bytes"), load(folder, "documents")

    def __len__(self) -> int:
        return len(self.query_ids)

    @cached_property
    def filled(self) -> BoolArray:
        """Which rows are not empty: those of texts that are covered."""
        return self.rows.filled(len(self))

    def documents(self) -> tuple[Int64Array, Int64Array]:
        """The documents behind all rows: the row and the number of each."""
        return unpack(*self._provenance)

    def row_metadata(self, live: BoolArray) -> tuple[Float64Array, NDArray[np.float32], Sizes, UInt8Array]:
        """What is known of some rows: sizes, last scores, and the documents as they are kept."""
        return (
            self.candidate_stats[live],
            self.last_scores[live],
            *rearrange(*self._provenance, np.flatnonzero(live)),
        )


def _opened(folder: Path) -> PostingLists | BlockMaxIndex | DenseMatrix:
    if (folder / "matrix.npy").exists():
        return DenseMatrix(folder)
    return BlockMaxIndex(folder) if (folder / "order.npy").exists() else PostingLists(folder)


def write(
    folder: Path,
    query_ids: Int64Array,
    vectors: Vectors,
    sizes: Float64Array,
    document_indptr: Int64Array,
    documents: Int64Array,
    last_scores: Float64Array,
    layout: Layout = "postings",
) -> None:
    """Write rows as a new segment; their numbers must rise."""
    {"postings": write_posting_lists, "block-max": write_block_max_index, "dense": write_dense_matrix}[
        layout
    ](folder, vectors)
    _save(folder, query_ids, sizes, pack(document_indptr, documents), _rounded_down(last_scores))


def _save(
    folder: Path,
    query_ids: Int64Array,
    sizes: Float64Array,
    evidence: tuple[Sizes, UInt8Array],
    last_scores: NDArray[np.float32],
) -> None:
    save(
        folder,
        query_ids=query_ids.astype(np.int32),
        candidate_stats=sizes,
        document_bytes=evidence[0],
        documents=evidence[1],
        last_scores=last_scores,
    )


def _rounded_down(scores: Float64Array) -> NDArray[np.float32]:
    """In single precision: a row may look stale once too often, never once too seldom."""
    near = scores.astype(np.float32)
    return np.where(near > scores, np.nextafter(near, np.float32(-np.inf)), near)


def join(folder: Path, segments: Sequence[IndexSegment], live: Sequence[BoolArray]) -> None:
    """Write the living rows of several segments as one."""
    query_ids = np.concatenate(
        [segment.query_ids[mask] for segment, mask in zip(segments, live, strict=True)]
    )
    order = np.argsort(query_ids, kind="stable")
    new_place = np.empty(len(order), np.int32)
    new_place[order] = np.arange(len(order), dtype=np.int32)
    renamed, base = [], 0
    for mask in live:
        names = np.full(len(mask), -1, np.int32)
        count = int(mask.sum())
        names[mask] = new_place[base : base + count]
        renamed.append(names)
        base += count
    if isinstance(segments[0].rows, DenseMatrix):
        merge_dense_matrices(folder, [cast(DenseMatrix, segment.rows) for segment in segments], renamed)
    elif isinstance(segments[0].rows, BlockMaxIndex):
        merge_block_max_indexes(folder, [cast(BlockMaxIndex, segment.rows) for segment in segments], renamed)
    else:
        merge_posting_lists(folder, [cast(PostingLists, segment.rows) for segment in segments], renamed)
    kept = [segment.row_metadata(mask) for segment, mask in zip(segments, live, strict=True)]
    sizes, last_scores, document_bytes, documents = map(np.concatenate, zip(*kept, strict=True))
    evidence = rearrange(document_bytes, documents, order)
    _save(folder, query_ids[order], sizes[order], evidence, last_scores[order])
