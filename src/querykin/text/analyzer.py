"""Analyzers: how words are matched in the languages of a corpus (Lucene's term).

An analyzer splits texts into tokens and gives the stem of each: elided articles and possessives are removed,
the Snowball stemmer of the language is applied, and the stem is folded. Tokens keep the letters as written;
texts match by their stems.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.text import stopwords
from querykin.text.folding import fold
from querykin.text.languages import ENGLISH, LANGUAGES, Language, language_names
from querykin.text.normalization import to_nfc
from querykin.text.stemming import stems as snowball_stems
from querykin.text.tokenizer import Tokens, tokenize_normalized, tokens_of_words

_CACHE_SIZE = 1 << 16  # words; about 12 MB for each of the two caches


class Analyzer:
    """The tokens, stems and stop words of a corpus in one or more languages; `Analyzer.of` gives one.

    >>> german = Analyzer.of("de")
    >>> german.stems(["Gießkannen".lower(), "giesskanne"])
    ['giesskann', 'giesskann']
    >>> Analyzer.of("fr").stems(["l'été", "ete"])
    ['ete', 'ete']
    """

    bigrams = True  # in scripts without spaces

    def __init__(self, languages: tuple[Language, ...]) -> None:
        self.languages = languages  # that of most documents first
        self._stems: dict[tuple[str, int], str] = {}
        self._stem_hashes: dict[int, int] = {}

    @staticmethod
    @cache
    def of(*codes: str) -> "Analyzer":
        """The analyzer of languages given by their codes: the same object every time, for its caches.

        Without a language it is that of corpora which have none recorded, as querykin 0.1 made them.
        """
        return Analyzer(tuple(LANGUAGES[code] for code in codes)) if codes else _PorterAnalyzer((ENGLISH,))

    def __reduce__(self) -> tuple[Callable[..., "Analyzer"], tuple[str, ...]]:
        return Analyzer.of, self.codes

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the languages."""
        return tuple(language.code for language in self.languages)

    def __repr__(self) -> str:
        return f"Analyzer.of({', '.join(map(repr, self.codes))})"

    def space(self, stems: bool) -> str:
        """What tells features of this analyzer from others: over words, bigrams; over stems, the language."""
        return f" with bigrams, in {','.join(self.codes)}" if stems else " with bigrams"

    @property
    def description(self) -> str:
        """The languages as people read them."""
        return language_names(self.languages)

    @property
    def notes(self) -> list[str]:
        """What people must know about the languages."""
        return [
            f"there is no stemmer for {language}: its words match without diacritics, but not in other forms"
            for language in self.languages
            if not language.stemmer
        ]

    # Tokens.

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        """Split texts into tokens."""
        return self.tokenize_normalized([to_nfc(text) for text in texts])

    def tokenize_normalized(self, texts: Sequence[str]) -> Tokens:
        """Split texts that are in NFC already (`to_nfc`) into tokens."""
        return tokenize_normalized(texts, self.bigrams)

    # Stems.

    def fold(self, word: str) -> str:
        """A word without diacritics and ligatures."""
        return fold(word)

    def stems(self, words: Sequence[str], language: int = 0) -> list[str]:
        """The stem of each word, in one of the languages; never empty."""
        stemmed = snowball_stems(words, self.languages[language])
        return [to_nfc(self.fold(stem)).strip("'") or word for stem, word in zip(stemmed, words, strict=True)]

    def stem(self, word: str, language: int = 0) -> str:
        """The stem of one word in one of the languages, cached."""
        found = self._stems.get((word, language))
        if found is None:
            found = self.stems([word], language)[0]
            if len(self._stems) >= _CACHE_SIZE:
                self._stems.clear()
            self._stems[word, language] = found
        return found

    def stem_tokens(self, words: Sequence[str], language: int = 0) -> Tokens:
        """The stems of words, one token each."""
        return tokens_of_words(self.stems(words, language))

    def stem_hashes(self, tokens: Tokens) -> Int64Array:
        """The hash of every token's stem in the main language: equal for equal stems in every corpus."""
        distinct, indices, inverse = np.unique(tokens.hashes, return_index=True, return_inverse=True)
        keys, cache = distinct.tolist(), self._stem_hashes
        # `get`, since another thread may clear the cache between a test and a lookup.
        known = {key: found for key in keys if (found := cache.get(key)) is not None}
        missing = [number for number, key in enumerate(keys) if key not in known]
        if missing:
            stemmed = self.stem_tokens([tokens.word(int(indices[number])) for number in missing])
            new = dict(zip((keys[number] for number in missing), stemmed.hashes.tolist(), strict=True))
            known |= new
            if len(cache) + len(new) > _CACHE_SIZE:
                cache.clear()
            cache.update(new)
        return np.array([known[key] for key in keys], np.int64)[inverse]

    # Stop words: one list for each purpose.

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Words that carry no topic: language models and keyword extraction ignore them."""
        return frozenset().union(*map(stopwords.function_words, self._word_list_codes))

    @cached_property
    def query_stop_words(self) -> frozenset[str]:
        """Words that make no difference between two queries: the diversity filter ignores them."""
        return frozenset().union(*map(stopwords.query_stop_words, self._word_list_codes))

    @cached_property
    def phrase_boundary_words(self) -> frozenset[str]:
        """Words at which a mined phrase neither begins nor ends."""
        return frozenset().union(*map(stopwords.phrase_boundary_words, self._word_list_codes))

    @property
    def _word_list_codes(self) -> tuple[str, ...]:
        """The codes of the languages whose word lists apply."""
        return tuple(language.code for language in self.languages)


class _PorterAnalyzer(Analyzer):
    """Words as querykin 0.1 stored and stemmed them: single ideographs, Porter's stems, no folding."""

    bigrams = False

    @property
    def codes(self) -> tuple[str, ...]:
        """None: no language is recorded."""
        return ()

    @property
    def description(self) -> str:
        """As `querykin corpus info` shows it."""
        return "not recorded (Porter stems)"

    def space(self, stems: bool) -> str:
        """Nothing, as in indexes of that version."""
        return ""

    def fold(self, word: str) -> str:
        """The word as it is."""
        return word


DEFAULT = Analyzer.of("en")  # where there is no workspace
