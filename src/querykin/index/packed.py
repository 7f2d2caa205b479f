"""Unit rows one after another, with bounds of small blocks: what `index.pruning` searches.

Rows that are alike stand side by side: they are sorted by their heaviest features. A shelf is as many rows as
blocks can be numbered and memory allows for: hundreds of thousands.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from querykin.compiled import Bools, Longs, Points, Reals, Words, cleared, entries, ragged, scratch
from querykin.index import pruning
from querykin.index.lists import ROUNDED, lowered, numbered
from querykin.index.pruning import BLOCK, BLOCKS, PAGE, Shorts
from querykin.storage import load, save
from querykin.vectors import GRID, Vectors

SHELF = BLOCK * BLOCKS  # rows of a shelf at most
_ENTRIES = 1 << 25  # of a shelf at most: writing one holds several numbers of eight bytes for each
_KEYS = 4  # heaviest features that rows are sorted by
_NONE = np.iinfo(np.int64).max  # in place of a feature: rows without one come last
_STEP = 1 << 16  # rows read at once
Rows = tuple[Longs, Longs, Shorts]  # where each row begins, its features, their weights in steps


@dataclass(frozen=True)
class Shelf:
    """Some rows on disk: see `index.pruning`."""

    features: Longs  # rising
    ranks: Points  # of each feature
    list_first: Points
    lists: Shorts
    row_first: Points
    rows: Shorts

    @property
    def pages(self) -> int:
        """So many hold all ranks."""
        return -(-len(self.features) // PAGE)

    def slots(self, terms: int) -> AbstractContextManager[NDArray[Any]]:
        """A table for the terms of a query."""
        return cleared(np.uint8 if terms < 256 else np.uint16, len(self.features))


class Packed:
    """Packed rows on disk."""

    def __init__(self, folder: Path) -> None:
        self.order: Words = load(folder, "order")  # the row at each place
        self.borders: Longs = load(folder, "borders")  # the places where shelves begin and end
        names = tuple(Shelf.__dataclass_fields__)
        self.shelves = [
            Shelf(*(load(folder, f"{name}-{number}") for name in names))
            for number in range(len(self.borders) - 1)
        ]

    def _shelved(self) -> Iterator[tuple[Shelf, int, Words]]:
        """Each shelf, the place where it begins, and its rows."""
        for shelf, begin, end in zip(self.shelves, self.borders[:-1], self.borders[1:], strict=True):
            yield shelf, int(begin), self.order[begin:end]

    @property
    def entries(self) -> int:
        """How many weights there are."""
        return int(self.sizes.sum())

    @cached_property
    def sizes(self) -> Longs:
        """How many terms each row has."""
        found = np.zeros(len(self.order), np.int64)
        for shelf, _, rows in self._shelved():
            first = shelf.row_first.astype(np.int64)
            found[rows] = (np.diff(first) - shelf.pages) // 2
        return found

    @cached_property
    def _places(self) -> Longs:
        """Where each row stands."""
        places = np.empty(len(self.order), np.int64)
        places[self.order] = np.arange(len(self.order))
        return places

    def filled(self, size: int) -> Bools:
        """Which rows have any feature at all."""
        return self.sizes > 0

    def top(self, features: Longs, weights: Reals, alive: Bools, k: int,
            least: float = -np.inf) -> tuple[Longs, Reals]:  # fmt: skip
        """The k best living rows, and all that may be as good as the last once rounding is accounted for.

        Only those that may reach `least`.
        """
        floor = lowered(least)
        rows, scores = np.zeros(0, np.int64), np.zeros(0)
        for shelf, _, order in self._shelved():
            with shelf.slots(len(features)) as slots:
                places, values = pruning.top_places(
                    shelf.features, shelf.ranks, shelf.list_first, shelf.lists, shelf.row_first, shelf.rows,
                    order, alive, features, weights / GRID, k, ROUNDED, floor,
                    scratch(BLOCKS // 4).view(np.uint16), slots,
                )  # fmt: skip
            rows, scores = np.concatenate([rows, order[places]]), np.concatenate([scores, values])
            if len(scores) > k:
                floor = max(floor, np.partition(scores, len(scores) - k)[len(scores) - k] * (1 - ROUNDED))
                rows, scores = rows[scores >= floor], scores[scores >= floor]
        return rows.astype(np.int64), scores

    def some(self, features: Longs, weights: Reals, gains: Reals, rows: Longs) -> Reals:
        """The inner products of a query with some rows; such measures have no gains."""
        places, found = self._places[rows], np.zeros(len(rows))
        for shelf, begin, order in self._shelved():
            here = (places >= begin) & (places < begin + len(order))
            with shelf.slots(len(features)) as slots:
                found[here] = pruning.scores_at(
                    shelf.features, shelf.ranks, shelf.row_first, shelf.rows, places[here] - begin, features,
                    weights / GRID, slots,
                )  # fmt: skip
        return found

    def read(self, rows: Longs) -> Rows:
        """Some rows, their features in no order."""
        places, first = self._places[rows], ragged(self.sizes[rows])
        features, weights = np.empty(first[-1], np.int64), np.empty(first[-1], np.uint16)
        for shelf, begin, order in self._shelved():
            here = np.flatnonzero((places >= begin) & (places < begin + len(order)))
            by_rank = np.empty_like(shelf.features)
            by_rank[shelf.ranks] = shelf.features
            pruning.unpack_rows(shelf.row_first, shelf.rows, shelf.pages, by_rank, places[here] - begin,
                                first[here], features, weights)  # fmt: skip
        return first, features, weights


def write_packed(folder: Path, vectors: Vectors) -> None:
    """Write unit rows, whose weights are whole steps of 1/65,535."""

    def rows(wanted: Longs) -> Rows:
        taken = vectors.take(wanted)
        return taken.first, taken.features, np.round(taken.weights * GRID).astype(np.uint16)

    everything = np.arange(len(vectors))
    _write(folder, np.diff(vectors.first), _keys(*rows(everything)), rows)


def join_packed(folder: Path, parts: Sequence[Packed], renamed: Sequence[Words]) -> None:
    """Write several as one under new names of the rows, leaving out those renamed to -1."""
    size = 1 + max((int(names.max(initial=-1)) for names in renamed), default=-1)
    holder, old, sizes = np.zeros(size, np.int32), np.zeros(size, np.int64), np.zeros(size, np.int64)
    keys = np.full((size, _KEYS), _NONE)
    for number, (part, names) in enumerate(zip(parts, renamed, strict=True)):
        kept = np.flatnonzero(names >= 0)
        holder[names[kept]], old[names[kept]], sizes[names[kept]] = number, kept, part.sizes[kept]
        for begin in range(0, len(kept), _STEP):
            some = kept[begin : begin + _STEP]
            keys[names[some]] = _keys(*part.read(some))

    def rows(wanted: Longs) -> Rows:
        first = ragged(sizes[wanted])
        features, weights = np.empty(first[-1], np.int64), np.empty(first[-1], np.uint16)
        for number, part in enumerate(parts):
            here = np.flatnonzero(holder[wanted] == number)
            for begin in range(0, len(here), _STEP):
                some = here[begin : begin + _STEP]
                borders, *read = part.read(old[wanted[some]])
                to = entries(first[some], borders)
                features[to], weights[to] = read
        return first, features, weights

    _write(folder, sizes, keys, rows)


def _keys(first: Longs, features: Longs, weights: Shorts) -> NDArray[np.int64]:
    keys = np.full((len(first) - 1, _KEYS), _NONE)
    pruning.heaviest_features(first, features, weights, keys)
    return keys


def _write(folder: Path, sizes: Longs, keys: NDArray[np.int64],
           rows: Callable[[Longs], Rows]) -> None:  # fmt: skip
    """Write rows of these sizes in the order of their keys; `rows` reads some of them."""
    order = np.lexsort(keys.T[::-1])
    borders = [0]
    while borders[-1] < len(order):
        begin = borders[-1]
        fitting = np.searchsorted(np.cumsum(sizes[order[begin : begin + SHELF]]), _ENTRIES, side="right")
        borders.append(begin + max(1, int(fitting)))
    for number, (begin, end) in enumerate(pairwise(borders)):
        shelf = _shelf(*rows(order[begin:end]))
        save(folder, **{f"{name}-{number}": value for name, value in vars(shelf).items()})
    save(folder, order=order.astype(np.int32), borders=np.array(borders, np.int64))


def _shelf(first: Longs, features: Longs, weights: Shorts) -> Shelf:
    distinct, places = numbered(features)
    by_frequency = np.argsort(-np.bincount(places, minlength=len(distinct)), kind="stable")
    ranks = np.empty(len(distinct), np.int64)
    ranks[by_frequency] = np.arange(len(distinct))
    terms = ranks[places]
    counts = pruning.count_entries(first, terms, len(distinct))
    list_first = ragged(counts + (counts + 1) // 2)
    lists = np.zeros(list_first[-1], np.uint16)
    pruning.fill_lists(first, terms, weights, counts, list_first, lists, lists.view(np.uint8))
    pages = -(-len(distinct) // PAGE)
    row_first = 2 * first + pages * np.arange(len(first))
    rows = np.zeros(row_first[-1], np.uint16)
    pruning.pack_rows(first, terms, weights, pages, row_first, rows)
    return Shelf(distinct, ranks.astype(np.uint32), list_first.astype(np.uint32), lists,
                 row_first.astype(np.uint32), rows)  # fmt: skip
