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

from querykin.compute.arrays import (
    BoolArray,
    Float64Array,
    Int32Array,
    Int64Array,
    UInt32Array,
    gather_indices,
    make_indptr,
)
from querykin.compute.threads import scratch, zeroed_scratch
from querykin.index import block_max as pruning
from querykin.index.block_max import BLOCK, BLOCKS, PAGE, UInt16Array
from querykin.index.posting_lists import ROUNDED, distinct_features, lowered_threshold
from querykin.storage.array_files import load, save
from querykin.vectors import QUANTIZATION_LEVELS, Vectors

PARTITION_ROWS = BLOCK * BLOCKS  # rows of a shelf at most
_ENTRIES = 1 << 25  # of a shelf at most: writing one holds several numbers of eight bytes for each
_KEYS = 4  # heaviest features that rows are sorted by
_NONE = np.iinfo(np.int64).max  # in place of a feature: rows without one come last
_STEP = 1 << 16  # rows read at once
PackedRows = tuple[
    Int64Array, Int64Array, UInt16Array
]  # where each row begins, its features, their weights in steps


@dataclass(frozen=True)
class Partition:
    """Some rows on disk: see `index.pruning`."""

    features: Int64Array  # rising
    ranks: UInt32Array  # of each feature
    list_indptr: UInt32Array
    lists: UInt16Array
    row_indptr: UInt32Array
    rows: UInt16Array

    @property
    def pages(self) -> int:
        """So many hold all ranks."""
        return -(-len(self.features) // PAGE)

    def slots(self, terms: int) -> AbstractContextManager[NDArray[Any]]:
        """A table for the terms of a query."""
        return zeroed_scratch(np.uint8 if terms < 256 else np.uint16, len(self.features))


class BlockMaxIndex:
    """Packed rows on disk."""

    def __init__(self, folder: Path) -> None:
        self.order: Int32Array = load(folder, "order")  # the row at each place
        self.borders: Int64Array = load(folder, "borders")  # the places where shelves begin and end
        names = tuple(Partition.__dataclass_fields__)
        self.partitions = [
            Partition(*(load(folder, f"{name}-{number}") for name in names))
            for number in range(len(self.borders) - 1)
        ]

    def _partitioned(self) -> Iterator[tuple[Partition, int, Int32Array]]:
        """Each shelf, the place where it begins, and its rows."""
        for partition, begin, end in zip(self.partitions, self.borders[:-1], self.borders[1:], strict=True):
            yield partition, int(begin), self.order[begin:end]

    @property
    def entries(self) -> int:
        """How many weights there are."""
        return int(self.sizes.sum())

    @cached_property
    def sizes(self) -> Int64Array:
        """How many terms each row has."""
        found = np.zeros(len(self.order), np.int64)
        for partition, _, rows in self._partitioned():
            first = partition.row_indptr.astype(np.int64)
            found[rows] = (np.diff(first) - partition.pages) // 2
        return found

    @cached_property
    def _places(self) -> Int64Array:
        """Where each row stands."""
        places = np.empty(len(self.order), np.int64)
        places[self.order] = np.arange(len(self.order))
        return places

    def filled(self, size: int) -> BoolArray:
        """Which rows have any feature at all."""
        return self.sizes > 0

    def top(
        self, features: Int64Array, weights: Float64Array, live: BoolArray, k: int, min_score: float = -np.inf
    ) -> tuple[Int64Array, Float64Array]:
        """The k best living rows, and all that may be as good as the last once rounding is accounted for.

        Only those that may reach `minimum`.
        """
        floor = lowered_threshold(min_score)
        rows, scores = np.zeros(0, np.int64), np.zeros(0)
        for partition, _, order in self._partitioned():
            with partition.slots(len(features)) as slots:
                places, values = pruning.top_places(
                    partition.features,
                    partition.ranks,
                    partition.list_indptr,
                    partition.lists,
                    partition.row_indptr,
                    partition.rows,
                    order,
                    live,
                    features,
                    weights / QUANTIZATION_LEVELS,
                    k,
                    ROUNDED,
                    floor,
                    scratch(BLOCKS // 4).view(np.uint16),
                    slots,
                )
            rows, scores = np.concatenate([rows, order[places]]), np.concatenate([scores, values])
            if len(scores) > k:
                floor = max(floor, np.partition(scores, len(scores) - k)[len(scores) - k] * (1 - ROUNDED))
                rows, scores = rows[scores >= floor], scores[scores >= floor]
        return rows.astype(np.int64), scores

    def some(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, rows: Int64Array
    ) -> Float64Array:
        """The inner products of a query with some rows; such measures have no gains."""
        places, found = self._places[rows], np.zeros(len(rows))
        for partition, begin, order in self._partitioned():
            here = (places >= begin) & (places < begin + len(order))
            with partition.slots(len(features)) as slots:
                found[here] = pruning.scores_at(
                    partition.features,
                    partition.ranks,
                    partition.row_indptr,
                    partition.rows,
                    places[here] - begin,
                    features,
                    weights / QUANTIZATION_LEVELS,
                    slots,
                )
        return found

    def read(self, rows: Int64Array) -> PackedRows:
        """Some rows, their features in no order."""
        places, first = self._places[rows], make_indptr(self.sizes[rows])
        features, weights = np.empty(first[-1], np.int64), np.empty(first[-1], np.uint16)
        for partition, begin, order in self._partitioned():
            here = np.flatnonzero((places >= begin) & (places < begin + len(order)))
            by_rank = np.empty_like(partition.features)
            by_rank[partition.ranks] = partition.features
            pruning.unpack_rows(
                partition.row_indptr,
                partition.rows,
                partition.pages,
                by_rank,
                places[here] - begin,
                first[here],
                features,
                weights,
            )
        return first, features, weights


def write_block_max_index(folder: Path, vectors: Vectors) -> None:
    """Write unit rows, whose weights are whole steps of 1/65,535."""

    def rows(wanted: Int64Array) -> PackedRows:
        taken = vectors.take(wanted)
        return taken.indptr, taken.features, np.round(taken.weights * QUANTIZATION_LEVELS).astype(np.uint16)

    everything = np.arange(len(vectors))
    _write(folder, np.diff(vectors.indptr), _keys(*rows(everything)), rows)


def merge_block_max_indexes(
    folder: Path, parts: Sequence[BlockMaxIndex], renamed: Sequence[Int32Array]
) -> None:
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

    def rows(wanted: Int64Array) -> PackedRows:
        first = make_indptr(sizes[wanted])
        features, weights = np.empty(first[-1], np.int64), np.empty(first[-1], np.uint16)
        for number, part in enumerate(parts):
            here = np.flatnonzero(holder[wanted] == number)
            for begin in range(0, len(here), _STEP):
                some = here[begin : begin + _STEP]
                borders, *read = part.read(old[wanted[some]])
                to = gather_indices(first[some], borders)
                features[to], weights[to] = read
        return first, features, weights

    _write(folder, sizes, keys, rows)


def _keys(first: Int64Array, features: Int64Array, weights: UInt16Array) -> NDArray[np.int64]:
    keys = np.full((len(first) - 1, _KEYS), _NONE)
    pruning.heaviest_features(first, features, weights, keys)
    return keys


def _write(
    folder: Path, sizes: Int64Array, keys: NDArray[np.int64], rows: Callable[[Int64Array], PackedRows]
) -> None:
    """Write rows of these sizes in the order of their keys; `rows` reads some of them."""
    order = np.lexsort(keys.T[::-1])
    borders = [0]
    while borders[-1] < len(order):
        begin = borders[-1]
        fitting = np.searchsorted(
            np.cumsum(sizes[order[begin : begin + PARTITION_ROWS]]), _ENTRIES, side="right"
        )
        borders.append(begin + max(1, int(fitting)))
    for number, (begin, end) in enumerate(pairwise(borders)):
        partition = _partition(*rows(order[begin:end]))
        save(folder, **{f"{name}-{number}": value for name, value in vars(partition).items()})
    save(folder, order=order.astype(np.int32), borders=np.array(borders, np.int64))


def _partition(first: Int64Array, features: Int64Array, weights: UInt16Array) -> Partition:
    distinct, places = distinct_features(features)
    by_frequency = np.argsort(-np.bincount(places, minlength=len(distinct)), kind="stable")
    ranks = np.empty(len(distinct), np.int64)
    ranks[by_frequency] = np.arange(len(distinct))
    terms = ranks[places]
    counts = pruning.count_entries(first, terms, len(distinct))
    list_indptr = make_indptr(counts + (counts + 1) // 2)
    lists = np.zeros(list_indptr[-1], np.uint16)
    pruning.fill_lists(first, terms, weights, counts, list_indptr, lists, lists.view(np.uint8))
    pages = -(-len(distinct) // PAGE)
    row_indptr = 2 * first + pages * np.arange(len(first))
    rows = np.zeros(row_indptr[-1], np.uint16)
    pruning.pack_rows(first, terms, weights, pages, row_indptr, rows)
    return Partition(
        distinct,
        ranks.astype(np.uint32),
        list_indptr.astype(np.uint32),
        lists,
        row_indptr.astype(np.uint32),
        rows,
    )
