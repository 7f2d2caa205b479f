"""Sparse rows as inverted lists: for every feature the rows that have it, in blocks of 65,536 rows.

Row numbers take 16 bits. So do weights that are small whole numbers; others are kept in single precision.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compiled import Bools, Longs, Points, Reals, Words, compiled, ragged, scratch
from querykin.index.blocks import BLOCK, Blocks, Query, inner_products, located, some_products
from querykin.index.burdens import NO_BURDENS, Burdens
from querykin.index.maxscore import SHORT, top_k
from querykin.storage import ArrayFile, load, save
from querykin.vectors import Vectors

ROUNDED = 1e-3  # far more than a row's length can lack or exceed 1 by because its weights are rounded
_TIED = 1e-12  # sums of the same numbers in another order
_CANCELLED = 1e-6  # far more than a sum of logarithms that cancel can be wrong by
_DENSE = 1 << 27  # features below are counted in a table; hashes are far above and are sorted


def lowered(least: float) -> float:
    """What an inner product must reach for its score to reach `least`, once rounding is accounted for."""
    return least * (1 - ROUNDED if least > 0 else 1 + ROUNDED)


class Lists:
    """Inverted lists on disk, block after block."""

    def __init__(self, folder: Path) -> None:
        self._blocks = Blocks(*(load(folder, name) for name in Blocks._fields))
        self.features, self.weights = self._blocks.features, self._blocks.weights

    @property
    def entries(self) -> int:
        """How many weights there are."""
        return len(self.weights)

    def filled(self, size: int) -> Bools:
        """Which rows have any feature at all."""
        found = np.zeros(size, np.bool_)
        for b, (begin, end) in enumerate(pairwise(self._blocks.starts)):
            found[b * BLOCK + self._blocks.rows[begin:end].astype(np.int64)] = True
        return found

    def values(self, features: Longs, weights: Reals, gains: Reals, size: int) -> Reals:
        """The inner product of a query with every row."""
        return inner_products(self._blocks, Query(features, weights, gains), size)

    def some(self, features: Longs, weights: Reals, gains: Reals, rows: Longs) -> Reals:
        """The inner product of a query with some rows."""
        wanted, places = np.unique(rows, return_inverse=True)
        return some_products(self._blocks, Query(features, weights, gains), wanted)[places]

    def top(self, features: Longs, weights: Reals, alive: Bools, k: int,
            least: float = -np.inf) -> tuple[Longs, Reals]:  # fmt: skip
        """The k best living rows, and all that may be as good as the last once rounding is accounted for.

        None that cannot reach `least`, also once rounding is accounted for.
        """
        query = Query(features, weights, np.zeros(len(features)))
        return top_k(self._blocks, alive, query, NO_BURDENS, 0.0, k, ROUNDED, lowered(least), SHORT,
                     scratch(BLOCK))  # fmt: skip

    def top_burdened(self, features: Longs, weights: Reals, gains: Reals, burdens: Burdens, mass: float,
                     alive: Bools, k: int, least: float) -> tuple[Longs, Reals]:  # fmt: skip
        """The k best living rows, each less `mass` times its burden, and all that tie with the last.

        None that is clearly below `least`.
        """
        return top_k(self._blocks, alive, Query(features, weights, gains), burdens, mass, k, _TIED,
                     least - _CANCELLED, SHORT, scratch(BLOCK // 2).view(np.float32))  # fmt: skip

    def totals(self, features: Longs, alive: Bools) -> Reals:
        """For each feature the sum of its weights over the living rows."""
        return _totals(self._blocks, features, alive)

    def held(self, feature: int) -> tuple[Longs, Reals]:
        """The rows that have a feature, and its weight in each."""
        found, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
        for b in range(self.blocks):
            features, first, rows, steps = self.block(b)
            at = int(np.searchsorted(features, feature))
            if at < len(features) and features[at] == feature:
                part = slice(first[at], first[at + 1])
                found.append(b * BLOCK + rows[part].astype(np.int64))
                weights.append(steps[part].astype(np.float64))
        return np.concatenate(found), np.concatenate(weights)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self._blocks.begins) - 1

    def block(self, b: int) -> tuple[Longs, Points, NDArray[np.uint16], NDArray[Any]]:
        """The features, borders, rows and weights of one block."""
        held, (begin, end) = self._blocks, self._blocks.begins[b : b + 2]
        part = slice(held.starts[b], held.starts[b + 1])
        borders = held.first[begin + b : end + b + 1]
        return held.features[begin:end], borders, held.rows[part], held.weights[part]


@compiled
def _totals(blocks: Blocks, wanted: Longs, alive: Bools) -> Reals:
    out, none = np.zeros(len(wanted)), np.zeros(len(wanted))
    begin, end, _ = located(blocks, Query(wanted, none, none))
    for b in range(len(begin)):
        for i in range(len(wanted)):
            for p in range(begin[b, i], end[b, i]):
                if alive[b * BLOCK + blocks.rows[p]]:
                    out[i] += blocks.weights[p]
    return out


class ListsWriter:
    """Writes lists block by block."""

    def __init__(self, folder: Path, kind: type[np.generic]) -> None:
        self._folder = folder
        self._begins, self._starts = [0], [0]
        self._features = ArrayFile(folder / "features.npy", np.int64)
        self._first = ArrayFile(folder / "first.npy", np.uint32)
        self._most = ArrayFile(folder / "most.npy", kind)
        self._rows = ArrayFile(folder / "rows.npy", np.uint16)
        self._weights = ArrayFile(folder / "weights.npy", kind)

    def add(self, features: Longs, first: Longs, rows: NDArray[np.uint16], weights: NDArray[Any]) -> None:
        """One more block."""
        self._features.append(features)
        self._first.append(first)
        self._most.append(np.maximum.reduceat(weights, first[:-1]) if len(features) else weights)
        self._rows.append(rows)
        self._weights.append(weights)
        self._begins.append(self._begins[-1] + len(features))
        self._starts.append(self._starts[-1] + len(rows))

    def close(self) -> None:
        """Only now are they lists."""
        for file in (self._features, self._first, self._most, self._rows, self._weights):
            file.close()
        save(self._folder, begins=np.array(self._begins, np.int64), starts=np.array(self._starts, np.int64))


def write_lists(folder: Path, vectors: Vectors) -> None:
    """Write rows as inverted lists."""
    if vectors.weights.min(initial=0) < 0:
        raise ValueError(f"lists hold weights from 0 on, got {vectors.weights.min()}; a matrix holds others")
    kind = _compact(vectors.weights)
    writer = ListsWriter(folder, kind)
    for begin in range(0, len(vectors), BLOCK):
        first = vectors.first[begin : begin + BLOCK + 1]
        part = slice(first[0], first[-1])
        features, places = numbered(vectors.features[part])
        borders = ragged(np.bincount(places, minlength=len(features)))
        rows, weights = np.empty(len(places), np.uint16), np.empty(len(places), kind)
        _invert(first - first[0], places, vectors.weights[part], borders[:-1].copy(), rows, weights)
        writer.add(features, borders, rows, weights)
    writer.close()


def numbered(features: Longs) -> tuple[Longs, Longs]:
    """The distinct features, rising, and the place of each given one among them."""
    if len(features) and features.min() >= 0 and features.max() < _DENSE:
        present = np.zeros(int(features.max()) + 1, np.bool_)
        present[features] = True
        return np.flatnonzero(present), (np.cumsum(present) - 1)[features]
    distinct, places = np.unique(features, return_inverse=True)
    return distinct, places


def _compact(weights: Reals) -> type[np.generic]:
    """How weights are kept."""
    whole = bool((weights == np.floor(weights)).all()) and weights.max(initial=0) < 2**16
    return np.uint16 if whole else np.float32


@compiled
def _invert(first: Longs, places: Longs, given: Reals, fill: Longs, rows: NDArray[np.uint16],
            weights: NDArray[Any]) -> None:  # fmt: skip
    for row in range(len(first) - 1):
        for i in range(first[row], first[row + 1]):
            at = fill[places[i]]
            rows[at] = row
            weights[at] = given[i]
            fill[places[i]] += 1


def join_lists(folder: Path, parts: Sequence[Lists], renamed: Sequence[Words]) -> None:
    """Write several lists as one under new names of the rows, which rise within each; -1 leaves a row out."""
    alike = len({part.weights.dtype for part in parts}) == 1
    kind = parts[0].weights.dtype.type if alike else np.float32
    writer = ListsWriter(folder, kind)
    size = 1 + max((int(names.max(initial=-1)) for names in renamed), default=-1)
    for begin in range(0, size, BLOCK):
        pieces = [piece for part, names in zip(parts, renamed, strict=True)
                  for piece in _reaching(part, names, begin)]  # fmt: skip
        writer.add(*_gathered(pieces, begin, kind))
    writer.close()


Piece = tuple[Longs, Points, NDArray[np.uint16], NDArray[Any], Words]


def _reaching(part: Lists, names: Words, begin: int) -> Iterator[Piece]:
    """The blocks of one part that have rows in a block of the whole, with the new names of their rows."""
    for b in range(part.blocks):
        mine = names[b * BLOCK : (b + 1) * BLOCK]
        if ((mine >= begin) & (mine < begin + BLOCK)).any():
            yield *part.block(b), mine


def _gathered(
    pieces: Sequence[Piece], begin: int, kind: type[np.generic]
) -> tuple[Longs, Longs, NDArray[np.uint16], NDArray[Any]]:
    """One block of the whole from the blocks that reach into it."""
    features = np.unique(np.concatenate([np.zeros(0, np.int64), *(piece[0] for piece in pieces)]))
    places = [np.searchsorted(features, piece[0]) for piece in pieces]
    sizes = np.zeros(len(features), np.int64)
    for at, (_, first, rows, _, names) in zip(places, pieces, strict=True):
        _count(at, first, rows, names, begin, sizes)
    used, borders = sizes > 0, ragged(sizes)
    out_rows, out_weights = np.empty(borders[-1], np.uint16), np.empty(borders[-1], kind)
    fill = borders[:-1].copy()
    for at, (_, first, rows, weights, names) in zip(places, pieces, strict=True):
        _gather(at, first, rows, weights, names, begin, fill, out_rows, out_weights)
    if len(pieces) > 1:
        _sort(borders, out_rows, out_weights)
    return features[used], ragged(sizes[used]), out_rows, out_weights


@compiled
def _count(places: Longs, first: Points, rows: NDArray[np.uint16], names: Words, begin: int,
           sizes: Longs) -> None:  # fmt: skip
    for f in range(len(places)):
        for i in range(first[f], first[f + 1]):
            if 0 <= names[rows[i]] - begin < BLOCK:
                sizes[places[f]] += 1


@compiled
def _sort(borders: Longs, rows: NDArray[np.uint16], weights: NDArray[Any]) -> None:
    """Put the rows of every list in order."""
    for f in range(len(borders) - 1):
        part = slice(borders[f], borders[f + 1])
        if (rows[part][1:] < rows[part][:-1]).any():
            order = np.argsort(rows[part])
            rows[part], weights[part] = rows[part][order], weights[part][order]


@compiled
def _gather(places: Longs, first: Points, rows: NDArray[np.uint16], weights: NDArray[Any], names: Words,
            begin: int, fill: Longs, out_rows: NDArray[np.uint16],
            out_weights: NDArray[Any]) -> None:  # fmt: skip
    for f in range(len(places)):
        for i in range(first[f], first[f + 1]):
            row = names[rows[i]] - begin
            if 0 <= row < BLOCK:
                at = fill[places[f]]
                out_rows[at] = row
                out_weights[at] = weights[i]
                fill[places[f]] += 1
