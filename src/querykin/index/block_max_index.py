"""Unit rows on disk for `block_max`: packed rows, with bounds of small blocks.

Rows are sorted by their heaviest features, so that similar rows share a block (document reordering).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
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
    gather_indices,
    make_indptr,
)
from querykin.compute.threads import scratch, zeroed_scratch
from querykin.errors import DamagedFile
from querykin.index import block_max
from querykin.index.block_max import SparseQuery, TopK
from querykin.index.block_max_layout import (
    BLOCK_ROWS,
    MAX_BLOCKS,
    TYPES,
    Partition,
    QuantizedRows,
    TermRows,
    count_blocks,
    fill_lists,
    heaviest_features,
    pack_rows,
    pages_of,
    transpose_rows,
    unpack_rows,
)
from querykin.index.block_max_validation import check_partition, is_permutation
from querykin.index.posting_lists import ROUNDING_SLACK, lowered_threshold
from querykin.index.posting_writer import distinct_features
from querykin.storage.array_files import MappedArray, check_offsets, load_ascending, map_array, save
from querykin.vectors import QUANTIZATION_LEVELS, Vectors

PARTITION_ROWS = BLOCK_ROWS * MAX_BLOCKS  # at most
_PARTITION_ENTRIES = 1 << 25  # at most: writing a partition takes several 8-byte numbers for each entry
_KEYS = 4  # heaviest features that rows are sorted by
_NO_FEATURE = np.iinfo(np.int64).max  # sorts rows without a feature last
_STEP = 1 << 16  # rows read at once
# A search is deep if k is at least _MIN_DEEP_K and at least one of _ROWS_PER_RESULT rows is wanted. Posting
# lists are made after this many deep searches, since making them takes as long as dozens of searches.
_MIN_DEEP_K, _ROWS_PER_RESULT, _SEARCHES_BEFORE_LISTS = 100, 1500, 32


class BlockMaxIndex:
    """Packed rows on disk, in partitions, which are verified when they are first searched."""

    def __init__(self, folder: Path, size: int) -> None:
        self._folder, self._deep_searches = folder, 0
        self._order = map_array(folder, "order", size=size, types=np.int32)
        # Positions where partitions begin and end.
        self.borders: Int64Array = load_ascending(folder, "borders", np.int64)
        check_offsets(folder / "borders.npy", self.borders, size)
        if (np.diff(self.borders) > PARTITION_ROWS).any():
            raise DamagedFile(folder / "borders.npy", "a partition has too many rows")
        self._mapped: list[dict[str, MappedArray[Any]]] = [
            {name: map_array(folder, f"{name}-{number}", types=kind) for name, kind in TYPES.items()}
            for number in range(len(self.borders) - 1)
        ]

    @cached_property
    def order(self) -> Int32Array:
        """The row at each position."""
        order: Int32Array = self._order.whole()
        if not is_permutation(order):
            raise DamagedFile(self._order.path, "its rows are not those from 0 on, each once")
        return order

    @cached_property
    def partitions(self) -> list[Partition]:
        """All partitions, verified: whatever a query asks for, kernels find it within bounds."""
        partitions = []
        for number, mapped in enumerate(self._mapped):
            partition = Partition(**{name: each.whole() for name, each in mapped.items()})
            rows = int(self.borders[number + 1] - self.borders[number])
            if (wrong := check_partition(partition, rows)) is not None:
                raise DamagedFile(mapped[wrong].path, "it has values that are out of bounds")
            partitions.append(partition)
        return partitions

    @cached_property
    def _term_rows(self) -> list[TermRows]:
        """For each partition its rows as posting lists, made when they are first needed."""
        return [transpose_rows(partition) for partition in self.partitions]

    def _partitioned(self) -> Iterator[tuple[Partition, int, Int32Array]]:
        """Each partition, the position where it begins, and its rows."""
        for partition, begin, end in zip(self.partitions, self.borders[:-1], self.borders[1:], strict=True):
            yield partition, int(begin), self.order[begin:end]

    @property
    def entries(self) -> int:
        """The number of weights."""
        return int(self.sizes.sum())

    @cached_property
    def sizes(self) -> Int64Array:
        """The number of terms of each row."""
        sizes = np.zeros(len(self.order), np.int64)
        for partition, _, rows in self._partitioned():
            lengths = np.diff(partition.row_indptr.astype(np.int64))
            sizes[rows] = (lengths - pages_of(partition.features)) // 2
        return sizes

    @cached_property
    def _positions(self) -> Int64Array:
        """The position of each row."""
        positions = np.empty(len(self.order), np.int64)
        positions[self.order] = np.arange(len(self.order))
        return positions

    @cached_property
    def _features_by_rank(self) -> list[Int64Array]:
        """For each partition the feature of each rank."""
        found = []
        for partition in self.partitions:
            by_rank = np.empty_like(partition.features)
            by_rank[partition.ranks] = partition.features
            found.append(by_rank)
        return found

    def filled(self, size: int) -> BoolArray:
        """Which rows have any feature at all."""
        return self.sizes > 0

    def top(
        self, features: Int64Array, weights: Float64Array, live: BoolArray, k: int, min_score: float = -np.inf
    ) -> tuple[Int64Array, Float64Array]:
        """The k best live rows that may reach `min_score`, and all that may tie with the last.

        Both allow for the rounding of weights.
        """
        threshold, query = lowered_threshold(min_score), _query(features, weights)
        rows, scores = np.zeros(0, np.int64), np.zeros(0)
        for number, (_, _, order) in enumerate(self._partitioned()):
            deep = k >= max(_MIN_DEEP_K, len(order) // _ROWS_PER_RESULT)
            self._deep_searches += deep
            by_sums = deep and self._deep_searches > _SEARCHES_BEFORE_LISTS
            top = self._top_by_sums if by_sums else self._top_by_bounds
            positions, values = top(number, order, live, query, TopK(k, ROUNDING_SLACK, threshold))
            if len(order) == len(self.order):  # nothing to merge
                return order[positions].astype(np.int64), values
            rows, scores = np.concatenate([rows, order[positions]]), np.concatenate([scores, values])
            if len(scores) > k:
                last = np.partition(scores, len(scores) - k)[len(scores) - k]
                threshold = max(threshold, last * (1 - ROUNDING_SLACK))
                rows, scores = rows[scores >= threshold], scores[scores >= threshold]
        return rows.astype(np.int64), scores

    def _top_by_bounds(
        self, number: int, order: Int32Array, live: BoolArray, query: SparseQuery, wanted: TopK
    ) -> tuple[Int64Array, Float64Array]:
        partition, bounds = self.partitions[number], scratch(MAX_BLOCKS // 4).view(np.uint16)
        with _slot_table(partition, len(query.features)) as slots:
            return block_max.top_positions(partition, order, live, query, wanted, bounds, slots)

    def _top_by_sums(
        self, number: int, order: Int32Array, live: BoolArray, query: SparseQuery, wanted: TopK
    ) -> tuple[Int64Array, Float64Array]:
        partition, terms = self.partitions[number], self._term_rows[number]
        with zeroed_scratch(np.float64, len(order)) as sums:
            return block_max.top_sums(partition, terms, order, live, query, wanted, sums)

    def dot_rows(
        self, features: Int64Array, weights: Float64Array, tf_scaling: Float64Array, rows: Int64Array
    ) -> Float64Array:
        """The inner products of a query with the rows given; unit rows have no tf scaling."""
        positions, scores, query = self._positions[rows], np.zeros(len(rows)), _query(features, weights)
        for partition, begin, order in self._partitioned():
            here = (positions >= begin) & (positions < begin + len(order))
            with _slot_table(partition, len(features)) as slots:
                scores[here] = block_max.scores_at(partition, positions[here] - begin, query, slots)
        return scores

    def read(self, rows: Int64Array) -> QuantizedRows:
        """The rows given; their features are in no order."""
        positions, indptr = self._positions[rows], make_indptr(self.sizes[rows])
        out = QuantizedRows(indptr, np.empty(indptr[-1], np.int64), np.empty(indptr[-1], np.uint16))
        partitions = zip(self._partitioned(), self._features_by_rank, strict=True)
        for (partition, begin, order), by_rank in partitions:
            here = np.flatnonzero((positions >= begin) & (positions < begin + len(order)))
            unpack_rows(partition, by_rank, positions[here] - begin, indptr[here], out)
        return out

    def vectors(self, rows: Int64Array, space: str) -> Vectors:
        """Some of the rows, as they were encoded."""
        indptr, features, weights = self.read(rows)
        order = np.lexsort((features, np.repeat(np.arange(len(rows)), np.diff(indptr))))
        return Vectors(indptr, features[order], weights[order] / QUANTIZATION_LEVELS, space)


def _query(features: Int64Array, weights: Float64Array) -> SparseQuery:
    return SparseQuery(features, weights / QUANTIZATION_LEVELS)


def _slot_table(partition: Partition, terms: int) -> AbstractContextManager[NDArray[Any]]:
    """A table with room for the slots of a query's terms."""
    return zeroed_scratch(np.uint8 if terms < 256 else np.uint16, len(partition.features))


def write_block_max_index(folder: Path, vectors: Vectors) -> None:
    """Write unit rows, whose weights are multiples of 1/65,535."""

    def read(rows: Int64Array) -> QuantizedRows:
        taken = vectors.take(rows)
        weights = np.round(taken.weights * QUANTIZATION_LEVELS).astype(np.uint16)
        return QuantizedRows(taken.indptr, taken.features, weights)

    _write(folder, np.diff(vectors.indptr), _sort_keys(read(np.arange(len(vectors)))), read)


def merge_block_max_indexes(
    folder: Path, parts: Sequence[BlockMaxIndex], renamed: Sequence[Int32Array]
) -> None:
    """Write several indexes as one; `renamed` has the new number of each row of a part, -1 drops it."""
    size = 1 + max((int(numbers.max(initial=-1)) for numbers in renamed), default=-1)
    source, old, sizes = np.zeros(size, np.int32), np.zeros(size, np.int64), np.zeros(size, np.int64)
    keys = np.full((size, _KEYS), _NO_FEATURE)
    for number, (part, numbers) in enumerate(zip(parts, renamed, strict=True)):
        kept = np.flatnonzero(numbers >= 0)
        source[numbers[kept]], old[numbers[kept]], sizes[numbers[kept]] = number, kept, part.sizes[kept]
        for begin in range(0, len(kept), _STEP):
            batch = kept[begin : begin + _STEP]
            keys[numbers[batch]] = _sort_keys(part.read(batch))

    def read(rows: Int64Array) -> QuantizedRows:
        indptr = make_indptr(sizes[rows])
        out = QuantizedRows(indptr, np.empty(indptr[-1], np.int64), np.empty(indptr[-1], np.uint16))
        for number, part in enumerate(parts):
            here = np.flatnonzero(source[rows] == number)
            for begin in range(0, len(here), _STEP):
                batch = here[begin : begin + _STEP]
                piece = part.read(old[rows[batch]])
                to = gather_indices(indptr[batch], piece.indptr)
                out.features[to], out.weights[to] = piece.features, piece.weights
        return out

    _write(folder, sizes, keys, read)


def _sort_keys(rows: QuantizedRows) -> NDArray[np.int64]:
    keys = np.full((len(rows.indptr) - 1, _KEYS), _NO_FEATURE)
    heaviest_features(rows, keys)
    return keys


def _write(
    folder: Path, sizes: Int64Array, keys: NDArray[np.int64], read: Callable[[Int64Array], QuantizedRows]
) -> None:
    """Write rows of these sizes in the order of their keys; `read` returns the rows with given numbers."""
    order = np.lexsort(keys.T[::-1])
    borders = [0]
    while borders[-1] < len(order):
        begin = borders[-1]
        entries = np.cumsum(sizes[order[begin : begin + PARTITION_ROWS]])
        borders.append(begin + max(1, int(np.searchsorted(entries, _PARTITION_ENTRIES, side="right"))))
    for number, (begin, end) in enumerate(pairwise(borders)):
        partition = _make_partition(read(order[begin:end]))
        save(folder, **{f"{name}-{number}": values for name, values in partition._asdict().items()})
    save(folder, order=order.astype(np.int32), borders=np.array(borders, np.int64))


def _make_partition(given: QuantizedRows) -> Partition:
    features, terms = distinct_features(given.features)
    by_frequency = np.argsort(-np.bincount(terms, minlength=len(features)), kind="stable")
    ranks = np.empty(len(features), np.int64)
    ranks[by_frequency] = np.arange(len(features))
    term_ranks = ranks[terms]
    counts = count_blocks(given.indptr, term_ranks, len(features))
    list_indptr = make_indptr(counts + (counts + 1) // 2)
    lists = np.zeros(list_indptr[-1], np.uint16)
    list_bytes = lists.view(np.uint8)
    fill_lists(given.indptr, term_ranks, given.weights, counts, list_indptr, lists, list_bytes)
    pages = pages_of(features)
    row_indptr = 2 * given.indptr + pages * np.arange(len(given.indptr))
    rows = np.zeros(row_indptr[-1], np.uint16)
    pack_rows(given.indptr, term_ranks, given.weights, pages, row_indptr, rows)
    return Partition(
        features,
        ranks.astype(np.uint32),
        list_indptr.astype(np.uint32),
        lists,
        row_indptr.astype(np.uint32),
        rows,
    )
