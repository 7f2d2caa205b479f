"""Writing and merging posting lists."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import (
    Float64Array,
    Int32Array,
    Int64Array,
    UInt16Array,
    UInt32Array,
    make_indptr,
)
from querykin.compute.jit import njit
from querykin.index.posting_blocks import BLOCK
from querykin.index.posting_lists import BlockArrays, PostingLists
from querykin.storage.array_files import ArrayFile, save
from querykin.vectors import Vectors

_MAX_TABLE = 1 << 27  # features below it are counted in a table; hashes are far above it and are sorted


class PostingListsWriter:
    """Writes posting lists block by block."""

    def __init__(self, folder: Path, dtype: type[np.generic]) -> None:
        self._folder = folder
        self._begins, self._starts = [0], [0]
        self._features = ArrayFile(folder / "features.npy", np.int64)
        self._indptr = ArrayFile(folder / "indptr.npy", np.uint32)
        self._max_weights = ArrayFile(folder / "max_weights.npy", dtype)
        self._rows = ArrayFile(folder / "rows.npy", np.uint16)
        self._weights = ArrayFile(folder / "weights.npy", dtype)

    def add(self, features: Int64Array, indptr: Int64Array, rows: UInt16Array, weights: NDArray[Any]) -> None:
        """Append a block."""
        self._features.append(features)
        self._indptr.append(indptr)
        self._max_weights.append(np.maximum.reduceat(weights, indptr[:-1]) if len(features) else weights)
        self._rows.append(rows)
        self._weights.append(weights)
        self._begins.append(self._begins[-1] + len(features))
        self._starts.append(self._starts[-1] + len(rows))

    def close(self) -> None:
        """Complete the files."""
        for file in (self._features, self._indptr, self._max_weights, self._rows, self._weights):
            file.close()
        save(self._folder, begins=np.array(self._begins, np.int64), starts=np.array(self._starts, np.int64))


def write_posting_lists(folder: Path, vectors: Vectors) -> None:
    """Write rows as posting lists."""
    if vectors.weights.min(initial=0) < 0:
        raise ValueError(
            f"posting lists need weights of at least 0, got {vectors.weights.min()}; "
            "the dense layout takes negative ones"
        )
    dtype = _weight_dtype(vectors.weights)
    writer = PostingListsWriter(folder, dtype)
    for begin in range(0, len(vectors), BLOCK):
        row_indptr = vectors.indptr[begin : begin + BLOCK + 1]
        part = slice(row_indptr[0], row_indptr[-1])
        features, terms = distinct_features(vectors.features[part])
        indptr = make_indptr(np.bincount(terms, minlength=len(features)))
        postings = Postings(indptr[:-1].copy(), np.empty(len(terms), np.uint16), np.empty(len(terms), dtype))
        _invert(row_indptr - row_indptr[0], terms, vectors.weights[part], postings)
        writer.add(features, indptr, postings.rows, postings.weights)
    writer.close()


def distinct_features(features: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The distinct features, ascending, and the index of each given feature among them."""
    if len(features) and features.min() >= 0 and features.max() < _MAX_TABLE:
        present = np.zeros(int(features.max()) + 1, np.bool_)
        present[features] = True
        return np.flatnonzero(present), (np.cumsum(present) - 1)[features]
    distinct, inverse = np.unique(features, return_inverse=True)
    return distinct, inverse


def _weight_dtype(weights: Float64Array) -> type[np.generic]:
    integral = bool((weights == np.floor(weights)).all()) and weights.max(initial=0) < 2**16
    return np.uint16 if integral else np.float32


class Postings(NamedTuple):
    """Lists being filled: `fill[f]` is where the next posting of the f-th feature goes."""

    fill: Int64Array
    rows: UInt16Array
    weights: NDArray[Any]


@njit
def _invert(indptr: Int64Array, terms: Int64Array, weights: Float64Array, out: Postings) -> None:
    """Distribute the entries of rows to the lists of their terms."""
    for row in range(len(indptr) - 1):
        for i in range(indptr[row], indptr[row + 1]):
            at = out.fill[terms[i]]
            out.rows[at] = row
            out.weights[at] = weights[i]
            out.fill[terms[i]] += 1


def merge_posting_lists(folder: Path, parts: Sequence[PostingLists], renamed: Sequence[Int32Array]) -> None:
    """Write several indexes as one, their rows renumbered.

    `renamed` has the new number of each row of a part, ascending within the part; -1 drops the row.
    """
    same = len({part.weight_type for part in parts}) == 1
    dtype = parts[0].weight_type.type if same else np.float32
    writer = PostingListsWriter(folder, dtype)
    size = 1 + max((int(numbers.max(initial=-1)) for numbers in renamed), default=-1)
    for begin in range(0, size, BLOCK):
        sources = [
            source
            for part, numbers in zip(parts, renamed, strict=True)
            for source in _overlapping_blocks(part, numbers, begin)
        ]
        writer.add(*_merge_blocks(sources, begin, dtype))
    writer.close()


Source = tuple[BlockArrays, Int32Array]  # a block, and the new numbers of its rows


def _overlapping_blocks(part: PostingLists, renamed: Int32Array, begin: int) -> Iterator[Source]:
    """The blocks of one part that have rows in the merged block that starts at row `begin`."""
    for b in range(part.blocks):
        numbers = renamed[b * BLOCK : (b + 1) * BLOCK]
        if ((numbers >= begin) & (numbers < begin + BLOCK)).any():
            yield part.block(b), numbers


def _merge_blocks(
    sources: Sequence[Source], begin: int, dtype: type[np.generic]
) -> tuple[Int64Array, Int64Array, UInt16Array, NDArray[Any]]:
    """One merged block from the blocks that overlap it."""
    features = np.unique(np.concatenate([np.zeros(0, np.int64), *(block.features for block, _ in sources)]))
    terms = [np.searchsorted(features, block.features) for block, _ in sources]
    sizes = np.zeros(len(features), np.int64)
    for own, (block, numbers) in zip(terms, sources, strict=True):
        _count(block.indptr, block.rows, own, numbers, begin, sizes)
    used, indptr = sizes > 0, make_indptr(sizes)
    out = Postings(indptr[:-1].copy(), np.empty(indptr[-1], np.uint16), np.empty(indptr[-1], dtype))
    for own, (block, numbers) in zip(terms, sources, strict=True):
        _copy_postings(block, own, numbers, begin, out)
    if len(sources) > 1:
        _sort_lists(indptr, out.rows, out.weights)
    return features[used], make_indptr(sizes[used]), out.rows, out.weights


@njit
def _count(
    indptr: UInt32Array,
    rows: UInt16Array,
    terms: Int64Array,
    numbers: Int32Array,
    begin: int,
    sizes: Int64Array,
) -> None:
    """Add the number of a block's postings of rows renumbered into the block at `begin` to `sizes`."""
    for f in range(len(terms)):
        for i in range(indptr[f], indptr[f + 1]):
            if 0 <= numbers[rows[i]] - begin < BLOCK:
                sizes[terms[f]] += 1


@njit
def _copy_postings(
    block: BlockArrays, terms: Int64Array, numbers: Int32Array, begin: int, out: Postings
) -> None:
    """Append a block's postings of rows renumbered into the block at `begin`."""
    for f in range(len(terms)):
        for i in range(block.indptr[f], block.indptr[f + 1]):
            row = numbers[block.rows[i]] - begin
            if 0 <= row < BLOCK:
                at = out.fill[terms[f]]
                out.rows[at] = row
                out.weights[at] = block.weights[i]
                out.fill[terms[f]] += 1


@njit
def _sort_lists(indptr: Int64Array, rows: UInt16Array, weights: NDArray[Any]) -> None:
    """Sort each list by row."""
    for f in range(len(indptr) - 1):
        part = slice(indptr[f], indptr[f + 1])
        if (rows[part][1:] < rows[part][:-1]).any():
            order = np.argsort(rows[part])
            rows[part], weights[part] = rows[part][order], weights[part][order]
