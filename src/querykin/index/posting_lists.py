"""Sparse rows as inverted lists: for every feature the rows that have it, in blocks of 65,536 rows.

Row numbers take 16 bits. So do weights that are small whole numbers; others are kept in single precision.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compute.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt32Array, make_indptr
from querykin.compute.jit import njit
from querykin.compute.threads import scratch
from querykin.index.length_penalties import NO_PENALTIES, LengthPenalties
from querykin.index.maxscore import SHORT, top_k
from querykin.index.posting_blocks import BLOCK, PostingBlocks, Query, inner_products, located, some_products
from querykin.storage.array_files import ArrayFile, load, save
from querykin.vectors import Vectors

ROUNDED = 1e-3  # far more than a row's length can lack or exceed 1 by because its weights are rounded
_TIED = 1e-12  # sums of the same numbers in another order
_CANCELLED = 1e-6  # far more than a sum of logarithms that cancel can be wrong by
_DENSE = 1 << 27  # features below are counted in a table; hashes are far above and are sorted


def lowered_threshold(min_score: float) -> float:
    """What an inner product must reach for its score to reach `minimum`, once rounding is accounted for."""
    return min_score * (1 - ROUNDED if min_score > 0 else 1 + ROUNDED)


class PostingLists:
    """Inverted lists on disk, block after block."""

    def __init__(self, folder: Path) -> None:
        self._blocks = PostingBlocks(*(load(folder, name) for name in PostingBlocks._fields))
        self.features, self.weights = self._blocks.features, self._blocks.weights

    @property
    def entries(self) -> int:
        """How many weights there are."""
        return len(self.weights)

    def filled(self, size: int) -> BoolArray:
        """Which rows have any feature at all."""
        found = np.zeros(size, np.bool_)
        for b, (begin, end) in enumerate(pairwise(self._blocks.starts)):
            found[b * BLOCK + self._blocks.rows[begin:end].astype(np.int64)] = True
        return found

    def values(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, size: int
    ) -> Float64Array:
        """The inner product of a query with every row."""
        return inner_products(self._blocks, Query(features, weights, tf_scaling), size)

    def some(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, rows: Int64Array
    ) -> Float64Array:
        """The inner product of a query with some rows."""
        wanted, places = np.unique(rows, return_inverse=True)
        return some_products(self._blocks, Query(features, weights, tf_scaling), wanted)[places]

    def top(
        self, features: Int64Array, weights: Float64Array, live: BoolArray, k: int, min_score: float = -np.inf
    ) -> tuple[Int64Array, Float64Array]:
        """The k best living rows, and all that may be as good as the last once rounding is accounted for.

        None that cannot reach `minimum`, also once rounding is accounted for.
        """
        query = Query(features, weights, np.zeros(len(features)))
        return top_k(
            self._blocks,
            live,
            query,
            NO_PENALTIES,
            0.0,
            k,
            ROUNDED,
            lowered_threshold(min_score),
            SHORT,
            scratch(BLOCK),
        )

    def top_penalized(
        self,
        features: Int64Array,
        weights: Float64Array,
        tf_scaling: Float64Array,
        length_penalties: LengthPenalties,
        mass: float,
        live: BoolArray,
        k: int,
        min_score: float,
    ) -> tuple[Int64Array, Float64Array]:
        """The k best living rows, each less `mass` times its burden, and all that tie with the last.

        None that is clearly below `minimum`.
        """
        return top_k(
            self._blocks,
            live,
            Query(features, weights, tf_scaling),
            length_penalties,
            mass,
            k,
            _TIED,
            min_score - _CANCELLED,
            SHORT,
            scratch(BLOCK // 2).view(np.float32),
        )

    def totals(self, features: Int64Array, live: BoolArray) -> Float64Array:
        """For each feature the sum of its weights over the living rows."""
        return _totals(self._blocks, features, live)

    def held(self, feature: int) -> tuple[Int64Array, Float64Array]:
        """The rows that have a feature, and its weight in each."""
        found, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
        for b in range(self.blocks):
            features, indptr, rows, steps = self.block(b)
            at = int(np.searchsorted(features, feature))
            if at < len(features) and features[at] == feature:
                part = slice(indptr[at], indptr[at + 1])
                found.append(b * BLOCK + rows[part].astype(np.int64))
                weights.append(steps[part].astype(np.float64))
        return np.concatenate(found), np.concatenate(weights)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self._blocks.begins) - 1

    def block(self, b: int) -> tuple[Int64Array, UInt32Array, NDArray[np.uint16], NDArray[Any]]:
        """The features, borders, rows and weights of one block."""
        held, (begin, end) = self._blocks, self._blocks.begins[b : b + 2]
        part = slice(held.starts[b], held.starts[b + 1])
        borders = held.indptr[begin + b : end + b + 1]
        return held.features[begin:end], borders, held.rows[part], held.weights[part]


@njit
def _totals(blocks: PostingBlocks, wanted: Int64Array, live: BoolArray) -> Float64Array:
    out, none = np.zeros(len(wanted)), np.zeros(len(wanted))
    begin, end, _ = located(blocks, Query(wanted, none, none))
    for b in range(len(begin)):
        for i in range(len(wanted)):
            for p in range(begin[b, i], end[b, i]):
                if live[b * BLOCK + blocks.rows[p]]:
                    out[i] += blocks.weights[p]
    return out


class PostingListsWriter:
    """Writes lists block by block."""

    def __init__(self, folder: Path, kind: type[np.generic]) -> None:
        self._folder = folder
        self._begins, self._starts = [0], [0]
        self._features = ArrayFile(folder / "features.npy", np.int64)
        self._first = ArrayFile(folder / "indptr.npy", np.uint32)
        self._most = ArrayFile(folder / "max_weights.npy", kind)
        self._rows = ArrayFile(folder / "rows.npy", np.uint16)
        self._weights = ArrayFile(folder / "weights.npy", kind)

    def add(
        self, features: Int64Array, indptr: Int64Array, rows: NDArray[np.uint16], weights: NDArray[Any]
    ) -> None:
        """One more block."""
        self._features.append(features)
        self._first.append(indptr)
        self._most.append(np.maximum.reduceat(weights, indptr[:-1]) if len(features) else weights)
        self._rows.append(rows)
        self._weights.append(weights)
        self._begins.append(self._begins[-1] + len(features))
        self._starts.append(self._starts[-1] + len(rows))

    def close(self) -> None:
        """Only now are they lists."""
        for file in (self._features, self._first, self._most, self._rows, self._weights):
            file.close()
        save(self._folder, begins=np.array(self._begins, np.int64), starts=np.array(self._starts, np.int64))


def write_posting_lists(folder: Path, vectors: Vectors) -> None:
    """Write rows as inverted lists."""
    if vectors.weights.min(initial=0) < 0:
        raise ValueError(f"lists hold weights from 0 on, got {vectors.weights.min()}; a matrix holds others")
    kind = _compact(vectors.weights)
    writer = PostingListsWriter(folder, kind)
    for begin in range(0, len(vectors), BLOCK):
        indptr = vectors.indptr[begin : begin + BLOCK + 1]
        part = slice(indptr[0], indptr[-1])
        features, places = distinct_features(vectors.features[part])
        borders = make_indptr(np.bincount(places, minlength=len(features)))
        rows, weights = np.empty(len(places), np.uint16), np.empty(len(places), kind)
        _invert(indptr - indptr[0], places, vectors.weights[part], borders[:-1].copy(), rows, weights)
        writer.add(features, borders, rows, weights)
    writer.close()


def distinct_features(features: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The distinct features, rising, and the place of each given one among them."""
    if len(features) and features.min() >= 0 and features.max() < _DENSE:
        present = np.zeros(int(features.max()) + 1, np.bool_)
        present[features] = True
        return np.flatnonzero(present), (np.cumsum(present) - 1)[features]
    distinct, places = np.unique(features, return_inverse=True)
    return distinct, places


def _compact(weights: Float64Array) -> type[np.generic]:
    """How weights are kept."""
    whole = bool((weights == np.floor(weights)).all()) and weights.max(initial=0) < 2**16
    return np.uint16 if whole else np.float32


@njit
def _invert(
    indptr: Int64Array,
    places: Int64Array,
    given: Float64Array,
    fill: Int64Array,
    rows: NDArray[np.uint16],
    weights: NDArray[Any],
) -> None:
    for row in range(len(indptr) - 1):
        for i in range(indptr[row], indptr[row + 1]):
            at = fill[places[i]]
            rows[at] = row
            weights[at] = given[i]
            fill[places[i]] += 1


def merge_posting_lists(folder: Path, parts: Sequence[PostingLists], renamed: Sequence[Int32Array]) -> None:
    """Write several lists as one under new names of the rows, which rise within each; -1 leaves a row out."""
    alike = len({part.weights.dtype for part in parts}) == 1
    kind = parts[0].weights.dtype.type if alike else np.float32
    writer = PostingListsWriter(folder, kind)
    size = 1 + max((int(names.max(initial=-1)) for names in renamed), default=-1)
    for begin in range(0, size, BLOCK):
        pieces = [
            piece
            for part, names in zip(parts, renamed, strict=True)
            for piece in _reaching(part, names, begin)
        ]
        writer.add(*_gathered(pieces, begin, kind))
    writer.close()


Piece = tuple[Int64Array, UInt32Array, NDArray[np.uint16], NDArray[Any], Int32Array]


def _reaching(part: PostingLists, names: Int32Array, begin: int) -> Iterator[Piece]:
    """The blocks of one part that have rows in a block of the whole, with the new names of their rows."""
    for b in range(part.blocks):
        mine = names[b * BLOCK : (b + 1) * BLOCK]
        if ((mine >= begin) & (mine < begin + BLOCK)).any():
            yield *part.block(b), mine


def _gathered(
    pieces: Sequence[Piece], begin: int, kind: type[np.generic]
) -> tuple[Int64Array, Int64Array, NDArray[np.uint16], NDArray[Any]]:
    """One block of the whole from the blocks that reach into it."""
    features = np.unique(np.concatenate([np.zeros(0, np.int64), *(piece[0] for piece in pieces)]))
    places = [np.searchsorted(features, piece[0]) for piece in pieces]
    sizes = np.zeros(len(features), np.int64)
    for at, (_, indptr, rows, _, names) in zip(places, pieces, strict=True):
        _count(at, indptr, rows, names, begin, sizes)
    used, borders = sizes > 0, make_indptr(sizes)
    out_rows, out_weights = np.empty(borders[-1], np.uint16), np.empty(borders[-1], kind)
    fill = borders[:-1].copy()
    for at, (_, indptr, rows, weights, names) in zip(places, pieces, strict=True):
        _gather(at, indptr, rows, weights, names, begin, fill, out_rows, out_weights)
    if len(pieces) > 1:
        _sort(borders, out_rows, out_weights)
    return features[used], make_indptr(sizes[used]), out_rows, out_weights


@njit
def _count(
    places: Int64Array,
    indptr: UInt32Array,
    rows: NDArray[np.uint16],
    names: Int32Array,
    begin: int,
    sizes: Int64Array,
) -> None:
    for f in range(len(places)):
        for i in range(indptr[f], indptr[f + 1]):
            if 0 <= names[rows[i]] - begin < BLOCK:
                sizes[places[f]] += 1


@njit
def _sort(borders: Int64Array, rows: NDArray[np.uint16], weights: NDArray[Any]) -> None:
    """Put the rows of every list in order."""
    for f in range(len(borders) - 1):
        part = slice(borders[f], borders[f + 1])
        if (rows[part][1:] < rows[part][:-1]).any():
            order = np.argsort(rows[part])
            rows[part], weights[part] = rows[part][order], weights[part][order]


@njit
def _gather(
    places: Int64Array,
    indptr: UInt32Array,
    rows: NDArray[np.uint16],
    weights: NDArray[Any],
    names: Int32Array,
    begin: int,
    fill: Int64Array,
    out_rows: NDArray[np.uint16],
    out_weights: NDArray[Any],
) -> None:
    for f in range(len(places)):
        for i in range(indptr[f], indptr[f + 1]):
            row = names[rows[i]] - begin
            if 0 <= row < BLOCK:
                at = fill[places[f]]
                out_rows[at] = row
                out_weights[at] = weights[i]
                fill[places[f]] += 1
