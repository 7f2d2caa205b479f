"""Words and their ids in an open-addressing hash table over arrays."""

from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, UInt32Array, grow
from querykin.compute.jit import njit, njit_inlined
from querykin.text.tokenizer import Tokens, decode

UNKNOWN = -1
_MIN_SLOTS = 1024


@njit_inlined
def _find(
    h: int,
    codepoints: UInt32Array,
    begin: int,
    length: int,
    table: Int32Array,
    hashes: Int64Array,
    arena: UInt32Array,
    ends: Int64Array,
) -> tuple[int, int]:
    """The id of a word, or UNKNOWN, and its slot in the table (linear probing)."""
    mask = len(table) - 1
    slot = h & mask
    while table[slot] != UNKNOWN:
        word = table[slot]
        if hashes[word] == h:
            at = ends[word]
            same = ends[word + 1] - at == length
            i = 0
            while same and i < length:
                same = arena[at + i] == codepoints[begin + i]
                i += 1
            if same:
                return word, slot
        slot = (slot + 1) & mask
    return UNKNOWN, slot


@njit
def _lookup(
    codepoints: UInt32Array,
    begin: Int64Array,
    length: Int32Array,
    token_hashes: Int64Array,
    table: Int32Array,
    hashes: Int64Array,
    arena: UInt32Array,
    ends: Int64Array,
) -> Int32Array:
    ids = np.empty(len(begin), np.int32)
    for i in range(len(begin)):
        ids[i] = _find(token_hashes[i], codepoints, begin[i], length[i], table, hashes, arena, ends)[0]
    return ids


@njit
def _insert(
    codepoints: UInt32Array,
    begin: Int64Array,
    length: Int32Array,
    token_hashes: Int64Array,
    ids: Int32Array,
    count: int,
    table: Int32Array,
    hashes: Int64Array,
    arena: UInt32Array,
    ends: Int64Array,
) -> int:
    """Assign ids to unknown words; the arrays must be large enough. Returns the new count."""
    for i in range(len(begin)):
        if ids[i] != UNKNOWN:
            continue
        word, slot = _find(token_hashes[i], codepoints, begin[i], length[i], table, hashes, arena, ends)
        if word == UNKNOWN:
            word, at = count, ends[count]
            for j in range(length[i]):
                arena[at + j] = codepoints[begin[i] + j]
            ends[count + 1] = at + length[i]
            hashes[word] = token_hashes[i]
            table[slot] = word
            count += 1
        ids[i] = word
    return count


@njit
def _rehash(hashes: Int64Array, count: int, table: Int32Array) -> None:
    mask = len(table) - 1
    for word in range(count):
        slot = hashes[word] & mask
        while table[slot] != UNKNOWN:
            slot = (slot + 1) & mask
        table[slot] = word


@dataclass
class WordTable:
    """Distinct words with ids in the order in which they were added."""

    count: int
    table: Int32Array  # slot -> word id; its size is a power of two
    hashes: Int64Array
    arena: UInt32Array  # the code points of all words, concatenated
    ends: Int64Array  # word i is arena[ends[i]:ends[i + 1]]

    @classmethod
    def empty(cls) -> "WordTable":
        """A table without words."""
        return cls(0, no_slots(), np.zeros(0, np.int64), np.zeros(0, np.uint32), np.zeros(1, np.int64))

    def word(self, number: int) -> str:
        """The word with an id."""
        return decode(self.arena[self.ends[number] : self.ends[number + 1]])

    def tokens(self) -> Tokens:
        """The words as tokens, each a text of its own."""
        ends = self.ends[: self.count + 1]
        return words_as_tokens(self.arena, ends, self.hashes[: self.count])

    def lookup(self, tokens: Tokens) -> Int32Array:
        """The id of each token; UNKNOWN (-1) for a word that is not in the vocabulary."""
        return _lookup(
            tokens.codepoints,
            tokens.begin,
            tokens.length,
            tokens.hashes,
            self.table,
            self.hashes,
            self.arena,
            self.ends,
        )

    def add_words(self, tokens: Tokens) -> Int32Array:
        """The id of each token; unknown words are added."""
        ids = self.lookup(tokens)
        new: BoolArray = ids == UNKNOWN
        if new.any():
            size = self.count + int(new.sum())
            self.hashes = grow(self.hashes, size)
            self.ends = grow(self.ends, size + 1)
            self.arena = grow(self.arena, int(self.ends[self.count] + tokens.length[new].sum()))
            if 2 * size > len(self.table):
                self.table = np.full(_slots(size), UNKNOWN, np.int32)
                _rehash(self.hashes, self.count, self.table)
            self.count = _insert(
                tokens.codepoints,
                tokens.begin,
                tokens.length,
                tokens.hashes,
                ids,
                self.count,
                self.table,
                self.hashes,
                self.arena,
                self.ends,
            )
        return ids

    def compact_table(self) -> Int32Array:
        """The hash table in the size that follows from the number of words alone."""
        slots = _slots(self.count)
        if len(self.table) == slots:
            return self.table
        table = np.full(slots, UNKNOWN, np.int32)
        _rehash(self.hashes, self.count, table)
        return table


def words_as_tokens(arena: UInt32Array, ends: Int64Array, hashes: Int64Array) -> Tokens:
    """Words that are arena[ends[i]:ends[i + 1]] as tokens, each a text of its own."""
    count = len(hashes)
    lengths = np.diff(ends).astype(np.int32)
    return Tokens(
        np.arange(count + 1), ends[:-1], lengths, np.zeros(count, np.uint8), hashes, arena, ends[:-1]
    )


def no_slots() -> Int32Array:
    """The hash table of no words."""
    return np.full(_MIN_SLOTS, UNKNOWN, np.int32)


def _slots(words: int) -> int:
    """The size of a hash table, of which at most a quarter is used."""
    return max(_MIN_SLOTS, 1 << (4 * words - 1).bit_length())
