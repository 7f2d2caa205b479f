"""Sparse rows as inverted lists: for every feature the rows that have it, in their order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from querykin.compiled import Bools, Longs, Reals, Words, compiled
from querykin.index.kernels import inner_products, top_k
from querykin.storage import load, save
from querykin.vectors import Vectors

_DENSE = 1 << 27  # features below are counted in a table; hashes are far above and are sorted


class Lists:
    """Inverted lists on disk: `rows[first[f] : first[f + 1]]` have feature `features[f]`."""

    def __init__(self, folder: Path) -> None:
        self.features: Longs = load(folder, "features")
        self.first: Longs = load(folder, "first")
        self.rows: Words = load(folder, "rows")
        self.weights: NDArray[Any] = load(folder, "weights")

    @property
    def entries(self) -> int:
        """How many weights there are."""
        return len(self.rows)

    def filled(self, size: int) -> Bools:
        """Which rows have any feature at all."""
        return np.bincount(self.rows, minlength=size) > 0

    def values(self, features: Longs, weights: Reals, gains: Reals, size: int) -> Reals:
        """The inner product of a query with every row."""
        lists = self.features, self.first, self.rows, self.weights
        return inner_products(*lists, features, weights, gains, size)

    def top(self, features: Longs, weights: Reals, alive: Bools, k: int) -> tuple[Longs, Reals]:
        """The k best living rows, where all rows are of unit length; with all that tie with the last."""
        return top_k(self.features, self.first, self.rows, self.weights, alive, features, weights, k)

    def totals(self, features: Longs, alive: Bools) -> Reals:
        """For each feature the sum of its weights over the living rows."""
        return _totals(self.features, self.first, self.rows, self.weights, features, alive)


@compiled
def _totals(features: Longs, first: Longs, rows: Words, weights: NDArray[Any], wanted: Longs,
            alive: Bools) -> Reals:  # fmt: skip
    out = np.zeros(len(wanted))
    for i in range(len(wanted)):
        at = np.searchsorted(features, wanted[i])
        if at < len(features) and features[at] == wanted[i]:
            for p in range(first[at], first[at + 1]):
                if alive[rows[p]]:
                    out[i] += weights[p]
    return out


def write_lists(folder: Path, vectors: Vectors) -> None:
    """Write rows as inverted lists."""
    features, places = _numbered(vectors.features)
    first = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=len(features)))]).astype(np.int64)
    rows = np.empty(len(places), np.int32)
    weights = np.empty(len(places), _compact(vectors.weights))
    _invert(vectors.first, places, vectors.weights, first[:-1].copy(), rows, weights)
    save(folder, features=features, first=first, rows=rows, weights=weights)


def _numbered(features: Longs) -> tuple[Longs, Longs]:
    """The distinct features, rising, and the place of each given one among them."""
    if len(features) and features.min() >= 0 and features.max() < _DENSE:
        present = np.zeros(int(features.max()) + 1, np.bool_)
        present[features] = True
        return np.flatnonzero(present), (np.cumsum(present) - 1)[features]
    distinct, places = np.unique(features, return_inverse=True)
    return distinct, places


def _compact(weights: Reals) -> type[np.generic]:
    """Counts are kept as such, in half the room; other weights in single precision."""
    counts = not len(weights) or bool((weights == np.floor(weights)).all() and weights.max() < 2**16)
    return np.uint16 if counts else np.float32


@compiled
def _invert(
    first: Longs, places: Longs, given: Reals, fill: Longs, rows: Words, weights: NDArray[Any]
) -> None:
    for row in range(len(first) - 1):
        for i in range(first[row], first[row + 1]):
            at = fill[places[i]]
            rows[at] = row
            weights[at] = given[i]
            fill[places[i]] += 1


@compiled
def _gather(places: Longs, first: Longs, rows: Words, weights: NDArray[Any], renamed: Words, fill: Longs,
            out_rows: Words, out_weights: NDArray[Any]) -> None:  # fmt: skip
    """Append the lists of one segment to the joined lists, leaving out rows renamed to -1."""
    for f in range(len(places)):
        at = places[f]
        for i in range(first[f], first[f + 1]):
            row = renamed[rows[i]]
            if row >= 0:
                out_rows[fill[at]] = row
                out_weights[fill[at]] = weights[i]
                fill[at] += 1


@compiled
def _order(first: Longs, rows: Words, weights: NDArray[Any]) -> None:
    """Put each list into the order of its rows."""
    for f in range(len(first) - 1):
        begin, end = first[f], first[f + 1]
        part = rows[begin:end]
        if (part[1:] < part[:-1]).any():
            order = np.argsort(part)
            rows[begin:end] = part[order].copy()
            weights[begin:end] = weights[begin:end][order].copy()


@compiled
def _list_sizes(first: Longs, rows: Words, renamed: Words, places: Longs, sizes: Longs) -> None:
    for f in range(len(places)):
        for i in range(first[f], first[f + 1]):
            if renamed[rows[i]] >= 0:
                sizes[places[f]] += 1


def join_lists(folder: Path, parts: Sequence[Lists], renamed: Sequence[Words]) -> None:
    """Write several lists as one under new names of the rows; they are copied on disk, not held in memory."""
    features = np.unique(np.concatenate([part.features for part in parts]))
    places = [np.searchsorted(features, part.features) for part in parts]
    sizes = np.zeros(len(features), np.int64)
    for part, names, at in zip(parts, renamed, places, strict=True):
        _list_sizes(part.first, part.rows, names, at, sizes)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = _on_disk(folder / "rows.npy", np.dtype(np.int32), int(first[-1]))
    kind = np.result_type(*(part.weights.dtype for part in parts))
    weights = _on_disk(folder / "weights.npy", kind, int(first[-1]))
    fill = first[:-1].copy()
    for part, names, at in zip(parts, renamed, places, strict=True):
        _gather(at, part.first, part.rows, part.weights, names, fill, rows, weights)
    _order(first, rows, weights)
    save(folder, features=features, first=first)


def _on_disk(path: Path, dtype: np.dtype[Any], size: int) -> NDArray[Any]:
    """An array to be filled in its file; an empty one cannot be mapped."""
    if not size:
        np.save(path, np.zeros(0, dtype))
        return np.zeros(0, dtype)
    return np.asarray(open_memmap(path, "w+", dtype, (size,)))
