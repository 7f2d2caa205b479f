"""Collection statistics: N, document frequencies and collection frequencies, exact after every deletion.

Each table of statistics has a version. Vectors weighted by one version are never compared with vectors
weighted by another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Float64Array, Int32Array, Int64Array, UInt32Array
from querykin.compute.jit import njit
from querykin.errors import DamagedFile
from querykin.storage.array_files import load, save, within

MAX_COUNT = 1 << 48  # of documents or tokens; far from any overflow


@njit
def _count(
    tokens: UInt32Array,
    indptr: Int64Array,
    ordinals: Int64Array,
    stem: Int32Array,
    sign: int,
    cf: Int64Array,
    df: Int64Array,
    stem_df: Int64Array,
) -> int:
    """Add documents to the counts, or subtract them with sign -1; returns their number of tokens."""
    last_word = np.full(len(cf), -1, np.int64)
    last_stem = np.full(len(cf), -1, np.int64)
    total = 0
    for p in range(len(ordinals)):
        begin, end = indptr[ordinals[p]], indptr[ordinals[p] + 1]
        total += end - begin
        for i in range(begin, end):
            word = tokens[i] >> 2
            cf[word] += sign
            if last_word[word] != p:
                last_word[word] = p
                df[word] += sign
            root = stem[word]
            if last_stem[root] != p:
                last_stem[root] = p
                stem_df[root] += sign
    return total


@njit
def _labels(stem: Int32Array, cf: Int64Array) -> Int32Array:
    """The most frequent word of each stem, by which the stem is displayed."""
    label = np.arange(len(stem)).astype(np.int32)
    max_cf = np.zeros(len(stem), np.int64)
    for word in range(len(stem)):
        root = stem[word]
        if cf[word] > max_cf[root]:
            max_cf[root] = cf[word]
            label[root] = word
    return label


def _zero_padded(values: Int64Array, size: int) -> Int64Array:
    return np.concatenate([values, np.zeros(max(0, size - len(values)), np.int64)])


@dataclass
class Statistics:
    """Counts over the live documents, by word and by stem."""

    version: str
    documents: int
    tokens: int
    cf: Int64Array
    df: Int64Array
    stem_df: Int64Array
    label: Int32Array

    @classmethod
    def empty(cls) -> "Statistics":
        """The statistics of an empty corpus."""
        none = np.zeros(0, np.int64)
        return cls("empty", 0, 0, none, none.copy(), none.copy(), np.zeros(0, np.int32))

    @classmethod
    def open(cls, folder: Path, words: int | None = None) -> "Statistics":
        """Memory-map saved statistics; `words` is the number of words of the vocabulary, if that is known.

        A vocabulary that has grown since has words without documents.
        """
        totals = load(folder, "totals", within(0, MAX_COUNT), 2, np.int64)
        documents, tokens = (int(value) for value in totals)
        cf = load(folder, "cf", within(0, tokens + 1), types=np.int64)
        if words is not None and len(cf) > words:
            raise DamagedFile(folder / "cf.npy", f"it has {len(cf):,} words, the vocabulary {words:,}")
        df, stem_df = (
            load(folder, name, within(0, documents + 1), len(cf), np.int64) for name in ("df", "stem_df")
        )
        label = load(folder, "label", within(0, len(cf)), len(cf), np.int32)
        if cf.any() and not (documents and tokens):
            raise DamagedFile(folder / "totals.npy", "there are words without documents")
        found = cls(folder.name, documents, tokens, cf, df, stem_df, label)
        return found.padded(words) if words is not None and words > len(cf) else found

    def save(self, folder: Path) -> None:
        """Write the statistics as arrays."""
        totals = np.array([self.documents, self.tokens], np.int64)
        save(folder, totals=totals, cf=self.cf, df=self.df, stem_df=self.stem_df, label=self.label)

    @cached_property
    def idf(self) -> Float64Array:
        """log(N / df) of each word, as in the papers; 0 for a word without documents."""
        return np.where(self.df > 0, np.log(max(1, self.documents) / np.maximum(self.df, 1)), 0.0)

    @cached_property
    def stem_idf(self) -> Float64Array:
        """log((N + 1) / (df + 1/2)) of each stem: positive even in a corpus of one document."""
        return np.log((self.documents + 1) / (self.stem_df + 0.5))

    def stem_idf_of(self, stems: Int64Array) -> Float64Array:
        """The idf of stems given by id; a negative id is a stem without documents."""
        df = np.where(stems >= 0, self.stem_df[np.maximum(stems, 0)], 0) if len(self.stem_df) else 0 * stems
        return np.log((self.documents + 1) / (df + 0.5))

    def count(
        self, tokens: UInt32Array, indptr: Int64Array, ordinals: Int64Array, stem: Int32Array, sign: int = 1
    ) -> None:
        """Add documents to the counts, or subtract them with sign -1."""
        self._pad(len(stem))
        self.tokens += sign * _count(tokens, indptr, ordinals, stem, sign, self.cf, self.df, self.stem_df)
        self.documents += sign * len(ordinals)

    def save_counts(self, folder: Path) -> None:
        """Write the counts that are not 0, to be added elsewhere."""
        totals = np.array([self.documents, self.tokens], np.int64)
        words, stems = np.flatnonzero(self.cf), np.flatnonzero(self.stem_df)
        save(folder, totals=totals, words=words, cf=self.cf[words], df=self.df[words])
        save(folder, stems=stems, stem_df=self.stem_df[stems])

    def add_counts(self, folders: Iterable[Path], size: int) -> None:
        """Add counts that were written by `save_counts`; `size` is that of the vocabulary."""
        self._pad(size)
        for folder in folders:
            words, stems = load(folder, "words"), load(folder, "stems")
            self.cf[words] += load(folder, "cf")
            self.df[words] += load(folder, "df")
            self.stem_df[stems] += load(folder, "stem_df")
            documents, tokens = load(folder, "totals").tolist()
            self.documents += documents
            self.tokens += tokens

    def padded(self, size: int) -> "Statistics":
        """The same statistics for a vocabulary that has grown: later words have no documents."""
        label = np.concatenate([self.label, np.arange(len(self.label), size)]).astype(np.int32)
        cf, df, stem_df = (_zero_padded(values, size) for values in (self.cf, self.df, self.stem_df))
        return Statistics(self.version, self.documents, self.tokens, cf, df, stem_df, label)

    def with_words_seen(self) -> "Statistics":
        """The same, but each word has a document at least: engines elsewhere find words in documents."""
        cf, df, stem_df = (np.maximum(values, 1) for values in (self.cf, self.df, self.stem_df))
        return Statistics(self.version, self.documents, self.tokens, cf, df, stem_df, self.label)

    def update_labels(self, stem: Int32Array) -> None:
        """Derive the labels of stems from the counts."""
        self._pad(len(stem))
        self.label = _labels(stem, self.cf)

    def _pad(self, size: int) -> None:
        self.cf, self.df, self.stem_df = (_zero_padded(x, size) for x in (self.cf, self.df, self.stem_df))
