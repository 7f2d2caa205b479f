"""Which words stand near which? Neighbours within a few words, counted over the token store.

A unit is a word or a listed phrase. Its neighbours are the words up to `distance` before its first and after
its last word, inside one document. Memory is bounded, but for what the commonest single unit needs, by going
over the tokens several times, each time for as many units as fit: first how many neighbours every unit has,
then the neighbours themselves, side by side, then each unit's own sorted and summed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from querykin.compiled import Bools, Longs, Points, Words, compiled, in_threads
from querykin.corpus.phrases import LONGEST, Phrases
from querykin.text import EMPTY_RUN, extend_hash, settle_hash

DISTANCE = 3  # words (Alfonseca et al. 2009)
FARTHEST = 20  # that can be asked for: memory and time grow with the distance
ROOM = 1 << 30  # bytes that counting may take
_EVENT = 16  # bytes of one neighbour while it is counted
_SIEVE = 1 << 22  # of a phrase's hash the last bits are looked up before the list is


@compiled
def _visit(tokens: Points, first: Longs, places: Longs, hashes: Longs, listed: Longs, sieve: Bools,
           longest: int, distance: int, low: int, high: int, fill: Longs, out: Words) -> None:  # fmt: skip
    """Add how many neighbours units low to high have to `fill`, and the neighbours to `out` if it has room.

    With `longest` 1 the units are words, else the listed phrases of two and more words.
    """
    for p in range(len(places)):
        a, b = first[places[p]], first[places[p] + 1]
        for i in range(a, b):
            value = np.uint64(EMPTY_RUN)
            for length in range(1, min(longest, b - i) + 1):
                unit = np.int64(tokens[i] >> 2)
                if longest > 1:
                    value = extend_hash(value, hashes[tokens[i + length - 1] >> 2])
                    h = settle_hash(value)
                    if length == 1 or not sieve[h % _SIEVE]:
                        continue
                    unit = np.searchsorted(listed, h)
                    if unit == len(listed) or listed[unit] != h:
                        continue
                if unit < low or unit >= high:
                    continue
                begin, end = max(a, i - distance), min(b, i + length + distance)
                at = fill[unit - low]
                if len(out):
                    for j in range(begin, end):
                        if j < i or j >= i + length:
                            out[at] = tokens[j] >> 2
                            at += 1
                    fill[unit - low] = at
                else:
                    fill[unit - low] = at + (end - begin - length)


@compiled
def _collapse(borders: Longs, neighbours: Words, width: int, first: Longs) -> tuple[Words, Words]:
    """Each unit's distinct neighbours, rising, and how often each one comes; fills `first`."""
    table = np.zeros(width, np.int32)
    contexts = np.empty(len(neighbours), np.int32)
    counts = np.empty(len(neighbours), np.int32)
    end = 0
    for u in range(len(borders) - 1):
        begin = end
        for i in range(borders[u], borders[u + 1]):
            word = neighbours[i]
            if table[word] == 0:
                contexts[end] = word
                end += 1
            table[word] += 1
        contexts[begin:end] = np.sort(contexts[begin:end])
        for i in range(begin, end):
            counts[i] = table[contexts[i]]
            table[contexts[i]] = 0
        first[u + 1] = end
    return contexts[:end].copy(), counts[:end].copy()


@dataclass(frozen=True, slots=True)
class Counted:
    """The neighbours of some units: unit u has contexts[first[u] : first[u + 1]], each so often."""

    first: Longs
    contexts: Words
    counts: Words


@dataclass(frozen=True)
class Documents:
    """Documents to be counted: the tokens of segments and the places of those that count."""

    parts: Sequence[tuple[Points, Longs, Longs]]  # tokens, where documents begin, places
    hashes: Longs  # of every word of the vocabulary

    def words(self, distance: int, room: int) -> Iterator[Counted]:
        """The neighbours of every word of the vocabulary, a run of words at a time."""
        nothing = np.zeros(0, np.int64)
        yield from self._count(len(self.hashes), nothing, np.zeros(0, np.bool_), 1, distance, room)

    def phrases(self, phrases: Phrases, distance: int, room: int) -> Iterator[Counted]:
        """The neighbours of every listed phrase, a run of phrases at a time."""
        sieve = np.zeros(_SIEVE, np.bool_)
        sieve[phrases.hashes % _SIEVE] = True
        yield from self._count(len(phrases), phrases.hashes, sieve, LONGEST, distance, room)

    def _count(self, units: int, listed: Longs, sieve: Bools, longest: int, distance: int,
               room: int) -> Iterator[Counted]:  # fmt: skip
        def visit(low: int, high: int, fill: Longs, out: Words) -> None:
            for tokens, first, places in self.parts:
                _visit(tokens, first, places, self.hashes, listed, sieve, longest, distance, low, high, fill,
                       out)  # fmt: skip

        sizes = np.zeros(units, np.int64)
        visit(0, units, sizes, np.zeros(0, np.int32))
        borders = np.concatenate([[0], np.cumsum(sizes)])
        ranges = _ranges(borders, room // (2 * _EVENT))
        for i in range(0, len(ranges), 2):  # two at a time, so that two cores have work
            yield from in_threads(lambda r: _run(*r, borders, visit, len(self.hashes)), ranges[i : i + 2])


def _ranges(borders: Longs, most: int) -> list[tuple[int, int]]:
    """Runs of units that have at most so many neighbours together, or one unit with more."""
    ranges, low = [], 0
    while low < len(borders) - 1:
        high = int(np.searchsorted(borders, borders[low] + max(1, most), side="right")) - 1
        ranges.append((low, max(high, low + 1)))
        low = ranges[-1][1]
    return ranges


def _run(low: int, high: int, borders: Longs, visit: Callable[[int, int, Longs, Words], None],
         width: int) -> Counted:  # fmt: skip
    own = borders[low : high + 1] - borders[low]
    neighbours = np.empty(own[-1], np.int32)
    if len(neighbours):
        visit(low, high, own[:-1].copy(), neighbours)
    first = np.zeros(len(own), np.int64)
    return Counted(first, *_collapse(own, neighbours, width, first))
