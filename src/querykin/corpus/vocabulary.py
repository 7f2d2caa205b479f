"""The vocabulary of a corpus: word ids and stems in memory-mapped arrays.

Ids are assigned in the order in which words are first seen, and never change. The stem of every word is a
word of the vocabulary itself, even if no document contains it, so stems have ids that are as stable. So is
the folded form of every word, with the word's stem: "informacao" has the stem of "informação", which the
stemmer does not find in it.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int32Array, Int64Array, grow
from querykin.compute.jit import njit
from querykin.corpus.word_table import UNKNOWN, WordTable, no_slots
from querykin.errors import DamagedFile
from querykin.storage.array_files import load, load_offsets, save, within
from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.text.tokenizer import Tokens, tokens_of_words


@njit
def _forms(stem: Int32Array) -> tuple[Int32Array, Int32Array]:
    indptr, words = np.zeros(len(stem) + 1, np.int32), np.empty(len(stem), np.int32)
    for word in range(len(stem)):
        indptr[stem[word] + 1] += 1
    for root in range(len(stem)):
        indptr[root + 1] += indptr[root]
    fill = indptr.copy()
    for word in range(len(stem)):
        words[fill[stem[word]]] = word
        fill[stem[word]] += 1
    return indptr, words


@dataclass
class Vocabulary(WordTable):
    """The words of a corpus and their ids."""

    stem: Int32Array  # the id of each word's stem
    analyzer: Analyzer = DEFAULT
    _forms: tuple[Int32Array, Int32Array] = field(
        default=(np.zeros(1, np.int32), np.zeros(0, np.int32)), init=False, repr=False
    )

    @classmethod
    def empty(cls, analyzer: Analyzer = DEFAULT) -> "Vocabulary":
        """A vocabulary without words."""
        return cls(
            0,
            no_slots(),
            np.zeros(0, np.int64),
            np.zeros(0, np.uint32),
            np.zeros(1, np.int64),
            np.zeros(0, np.int32),
            analyzer,
        )

    @classmethod
    def open(cls, folder: Path, analyzer: Analyzer = DEFAULT) -> "Vocabulary":
        """Memory-map a vocabulary that was saved with the same analyzer."""
        hashes = load(folder, "hashes", types=np.int64)
        arena = load(folder, "arena", within(0, 0x110000), types=np.uint32)  # code points
        count = len(hashes)
        ends = load_offsets(folder, "ends", len(arena), count)
        stem = load(folder, "stem", within(0, count), count, np.int32)
        table = load(folder, "table", within(UNKNOWN, count), types=np.int32)
        # A search ends at a slot that is free.
        if len(table) & (len(table) - 1) or not 0 < (table == UNKNOWN).sum() == len(table) - count:
            raise DamagedFile(folder / "table.npy", "it has not one slot for each word")
        return cls(count, table, hashes, arena, ends, stem, analyzer)

    def save(self, folder: Path) -> None:
        """Write the vocabulary as arrays."""
        save(
            folder,
            table=self.compact_table(),
            hashes=self.hashes[: self.count],
            stem=self.stem[: self.count],
            arena=self.arena[: self.ends[self.count]],
            ends=self.ends[: self.count + 1],
        )

    def stems(self) -> Int32Array:
        """The id of every word's stem."""
        return self.stem[: self.count]

    @property
    def forms(self) -> tuple[Int32Array, Int32Array]:
        """The words of each stem in CSR layout (indptr, words); cached until the vocabulary grows."""
        if len(self._forms[1]) != self.count:
            self._forms = _forms(self.stems())
        return self._forms

    def lookup_stems(self, tokens: Tokens) -> tuple[Int32Array, Int64Array]:
        """The id of each token's stem, found even if only another form is known, and the stem's hash."""
        ids = self.lookup(tokens)
        known = ids != UNKNOWN
        ids[known] = self.stem[ids[known]]
        hashes = np.empty(len(ids), np.int64)
        hashes[known] = self.hashes[ids[known]]
        unknown = np.flatnonzero(~known)
        if len(unknown):
            _, first, inverse = np.unique(tokens.hashes[unknown], return_index=True, return_inverse=True)
            stem_ids, stem_hashes = self._stems_of([tokens.word(int(i)) for i in unknown[first]])
            ids[unknown], hashes[unknown] = stem_ids[inverse], stem_hashes[inverse]
        return ids, hashes

    def _stems_of(self, words: list[str]) -> tuple[Int32Array, Int64Array]:
        """The stems of words in the first language in which they are known; else in the main language."""
        stems = self.analyzer.stem_tokens(words)
        ids, hashes = self.lookup(stems), stems.hashes
        for language in range(1, len(self.analyzer.languages)):
            others = self.analyzer.stem_tokens(words, language)
            other_ids = self.lookup(others)
            better = (ids == UNKNOWN) & (other_ids != UNKNOWN)
            ids, hashes = np.where(better, other_ids, ids), np.where(better, others.hashes, hashes)
        return ids, hashes

    def add(self, tokens: Tokens, languages: Int64Array | None = None) -> Int32Array:
        """The id of each token; new words are added, with their stems and folded forms.

        `languages` has for each token the number of its text's language in the analyzer; without it, all are
        in the main language.
        """
        begin = self.count
        ids = self.add_words(tokens)
        end = self.count
        language_of = np.zeros(end - begin, np.int64)  # of each new word
        if languages is not None and end > begin:
            new, first = np.unique(ids, return_index=True)
            language_of[new[new >= begin] - begin] = languages[first[new >= begin]]
        # Stems are added as words and have stems themselves: stemming is not idempotent.
        before = begin
        while self.count > before:
            after = self.count
            roots, language_of = self._add_stems(before, after, language_of)
            self.stem = grow(self.stem, after)
            self.stem[before:after] = roots
            before = after
        self._add_folded_forms(begin, end)
        return ids

    def _add_stems(self, begin: int, end: int, language_of: Int64Array) -> tuple[Int32Array, Int64Array]:
        """The stems of new words, as ids, and the language of each stem that was not yet known."""
        roots = np.empty(end - begin, np.int32)
        languages = [np.zeros(0, np.int64)]
        for language in np.unique(language_of):
            which = np.flatnonzero(language_of == language)
            before = self.count
            stems = self.analyzer.stem_tokens([self.word(begin + int(i)) for i in which], int(language))
            roots[which] = self.add_words(stems)
            languages.append(np.full(self.count - before, language))
        return roots, np.concatenate(languages)

    def _add_folded_forms(self, begin: int, end: int) -> None:
        """Give new words that fold to the same form, and the form itself, one stem: that of the first."""
        letters = self.arena[self.ends[begin] : self.ends[end]]
        if begin == end or letters.max() < 128:
            return
        not_ascii = np.logical_or.reduceat(letters >= 128, self.ends[begin:end] - self.ends[begin])
        words = [begin + int(i) for i in np.flatnonzero(not_ascii)]
        folded = {word: self.analyzer.fold(self.word(word)) for word in words}
        words = [word for word in words if folded[word] != self.word(word)]
        if not words:
            return
        forms = self.add_words(tokens_of_words([folded[word] for word in words])).tolist()
        self.stem = grow(self.stem, self.count)
        settled = set[int]()
        for word, form in zip(words, forms, strict=True):
            if form < begin or form in settled:
                self.stem[word] = self.stem[form]
            else:
                self.stem[form] = self.stem[word]
                settled.add(form)
