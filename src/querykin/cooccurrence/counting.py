"""Which words stand near which? Neighbours within a few words, counted over the token store.

A unit is a word or a listed phrase. Its neighbours are the words up to `distance` before its first and after
its last word, inside one document. Memory is bounded by going over the tokens several times, each time for as
many units as fit: first how many neighbours every unit has, then the neighbours themselves, side by side,
then each unit's own sorted and summed. A unit that has more of them than fit is counted in a table of all
words. Threads share the documents, so that nothing is looked at twice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, UInt32Array, make_indptr
from querykin.compute.jit import njit
from querykin.compute.threads import cores, thread_map
from querykin.cooccurrence.phrases import LONGEST, Phrases
from querykin.text.hashing import FNV_OFFSET, extend_hash, finalize_hash

DISTANCE = 3  # words (Alfonseca et al. 2009)
MAX_DISTANCE = 20  # that can be asked for: memory and time grow with the distance
MEMORY = 1024  # MiB that counting may take
ROOM = MEMORY << 20
_EVENT = 8  # bytes of one neighbour while it is counted: the word, and how often it comes
_SIEVE = 1 << 22  # of a phrase's hash the last bits are looked up before the list is


@njit
def _note(
    tokens: UInt32Array, begin: int, indptr: int, after: int, end: int, out: Int32Array, at: int, tally: bool
) -> int:
    """The words of a stretch but for a unit in it: into `out` from `at` on, or counted by their numbers."""
    for j in range(begin, end):
        if indptr <= j < after:
            continue
        if tally:
            out[tokens[j] >> 2] += 1
        else:
            out[at] = tokens[j] >> 2
            at += 1
    return at


@njit
def _visit(
    tokens: UInt32Array,
    indptr: Int64Array,
    ordinals: Int64Array,
    hashes: Int64Array,
    listed: Int64Array,
    sieve: BoolArray,
    longest: int,
    distance: int,
    low: int,
    high: int,
    fill: Int64Array,
    out: Int32Array,
    tally: bool,
) -> None:
    """Add how many neighbours units low to high have to `fill`, and the neighbours to `out` if it has room.

    With `tally` there is one unit, and `out` counts its neighbours by their numbers. With `longest` 1 the
    units are words, else the listed phrases of two and more words.
    """
    for p in range(len(ordinals)):
        a, b = indptr[ordinals[p]], indptr[ordinals[p] + 1]
        for i in range(a, b):
            value = np.uint64(FNV_OFFSET)
            for length in range(1, min(longest, b - i) + 1):
                unit = np.int64(tokens[i] >> 2)
                if longest > 1:
                    value = extend_hash(value, hashes[tokens[i + length - 1] >> 2])
                    h = finalize_hash(value)
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
                    fill[unit - low] = _note(tokens, begin, i, i + length, end, out, at, tally)
                else:
                    fill[unit - low] = at + (end - begin - length)


@njit
def _collapse(
    borders: Int64Array, context_words: Int32Array, counts: Int32Array, table: Int32Array, sizes: Int64Array
) -> int:
    """Put each unit's distinct neighbours, rising, at the front, and how often each comes into `counts`.

    `sizes` says how many each unit has; returns how many there are. `table` has a 0 for every word.
    """
    end = 0
    for u in range(len(borders) - 1):
        begin = end
        for i in range(borders[u], borders[u + 1]):
            word = context_words[i]
            if table[word] == 0:
                context_words[end] = word  # never past i: what is overwritten has been read
                end += 1
            table[word] += 1
        context_words[begin:end] = np.sort(context_words[begin:end])
        for i in range(begin, end):
            counts[i] = table[context_words[i]]
            table[context_words[i]] = 0
        sizes[u] = end - begin
    return end


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """The neighbours of some units: each has the next so many contexts, each context so often."""

    sizes: Int64Array  # how many contexts each unit has
    marginals: Int64Array  # how many neighbours it has
    contexts: Int32Array
    counts: Int32Array


Part = tuple[UInt32Array, Int64Array, Int64Array]  # tokens, where documents begin, places of those that count
Visit = Callable[[Sequence[Part], int, int, Int64Array, Int32Array, bool], None]


@dataclass(frozen=True)
class Documents:
    """Documents to be counted: the tokens of segments and the places of those that count."""

    parts: Sequence[Part]
    hashes: Int64Array  # of every word of the vocabulary

    def words(self, distance: int, room: int) -> Iterator[UnitCounts]:
        """The neighbours of every word of the vocabulary, a run of words at a time."""
        nothing = np.zeros(0, np.int64)
        yield from self._count(len(self.hashes), nothing, np.zeros(0, np.bool_), 1, distance, room)

    def phrases(self, phrases: Phrases, distance: int, room: int) -> Iterator[UnitCounts]:
        """The neighbours of every listed phrase, a run of phrases at a time."""
        sieve = np.zeros(_SIEVE, np.bool_)
        sieve[phrases.hashes % _SIEVE] = True
        yield from self._count(len(phrases), phrases.hashes, sieve, LONGEST, distance, room)

    def _count(
        self, units: int, listed: Int64Array, sieve: BoolArray, longest: int, distance: int, room: int
    ) -> Iterator[UnitCounts]:
        def visit(
            share: Sequence[Part], low: int, high: int, fill: Int64Array, out: Int32Array, tally: bool
        ) -> None:
            for tokens, indptr, ordinals in share:
                _visit(
                    tokens,
                    indptr,
                    ordinals,
                    self.hashes,
                    listed,
                    sieve,
                    longest,
                    distance,
                    low,
                    high,
                    fill,
                    out,
                    tally,
                )

        def sized(share: Sequence[Part]) -> Int64Array:
            sizes = np.zeros(units, np.int64)
            visit(share, 0, units, sizes, np.zeros(0, np.int32), False)
            return sizes

        shares = _shares(self.parts, cores())
        sizes = thread_map(sized, shares)
        borders = make_indptr(np.asarray(sum(sizes)))
        most = _most(room, units, len(self.hashes))
        for low, high in _ranges(borders, most):
            if high == low + 1 and borders[high] - borders[low] > most:
                yield _tallied(low, shares, visit, len(self.hashes))
            else:
                own = [size[low:high] for size in sizes]
                yield from _laid_out(low, high, shares, own, visit, len(self.hashes))


def _most(room: int, units: int, width: int) -> int:
    """How many neighbours fit into so many bytes at once, beside the tables that are there in any case."""
    tables = units * (16 * cores() + 40) + width * 8 * cores()
    return max(room - tables, room // 4) // _EVENT


def _shares(parts: Sequence[Part], count: int) -> list[list[Part]]:
    """The documents in so many shares of about as many words."""
    shares: list[list[Part]] = [[] for _ in range(count)]
    for tokens, indptr, ordinals in parts:
        words = np.cumsum(indptr[ordinals + 1] - indptr[ordinals])
        total = int(words[-1]) if len(words) else 0
        cuts = np.searchsorted(words, [total * n // count for n in range(1, count)], side="right")
        for share, some in zip(shares, np.split(ordinals, cuts), strict=True):
            share.append((tokens, indptr, some))
    return shares


def _ranges(borders: Int64Array, most: int) -> list[tuple[int, int]]:
    """Runs of units that have at most so many neighbours together, or one unit with more."""
    ranges, low = [], 0
    while low < len(borders) - 1:
        high = int(np.searchsorted(borders, borders[low] + max(1, most), side="right")) - 1
        ranges.append((low, max(high, low + 1)))
        low = ranges[-1][1]
    return ranges


def _laid_out(
    low: int,
    high: int,
    shares: Sequence[Sequence[Part]],
    sizes: Sequence[Int64Array],
    visit: Visit,
    width: int,
) -> list[UnitCounts]:
    """Units whose neighbours fit side by side: a share writes its own behind those of the shares before."""
    borders = make_indptr(np.asarray(sum(sizes)))
    context_words = np.empty(borders[-1], np.int32)
    if len(context_words):
        fills = [borders[:-1] + sum(sizes[:share], np.int64(0)) for share in range(len(shares))]
        thread_map(lambda i: visit(shares[i], low, high, fills[i], context_words, False), range(len(shares)))

    def summed(part: tuple[int, int]) -> UnitCounts:
        own = borders[part[0] : part[1] + 1]
        mine = context_words[own[0] : own[-1]]
        counts, distinct = np.empty(len(mine), np.int32), np.empty(len(own) - 1, np.int64)
        end = _collapse(own - own[0], mine, counts, np.zeros(width, np.int32), distinct)
        return UnitCounts(distinct, np.diff(own), mine[:end], counts[:end])

    return thread_map(summed, _ranges(borders, -(-len(context_words) // len(shares))))


def _tallied(unit: int, shares: Sequence[Sequence[Part]], visit: Visit, width: int) -> UnitCounts:
    """A unit with more neighbours than fit, counted in tables of all words."""

    def tallied(share: Sequence[Part]) -> Int32Array:
        table = np.zeros(width, np.int32)
        visit(share, unit, unit + 1, np.zeros(1, np.int64), table, True)
        return table

    table, *others = thread_map(tallied, shares)
    for other in others:
        table += other
    contexts = np.flatnonzero(table).astype(np.int32)
    counts = table[contexts]
    return UnitCounts(np.array([len(contexts)]), np.array([counts.sum(dtype=np.int64)]), contexts, counts)
