"""Which number has a word? A hash table that lives in arrays, so that opening it is a memory map.

Numbers are given once, in the order words are first seen, and never change. The stem of every word is a
word of the vocabulary too (it may occur nowhere), so a stem has a number that is as stable.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from querykin.compiled import Bools, Longs, Points, Words, compiled, roomy
from querykin.storage import load, save
from querykin.text import Tokens, decode, stems, tokenise

UNKNOWN = -1


@compiled
def _find(h: int, letters: Points, begin: int, length: int, table: Words, hashes: Longs, arena: Points,
          ends: Longs) -> tuple[int, int]:  # fmt: skip
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


@compiled
def _lookup(letters: Points, begin: Longs, length: Words, wanted: Longs, table: Words, hashes: Longs,
            arena: Points, ends: Longs) -> Words:  # fmt: skip
    found = np.empty(len(begin), np.int32)
    for i in range(len(begin)):
        found[i] = _find(wanted[i], letters, begin[i], length[i], table, hashes, arena, ends)[0]
    return found


@compiled
def _insert(letters: Points, begin: Longs, length: Words, wanted: Longs, ids: Words, count: int,
            table: Words, hashes: Longs, arena: Points, ends: Longs) -> int:  # fmt: skip
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


@compiled
def _rehash(hashes: Longs, count: int, table: Words) -> None:
    mask = len(table) - 1
    for word in range(count):
        place = hashes[word] & mask
        while table[place] != UNKNOWN:
            place = (place + 1) & mask
        table[place] = word


def _roots(words: list[str]) -> Tokens:
    """The stems of words, one token each; a word whose stem is not one token is its own."""
    roots = tokenise(stems(words))
    if len(roots.begin) != len(words):
        kept = [root if len(tokenise([root]).begin) == 1 else word
                for root, word in zip(stems(words), words, strict=True)]  # fmt: skip
        roots = tokenise(kept)
    return roots


@compiled
def _forms(stem: Words) -> tuple[Words, Words]:
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
    table: Words
    hashes: Longs
    arena: Points
    ends: Longs
    stem: Words  # the number of each word's stem
    _forms: tuple[Words, Words] = field(
        default=(np.zeros(1, np.int32), np.zeros(0, np.int32)), init=False, repr=False
    )

    @classmethod
    def empty(cls) -> "Vocabulary":
        """A vocabulary without words."""
        return cls(0, np.full(1024, UNKNOWN, np.int32), np.zeros(0, np.int64), np.zeros(0, np.uint32),
                   np.zeros(1, np.int64), np.zeros(0, np.int32))  # fmt: skip

    @classmethod
    def open(cls, folder: Path) -> "Vocabulary":
        """Map a saved vocabulary into memory."""
        arrays = {name: load(folder, name) for name in ("table", "hashes", "arena", "ends", "stem")}
        return cls(count=len(arrays["stem"]), **arrays)

    def save(self, folder: Path) -> None:
        """Write the vocabulary as arrays."""
        save(folder, table=self.table, hashes=self.hashes[: self.count], stem=self.stem[: self.count],
             arena=self.arena[: self.ends[self.count]], ends=self.ends[: self.count + 1])  # fmt: skip

    def word(self, number: int) -> str:
        """The word of a number."""
        return decode(self.arena[self.ends[number] : self.ends[number + 1]])

    def stems(self) -> Words:
        """The number of every word's stem."""
        return self.stem[: self.count]

    @property
    def forms(self) -> tuple[Words, Words]:
        """Where the words of every stem begin, and the words; made once for as many as there are."""
        if len(self._forms[1]) != self.count:
            self._forms = _forms(self.stems())
        return self._forms

    def lookup(self, tokens: Tokens) -> Words:
        """The number of every token; UNKNOWN (-1) where the corpus has never seen the word."""
        return _lookup(tokens.letters, tokens.begin, tokens.length, tokens.hashes,
                       self.table, self.hashes, self.arena, self.ends)  # fmt: skip

    def lookup_stems(self, tokens: Tokens) -> tuple[Words, Longs]:
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

    def add(self, tokens: Tokens) -> Words:
        """Number every token, new words included."""
        before = self.count
        ids = self._number(tokens)
        # Stems are words, and theirs are too: Porter's rules are not idempotent.
        while self.count > before:
            seen = self.count
            roots = self._number(_roots([self.word(i) for i in range(before, seen)]))
            self.stem = roomy(self.stem, seen)
            self.stem[before:seen] = roots
            before = seen
        return ids

    def _number(self, tokens: Tokens) -> Words:
        ids = self.lookup(tokens)
        new: Bools = ids == UNKNOWN
        if new.any():
            size = self.count + int(new.sum())
            self.hashes = roomy(self.hashes, size)
            self.ends = roomy(self.ends, size + 1)
            self.arena = roomy(self.arena, int(self.ends[self.count] + tokens.length[new].sum()))
            if 2 * size > len(self.table):
                self.table = np.full(1 << (4 * size - 1).bit_length(), UNKNOWN, np.int32)
                _rehash(self.hashes, self.count, self.table)
            self.count = _insert(tokens.letters, tokens.begin, tokens.length, tokens.hashes, ids,
                                 self.count, self.table, self.hashes, self.arena, self.ends)  # fmt: skip
        return ids
