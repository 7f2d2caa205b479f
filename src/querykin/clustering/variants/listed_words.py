"""The distinct words of a list of queries, with their stems, counts and roles in a query."""

from array import array
from collections.abc import Callable, Sequence

import numpy as np

from querykin.clustering.variants.inflection import base_form
from querykin.compute.arrays import BoolArray, Int64Array
from querykin.spelling.word_breaks import has_digit
from querykin.spelling.word_lists import common_words
from querykin.text.analyzer import Analyzer
from querykin.text.normalization import to_nfc
from querykin.text.relation_words import RELATION_WORDS

InDocuments = Callable[[Sequence[str]], BoolArray]  # whether documents have each of some words

_BEGINNING = 6  # letters that forms of one word have in common
_BATCH = 65_536  # queries tokenized at once


class ListedWords:
    """The words of a list of queries by number, and the numbers of each query's words in order.

    >>> words = ListedWords(["Garden hoses", "hose for gardens"], [3, 1], Analyzer.of("en"))
    >>> words.texts, words.of(1), words.counts.tolist()
    (['garden', 'hoses', 'hose', 'for', 'gardens'], [2, 3, 4], [3, 3, 1, 1, 1])
    >>> words.stems[0] == words.stems[4], words.can_be_left_out[3]
    (True, True)
    """

    def __init__(
        self,
        queries: Sequence[str],
        counts: Sequence[int],
        analyzer: Analyzer,
        in_documents: InDocuments | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.texts: list[str] = []
        self.stems: list[int] = []
        self.can_be_left_out: list[bool] = []
        self.fixes_order: list[bool] = []
        self.is_number: list[bool] = []
        self._by_text: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        self._indptr, self._words = array("q", [0]), array("i")
        self._left_out = analyzer.query_stop_words - _relation_words(analyzer)
        self._beginnings: set[str] = set()
        self._read(queries)
        self.counts = self._count(counts)
        self.is_known = self._known(in_documents)

    def of(self, query: int) -> list[int]:
        """The words of a query."""
        return self._words[self._indptr[query] : self._indptr[query + 1]].tolist()

    def stems_of(self, words: Sequence[str]) -> list[str]:
        """The stems of words: equal for irregular plurals, too, and never for model numbers (5 and 5s)."""
        language = self.analyzer.languages[0].code
        stems = self.analyzer.stems([base_form(word, language) for word in words])
        return [word if has_digit(word) else stem for word, stem in zip(words, stems, strict=True)]

    def has(self, text: str) -> bool:
        """Whether this is a word of the list."""
        return text in self._by_text

    def has_beginning(self, text: str) -> bool:
        """Whether a word of the list begins like this one, as its other forms do."""
        return text[:_BEGINNING] in self._beginnings

    def has_stem(self, stem: str) -> bool:
        """Whether a word of the list has this stem."""
        return stem in self._stems

    def number(self, text: str, stem: str) -> int:
        """The number of a word, which is a new one if no query has it."""
        found = self._by_text.get(text)
        return self._add(text, stem) if found is None else found

    def _read(self, queries: Sequence[str]) -> None:
        for begin in range(0, len(queries), _BATCH):
            batch = [to_nfc(query) for query in queries[begin : begin + _BATCH]]
            split = [text.split() for text in self.analyzer.tokenize_normalized(batch).joined()]
            new = list(dict.fromkeys(word for words in split for word in words if word not in self._by_text))
            for word, stem in zip(new, self.stems_of(new), strict=True):
                self._add(word, stem)
            for words in split:
                self._words.extend(map(self._by_text.__getitem__, words))
                self._indptr.append(len(self._words))

    def _add(self, text: str, stem: str) -> int:
        number = self._by_text[text] = len(self.texts)
        self._beginnings.add(text[:_BEGINNING])
        self.texts.append(text)
        self.stems.append(self._stems.setdefault(stem, len(self._stems)))
        self.can_be_left_out.append(text in self._left_out)
        is_function_word = text in self.analyzer.function_words or text in self.analyzer.query_stop_words
        self.fixes_order.append(is_function_word and text not in self._left_out)
        self.is_number.append(has_digit(text))
        return number

    def _count(self, counts: Sequence[int]) -> Int64Array:
        """How often queries with each word were asked."""
        totals = np.zeros(len(self.texts), np.int64)
        np.add.at(totals, self._words, np.repeat(np.array(counts, np.int64), np.diff(self._indptr)))
        return totals

    def _known(self, in_documents: InDocuments | None) -> list[bool]:
        """Whether each word is in a word list of the languages, or in some documents."""
        lists = [common_words(code) for code in self.analyzer.codes]
        known = [any(word in words for words in lists) for word in self.texts]
        if in_documents is not None:
            found = in_documents(self.texts).tolist()
            known = [listed or held for listed, held in zip(known, found, strict=True)]
        return known


def _relation_words(analyzer: Analyzer) -> frozenset[str]:
    return frozenset().union(*(RELATION_WORDS.get(language.code, ()) for language in analyzer.languages))
