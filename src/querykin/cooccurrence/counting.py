"""Co-occurrence counting over the token store in bounded memory.

A unit is a word or a listed phrase. Its contexts are the words up to `distance` before its first word and
after its last word, inside one document. The tokens are read several times, each time for as many units as
fit in memory: first the number of occurrences of contexts of every unit, then the context words themselves,
unit by unit, which are then sorted and counted. A unit with more than fit is counted in a table of all words.
Threads share out the documents, so that no token is read twice in a pass.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, UInt32Array, make_indptr
from querykin.compute.cpus import available_cpus
from querykin.compute.jit import njit
from querykin.compute.sorting import first_at_least, sort_in_place
from querykin.compute.threads import thread_map
from querykin.cooccurrence.phrases import MAX_WORDS, Phrases
from querykin.text.hashing import FNV_OFFSET, extend_hash, finalize_hash

_BYTES_PER_CONTEXT = 8  # of one occurrence of a context while it is counted: its word and its count
_FILTER_BITS = 1 << 22  # phrase hashes are looked up by their low bits before they are searched in the list


class DocumentTokens(NamedTuple):
    """The tokens of a segment, and the ordinals of the documents that are counted."""

    tokens: UInt32Array
    indptr: Int64Array
    ordinals: Int64Array


class Units(NamedTuple):
    """The words of the vocabulary if `max_words` is 1, else the listed phrases of two and more words."""

    word_hashes: Int64Array
    phrase_hashes: Int64Array
    phrase_filter: BoolArray  # by the low bits of a hash: false if no phrase has it
    max_words: int


class Sink(NamedTuple):
    """Where context words go.

    `fill` has the next position in `out` of each unit. An empty `out` only counts; with `tally` there is one
    unit, and `out` has a counter for each word.
    """

    fill: Int64Array
    out: Int32Array
    tally: bool


@njit
def _collect(
    tokens: UInt32Array, begin: int, unit_begin: int, unit_end: int, end: int, out: Int32Array, at: int
) -> int:
    """Write the words from `begin` to `end`, except the unit, to `out`; returns the new position."""
    for j in range(begin, end):
        if not unit_begin <= j < unit_end:
            out[at] = tokens[j] >> 2
            at += 1
    return at


@njit
def _tally(
    tokens: UInt32Array, begin: int, unit_begin: int, unit_end: int, end: int, counts: Int32Array
) -> None:
    """Count the words from `begin` to `end`, except the unit."""
    for j in range(begin, end):
        if not unit_begin <= j < unit_end:
            counts[tokens[j] >> 2] += 1


@njit
def _visit(documents: DocumentTokens, units: Units, distance: int, low: int, high: int, sink: Sink) -> None:
    """Write the contexts of the units from `low` to `high` in some documents to a sink."""
    tokens, indptr, ordinals = documents.tokens, documents.indptr, documents.ordinals
    hashes, listed, listed_bits = units.word_hashes, units.phrase_hashes, units.phrase_filter
    max_words, fill, out = units.max_words, sink.fill, sink.out
    for p in range(len(ordinals)):
        a, b = indptr[ordinals[p]], indptr[ordinals[p] + 1]
        for i in range(a, b):
            value = np.uint64(FNV_OFFSET)
            for length in range(1, min(max_words, b - i) + 1):
                unit = np.int64(tokens[i] >> 2)
                if max_words > 1:
                    value = extend_hash(value, hashes[tokens[i + length - 1] >> 2])
                    h = finalize_hash(value)
                    if length == 1 or not listed_bits[h % _FILTER_BITS]:
                        continue
                    unit = np.int64(first_at_least(listed, h))
                    if unit == len(listed) or listed[unit] != h:
                        continue
                if unit < low or unit >= high:
                    continue
                begin, end = max(a, i - distance), min(b, i + length + distance)
                at = fill[unit - low]
                if sink.tally:
                    _tally(tokens, begin, i, i + length, end, out)
                elif len(out):
                    fill[unit - low] = _collect(tokens, begin, i, i + length, end, out, at)
                else:
                    fill[unit - low] = at + (end - begin - length)


@njit
def _count_distinct(
    indptr: Int64Array, contexts: Int32Array, counts: Int32Array, table: Int32Array, sizes: Int64Array
) -> int:
    """Replace each unit's context words by the distinct ones, ascending, and write their counts.

    Writes the number of distinct contexts of each unit to `sizes`; returns their total. `table` has a 0 for
    every word.
    """
    end = 0
    for u in range(len(indptr) - 1):
        begin = end
        for i in range(indptr[u], indptr[u + 1]):
            word = contexts[i]
            if table[word] == 0:
                contexts[end] = word  # never past i: what is overwritten has been read
                end += 1
            table[word] += 1
        sort_in_place(contexts[begin:end])
        for i in range(begin, end):
            counts[i] = table[contexts[i]]
            table[contexts[i]] = 0
        sizes[u] = end - begin
    return end


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """The contexts of consecutive units, and their counts: unit u has the next `sizes[u]` contexts."""

    sizes: Int64Array
    marginals: Int64Array  # the sum of each unit's counts
    contexts: Int32Array
    counts: Int32Array


@dataclass(frozen=True)
class Documents:
    """Documents whose co-occurrences are counted."""

    parts: Sequence[DocumentTokens]
    hashes: Int64Array  # of every word of the vocabulary

    def words(self, distance: int, max_bytes: int) -> Iterator[UnitCounts]:
        """The contexts of every word of the vocabulary, a range of words at a time."""
        units = Units(self.hashes, np.zeros(0, np.int64), np.zeros(0, np.bool_), 1)
        yield from _Counter(self.parts, units, distance).count(len(self.hashes), max_bytes)

    def phrases(self, phrases: Phrases, distance: int, max_bytes: int) -> Iterator[UnitCounts]:
        """The contexts of every listed phrase, a range of phrases at a time."""
        phrase_filter = np.zeros(_FILTER_BITS, np.bool_)
        phrase_filter[phrases.hashes % _FILTER_BITS] = True
        units = Units(self.hashes, phrases.hashes, phrase_filter, MAX_WORDS)
        yield from _Counter(self.parts, units, distance).count(len(phrases), max_bytes)


class _Counter:
    """Counts the contexts of units, with the documents shared out among threads."""

    def __init__(self, parts: Sequence[DocumentTokens], units: Units, distance: int) -> None:
        self._shares = _split(parts, available_cpus())
        self._units, self._distance = units, distance
        self._width = len(units.word_hashes)

    def _visit(self, share: Sequence[DocumentTokens], low: int, high: int, sink: Sink) -> None:
        for documents in share:
            _visit(documents, self._units, self._distance, low, high, sink)

    def count(self, units: int, max_bytes: int) -> Iterator[UnitCounts]:
        """The counts of all units in order, as many at a time as fit in memory."""

        def count_only(share: Sequence[DocumentTokens]) -> Int64Array:
            sizes = np.zeros(units, np.int64)
            self._visit(share, 0, units, Sink(sizes, np.zeros(0, np.int32), False))
            return sizes

        sizes = thread_map(count_only, self._shares)
        indptr = make_indptr(np.asarray(sum(sizes)))
        limit = _max_contexts(max_bytes, units, self._width)
        for low, high in unit_ranges(indptr, limit):
            if high == low + 1 and indptr[high] - indptr[low] > limit:
                yield self._count_in_table(low)
            else:
                yield from self._count_in_lists(low, high, [size[low:high] for size in sizes])

    def _count_in_lists(self, low: int, high: int, sizes: Sequence[Int64Array]) -> list[UnitCounts]:
        """Units whose contexts fit in memory; each share writes behind the shares before it."""
        indptr, shares = make_indptr(np.asarray(sum(sizes))), self._shares
        contexts = np.empty(indptr[-1], np.int32)
        if len(contexts):
            fills = [indptr[:-1] + sum(sizes[:share], np.int64(0)) for share in range(len(shares))]
            thread_map(
                lambda i: self._visit(shares[i], low, high, Sink(fills[i], contexts, False)),
                range(len(shares)),
            )

        def count_range(part: tuple[int, int]) -> UnitCounts:
            own = indptr[part[0] : part[1] + 1]
            words = contexts[own[0] : own[-1]]
            counts, distinct = np.empty(len(words), np.int32), np.empty(len(own) - 1, np.int64)
            end = _count_distinct(own - own[0], words, counts, np.zeros(self._width, np.int32), distinct)
            return UnitCounts(distinct, np.diff(own), words[:end], counts[:end])

        return thread_map(count_range, unit_ranges(indptr, -(-len(contexts) // len(shares))))

    def _count_in_table(self, unit: int) -> UnitCounts:
        """A unit with more contexts than fit, counted in tables of all words."""

        def tally(share: Sequence[DocumentTokens]) -> Int32Array:
            table = np.zeros(self._width, np.int32)
            self._visit(share, unit, unit + 1, Sink(np.zeros(1, np.int64), table, True))
            return table

        table, *others = thread_map(tally, self._shares)
        for other in others:
            table += other
        contexts = np.flatnonzero(table).astype(np.int32)
        counts = table[contexts]
        marginal = counts.sum(dtype=np.int64)
        return UnitCounts(np.array([len(contexts)]), np.array([marginal]), contexts, counts)


def _max_contexts(max_bytes: int, units: int, width: int) -> int:
    """How many occurrences of contexts fit in memory beside the tables that are always there."""
    tables = units * (16 * available_cpus() + 40) + width * 8 * available_cpus()
    return max(max_bytes - tables, max_bytes // 4) // _BYTES_PER_CONTEXT


def _split(parts: Sequence[DocumentTokens], count: int) -> list[list[DocumentTokens]]:
    """The documents in `count` shares with about equally many tokens."""
    shares: list[list[DocumentTokens]] = [[] for _ in range(count)]
    for tokens, indptr, ordinals in parts:
        ends = np.cumsum(indptr[ordinals + 1] - indptr[ordinals])
        total = int(ends[-1]) if len(ends) else 0
        cuts = np.searchsorted(ends, [total * n // count for n in range(1, count)], side="right")
        for share, own in zip(shares, np.split(ordinals, cuts), strict=True):
            share.append(DocumentTokens(tokens, indptr, own))
    return shares


def unit_ranges(indptr: Int64Array, limit: int) -> list[tuple[int, int]]:
    """Ranges of units with at most `limit` occurrences of contexts together, or of one unit with more."""
    ranges, low = [], 0
    while low < len(indptr) - 1:
        high = int(np.searchsorted(indptr, indptr[low] + max(1, limit), side="right")) - 1
        ranges.append((low, max(high, low + 1)))
        low = ranges[-1][1]
    return ranges
