"""How are millions of texts kept? Their letters in one row of bytes, and a number for each different one."""

from array import array
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from querykin.compute.arrays import Int64Array


class TextColumn:
    """A column of texts in little room: what is behind the letters takes 16 bytes a text.

    >>> names = TextColumn(["b", "a", "b"])
    >>> len(names), names[1], names.ids.tolist(), names.distinct
    (3, 'a', [0, 1, 0], ['b', 'a'])
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._letters, self._ends, self._keys = bytearray(), array("q", [0]), array("q")
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Add one at the end."""
        letters = text.encode("utf-8", "surrogatepass")
        self._letters += letters
        self._ends.append(len(self._letters))
        self._keys.append(hash(letters))  # 64 bits: two of 10 million texts meet once in 300,000 files

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, place: int) -> str:
        letters = self._letters[self._ends[place] : self._ends[place + 1]]
        return letters.decode("utf-8", "surrogatepass")

    def at(self, places: Iterable[int]) -> list[str]:
        """Several texts by their places."""
        return [self[place] for place in places]

    @property
    def keys(self) -> Int64Array:
        """A number for each text that is the same for the same text in any column, until the program ends."""
        return np.array(self._keys, np.int64)

    @cached_property
    def ids(self) -> Int64Array:
        """A number for each text, in the order in which they first come: 0 is the first text."""
        return dense_ids(self.keys)

    @cached_property
    def distinct(self) -> list[str]:
        """The different texts by their numbers."""
        return self.at(np.unique(self.ids, return_index=True)[1].tolist())

    @property
    def content(self) -> tuple[bytearray, "array[int]"]:
        """Letters and ends: the bytes that tell one column from another."""
        return self._letters, self._ends


def dense_ids(keys: Int64Array) -> Int64Array:
    """The keys numbered anew, from 0 on in the order in which they first come.

    >>> dense_ids(np.array([70, -3, 70, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[places]


def dense_pair_ids(first: Int64Array, second: Int64Array) -> Int64Array:
    """One number for two, both from 0 on: equal where both are equal."""
    return dense_ids(first * (int(second.max(initial=0)) + 1) + second)
