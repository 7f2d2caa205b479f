"""Which number has a word? A hash table that lives in arrays, so that opening it is a memory map.

Numbers are given once, in the order words are first seen, and never change. The stem of every word is a
word of the vocabulary too (it may occur nowhere), so a stem has a number that is as stable.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from querykin.compute.arrays import BoolArray, Int32Array, Int64Array, UInt32Array, grow
from querykin.compute.jit import njit
from querykin.storage.array_files import load, save
from querykin.text.stemming import stems
from querykin.text.tokenizer import Tokens, decode, tokenize

UNKNOWN = -1


@njit
def _find(
    h: int,
    letters: UInt32Array,
    begin: int,
    length: int,
    table: Int32Array,
    hashes: Int64Array,
    arena: UInt32Array,
    ends: Int64Array,
) -> tuple[int, int]:
    """The number of a word (or UNKNOWN) and its place in the table."""
    mask = len(table) - 1
    place = h & mask
    while table[place] != UNKNOWN:
        word = table[place]
        if hashes[word] == h:
            at = ends[word]
            same = ends[word + 1] - at == length
            i = 0
            while same and i < length:
                same = arena[at + i] == letters[begin + i]
                i += 1
            if same:
                return word, place
        place = (place + 1) & mask
    return UNKNOWN, place


@njit
def _lookup(
    letters: UInt32Array,
    begin: Int64Array,
    length: Int32Array,
    wanted: Int64Array,
    table: Int32Array,
    hashes: Int64Array,
    arena: UInt32Array,
    ends: Int64Array,
) -> Int32Array:
    found = np.empty(len(begin), np.int32)
    for i in range(len(begin)):
        found[i] = _find(wanted[i], letters, begin[i], length[i], table, hashes, arena, ends)[0]
    return found


@njit
def _insert(
    letters: UInt32Array,
    begin: Int64Array,
    length: Int32Array,
    wanted: Int64Array,
    ids: Int32Array,
    count: int,
    table: Int32Array,
    hashes: Int64Array,
    arena: UInt32Array,
    ends: Int64Array,
) -> int:
    """Number the words that have none yet; the arrays must have room. Returns the new count."""
    for i in range(len(begin)):
        if ids[i] != UNKNOWN:
            continue
        word, place = _find(wanted[i], letters, begin[i], length[i], table, hashes, arena, ends)
        if word == UNKNOWN:
            word, at = count, ends[count]
            for j in range(length[i]):
                arena[at + j] = letters[begin[i] + j]
            ends[count + 1] = at + length[i]
            hashes[word] = wanted[i]
            table[place] = word
            count += 1
        ids[i] = word
    return count


@njit
def _rehash(hashes: Int64Array, count: int, table: Int32Array) -> None:
    mask = len(table) - 1
    for word in range(count):
        place = hashes[word] & mask
        while table[place] != UNKNOWN:
            place = (place + 1) & mask
        table[place] = word


def _roots(words: list[str]) -> Tokens:
    """The stems of words, one token each; a word whose stem is not one token is its own."""
    roots = tokenize(stems(words))
    if len(roots.begin) != len(words):
        kept = [
            root if len(tokenize([root]).begin) == 1 else word
            for root, word in zip(stems(words), words, strict=True)
        ]
        roots = tokenize(kept)
    return roots


@njit
def _forms(stem: Int32Array) -> tuple[Int32Array, Int32Array]:
    first, words = np.zeros(len(stem) + 1, np.int32), np.empty(len(stem), np.int32)
    for word in range(len(stem)):
        first[stem[word] + 1] += 1
    for number in range(len(stem)):
        first[number + 1] += first[number]
    fill = first.copy()
    for word in range(len(stem)):
        words[fill[stem[word]]] = word
        fill[stem[word]] += 1
    return first, words


@dataclass
class Vocabulary:
    """The words of a corpus and their numbers."""

    count: int
    table: Int32Array
    hashes: Int64Array
    arena: UInt32Array
    ends: Int64Array
    stem: Int32Array  # the number of each word's stem
    _forms: tuple[Int32Array, Int32Array] = field(
        default=(np.zeros(1, np.int32), np.zeros(0, np.int32)), init=False, repr=False
    )

    @classmethod
    def empty(cls) -> "Vocabulary":
        """A vocabulary without words."""
        return cls(
            0,
            np.full(1024, UNKNOWN, np.int32),
            np.zeros(0, np.int64),
            np.zeros(0, np.uint32),
            np.zeros(1, np.int64),
            np.zeros(0, np.int32),
        )

    @classmethod
    def open(cls, folder: Path) -> "Vocabulary":
        """Map a saved vocabulary into memory."""
        arrays = {name: load(folder, name) for name in ("table", "hashes", "arena", "ends", "stem")}
        return cls(count=len(arrays["stem"]), **arrays)

    def save(self, folder: Path) -> None:
        """Write the vocabulary as arrays."""
        save(
            folder,
            table=self.table,
            hashes=self.hashes[: self.count],
            stem=self.stem[: self.count],
            arena=self.arena[: self.ends[self.count]],
            ends=self.ends[: self.count + 1],
        )

    def word(self, number: int) -> str:
        """The word of a number."""
        return decode(self.arena[self.ends[number] : self.ends[number + 1]])

    def stems(self) -> Int32Array:
        """The number of every word's stem."""
        return self.stem[: self.count]

    @property
    def forms(self) -> tuple[Int32Array, Int32Array]:
        """Where the words of every stem begin, and the words; made once for as many as there are."""
        if len(self._forms[1]) != self.count:
            self._forms = _forms(self.stems())
        return self._forms

    def lookup(self, tokens: Tokens) -> Int32Array:
        """The number of every token; UNKNOWN (-1) where the corpus has never seen the word."""
        return _lookup(
            tokens.letters,
            tokens.begin,
            tokens.length,
            tokens.hashes,
            self.table,
            self.hashes,
            self.arena,
            self.ends,
        )

    def lookup_stems(self, tokens: Tokens) -> tuple[Int32Array, Int64Array]:
        """The number of every token's stem, also where only another form is known, and the stem's hash."""
        numbers = self.lookup(tokens)
        known = numbers != UNKNOWN
        numbers[known] = self.stem[numbers[known]]
        hashes = np.empty(len(numbers), np.int64)
        hashes[known] = self.hashes[numbers[known]]
        unknown = np.flatnonzero(~known)
        if len(unknown):
            _, some, place = np.unique(tokens.hashes[unknown], return_index=True, return_inverse=True)
            roots = _roots([tokens.word(int(i)) for i in unknown[some]])
            numbers[unknown], hashes[unknown] = self.lookup(roots)[place], roots.hashes[place]
        return numbers, hashes

    def add(self, tokens: Tokens) -> Int32Array:
        """Number every token, new words included."""
        before = self.count
        ids = self._number(tokens)
        # Stems are words, and theirs are too: Porter's rules are not idempotent.
        while self.count > before:
            seen = self.count
            roots = self._number(_roots([self.word(i) for i in range(before, seen)]))
            self.stem = grow(self.stem, seen)
            self.stem[before:seen] = roots
            before = seen
        return ids

    def _number(self, tokens: Tokens) -> Int32Array:
        ids = self.lookup(tokens)
        new: BoolArray = ids == UNKNOWN
        if new.any():
            size = self.count + int(new.sum())
            self.hashes = grow(self.hashes, size)
            self.ends = grow(self.ends, size + 1)
            self.arena = grow(self.arena, int(self.ends[self.count] + tokens.length[new].sum()))
            if 2 * size > len(self.table):
                self.table = np.full(1 << (4 * size - 1).bit_length(), UNKNOWN, np.int32)
                _rehash(self.hashes, self.count, self.table)
            self.count = _insert(
                tokens.letters,
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
