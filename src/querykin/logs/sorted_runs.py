"""External sorting: rows that do not fit in memory are sorted in runs on disk and merged by ranges of keys.

A table is a folder of arrays of one length, ascending by its key. Tables of several runs, or of several parts
of a store, are merged without holding more than a bounded number of rows.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.storage.array_files import ArrayFile, MappedArray, at_least, map_array, save

MAX_ROWS = 1 << 21  # rows that are sorted at once: some 200 MB

Columns = tuple[Int64Array, ...]


def key_ranges(runs: Sequence[MappedArray[np.int64]], max_rows: int) -> Iterator[list[slice]]:
    """Consecutive ranges of keys as one slice of each ascending run; a key is never in two of them.

    A range has about `max_rows` rows, or those of one key.
    """
    step = max(1, max_rows // (4 * max(1, len(runs))))
    sample = np.sort(np.concatenate([np.zeros(0, np.int64), *(run[::step] for run in runs)]))
    cuts = np.unique(sample[max(1, max_rows // (2 * step)) :: max(1, max_rows // (2 * step))])
    begins = [0] * len(runs)
    for cut in cuts.tolist():
        ends = [_insertion_point(run, cut) for run in runs]
        if ends != begins:
            yield [slice(*each) for each in zip(begins, ends, strict=True)]
        begins = ends
    yield [slice(begin, len(run)) for begin, run in zip(begins, runs, strict=True)]


def _insertion_point(run: MappedArray[np.int64], key: int) -> int:
    """Where a key would be in an ascending run; only the values that are compared are read."""
    low, high = 0, len(run)
    while low < high:
        middle = (low + high) // 2
        if run[middle : middle + 1][0] < key:
            low = middle + 1
        else:
            high = middle
    return low


class RunWriter:
    """Rows of numbers, kept in memory up to a limit and then on disk, in runs sorted by all columns.

    Of the rows of a run with the same first value `most` are kept, or all.
    """

    def __init__(self, folder: Path, columns: int, max_rows: int = MAX_ROWS, most: int | None = None) -> None:
        self._folder, self._columns, self._max_rows, self._most = folder, columns, max_rows, most
        self._pieces: list[Columns] = []
        self._rows, self._runs = 0, 0

    def add(self, *columns: Int64Array) -> None:
        """Append rows."""
        self._pieces.append(columns)
        self._rows += len(columns[0])
        if self._rows >= self._max_rows:
            self._spill()

    def _spill(self) -> None:
        rows = sorted_rows(self._pieces, self._columns)
        if self._most is not None:
            kept = np.arange(len(rows[0])) - np.searchsorted(rows[0], rows[0]) < self._most
            rows = tuple(column[kept] for column in rows)
        folder = self._folder / f"run-{self._runs}"
        folder.mkdir(parents=True)
        save(folder, **{f"c{number}": column for number, column in enumerate(rows)})
        self._pieces, self._rows, self._runs = [], 0, self._runs + 1

    def merged(self) -> Iterator[Columns]:
        """All rows, sorted by all columns; rows with the same first value are together."""
        self._spill()
        runs = [
            [
                map_array(self._folder / f"run-{run}", f"c{number}", types=np.int64)
                for number in range(self._columns)
            ]
            for run in range(self._runs)
        ]
        for slices in key_ranges([run[0] for run in runs], self._max_rows):
            pieces = [tuple(c[part] for c in run) for run, part in zip(runs, slices, strict=True)]
            yield sorted_rows(pieces, self._columns)


def pieces_of(rows: Columns, size: int) -> Iterator[Columns]:
    """Sorted rows in pieces of about `size`; those with the same first value are together.

    >>> [keys.tolist() for (keys,) in pieces_of((np.array([1, 1, 1, 2, 3]),), 2)]
    [[1, 1, 1, 2], [3]]
    """
    begins = np.unique(np.searchsorted(rows[0], rows[0][::size])).tolist()
    for begin, end in pairwise([*begins, len(rows[0])]):
        yield tuple(column[begin:end] for column in rows)


def sorted_rows(pieces: Sequence[Columns], columns: int) -> Columns:
    """Rows of several pieces, sorted by all columns."""
    none = np.zeros(0, np.int64)
    joined = [np.concatenate([none, *(piece[number] for piece in pieces)]) for number in range(columns)]
    order = np.lexsort(joined[::-1])
    return tuple(column[order] for column in joined)


def sum_counts(keys: Columns, counts: Int64Array) -> Columns:
    """Sorted keys, each once, with the sum of their counts.

    >>> keys = np.array([1, 1, 4]), np.array([2, 2, 0])
    >>> [column.tolist() for column in sum_counts(keys, np.array([3, 4, 5]))]
    [[1, 4], [2, 0], [7, 5]]
    """
    if not len(counts):
        return (*keys, counts)
    changes = np.zeros(len(counts), np.bool_)
    changes[0] = True
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    starts = np.flatnonzero(changes)
    return (*(key[starts] for key in keys), np.add.reduceat(counts, starts))


KEYS = ("firsts", "seconds")


class CountTable:
    """Counts by one key, or by a pair of keys, on disk."""

    def __init__(self, folder: Path, keys: int) -> None:
        self.counts = map_array(folder, "counts", at_least(1), types=np.int64)
        self.keys = [map_array(folder, name, size=len(self.counts), types=np.int64) for name in KEYS[:keys]]

    def __len__(self) -> int:
        return len(self.counts)


def merged_counts(tables: Sequence[CountTable], max_rows: int = MAX_ROWS) -> Iterator[Columns]:
    """The counts of several tables by ascending keys, summed; a first key is never in two pieces."""
    if not tables:
        return
    for slices in key_ranges([table.keys[0] for table in tables], max_rows):
        pieces = [
            (*(key[part] for key in table.keys), table.counts[part])
            for table, part in zip(tables, slices, strict=True)
        ]
        *keys, counts = sorted_rows(pieces, len(tables[0].keys) + 1)
        yield sum_counts(tuple(keys), counts)


def write_counts(folder: Path, pieces: Iterator[Columns], keys: int) -> int:
    """Write counts that come by ascending keys as a table; returns the number of its rows."""
    folder.mkdir()
    files = [ArrayFile(folder / f"{name}.npy", np.int64) for name in (*KEYS[:keys], "counts")]
    rows = 0
    for piece in pieces:
        rows += len(piece[0])
        for file, column in zip(files, piece, strict=True):
            file.append(column)
    for file in files:
        file.close()
    return rows


def positions(keys: Int64Array, sought: Int64Array) -> Int64Array:
    """Where keys are among ascending ones; -1 for an unknown one.

    >>> positions(np.array([2, 5]), np.array([5, 3])).tolist()
    [1, -1]
    """
    if not len(keys):
        return np.full(len(sought), -1)
    at = np.minimum(np.searchsorted(keys, sought), len(keys) - 1)
    return np.where(keys[at] == sought, at, -1)
