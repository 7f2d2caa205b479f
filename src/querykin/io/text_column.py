"""Columns of millions of texts: one byte array, and an id for each distinct text."""

from array import array
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from querykin.compute.arrays import Int64Array


class TextColumn:
    """A compact column of texts: 16 bytes per text besides the text itself.

    >>> names = TextColumn(["b", "a", "b"])
    >>> len(names), names[1], names.ids.tolist(), names.distinct
    (3, 'a', [0, 1, 0], ['b', 'a'])
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._bytes, self._ends, self._hashes = bytearray(), array("q", [0]), array("q")
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Append a text."""
        encoded = text.encode("utf-8", "surrogatepass")
        self._bytes += encoded
        self._ends.append(len(self._bytes))
        self._hashes.append(hash(encoded))  # 64 bits: 10 million texts collide in one of 300,000 files

    def __len__(self) -> int:
        return len(self._hashes)

    def __getitem__(self, row: int) -> str:
        return self._bytes[self._ends[row] : self._ends[row + 1]].decode("utf-8", "surrogatepass")

    def at(self, rows: Iterable[int]) -> list[str]:
        """The texts of several rows."""
        return [self[row] for row in rows]

    @property
    def hashes(self) -> Int64Array:
        """A hash of each text, comparable between the columns of one process."""
        return np.array(self._hashes, np.int64)

    @cached_property
    def ids(self) -> Int64Array:
        """The id of each text; distinct texts are numbered from 0 in the order of first occurrence."""
        return dense_ids(self.hashes)

    @cached_property
    def distinct(self) -> list[str]:
        """The distinct texts by their ids."""
        return self.at(np.unique(self.ids, return_index=True)[1].tolist())

    @property
    def content(self) -> tuple[bytearray, "array[int]"]:
        """The bytes and offsets that determine the column, for fingerprints."""
        return self._bytes, self._ends


def dense_ids(keys: Int64Array) -> Int64Array:
    """Keys renumbered from 0 in the order of first occurrence.

    >>> dense_ids(np.array([70, -3, 70, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse]


def dense_pair_ids(first: Int64Array, second: Int64Array) -> Int64Array:
    """One id for each pair of ids (from 0): equal where both are equal."""
    return dense_ids(first * (int(second.max(initial=0)) + 1) + second)
