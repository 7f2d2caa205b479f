"""Recognition of the languages of a corpus from its first documents (Lui & Baldwin 2012, by py3langid).

A product title of three words is too short to tell its language, a thousand of them are not: the shares of
the languages are estimated together, as the weights of a mixture, by expectation maximization. The language
of a single document is then the most probable one among those of the corpus.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.counted_nouns import counted
from querykin.text.languages import ENGLISH, LANGUAGES, MAX_LANGUAGES, Language, language_names

SAMPLE = 1000  # documents that decide
_CHARACTERS = 1000  # of a document that are read
MIN_SHARE = 0.1  # of the documents: a language with less is not one of the corpus's
_MIN_DOCUMENTS = 5  # the same for few documents: one odd text does not make a corpus bilingual
# Letters in all documents together: fewer do not tell a language. Outside the Latin alphabet one says more.
_MIN_LETTERS, _NOT_LATIN = 20, 5
_PRIOR = 2.0  # documents that speak for English beforehand, so that a handful of names is taken for English
_ROUNDS = 50  # of expectation maximization
_ALIASES = {"nn": "no", "yue": "zh", "wuu": "zh", "arz": "ar", "ary": "ar"}


@dataclass(frozen=True)
class Recognition:
    """The languages of a corpus, that of most documents first, and what they were recognized from."""

    languages: tuple[Language, ...]
    shares: tuple[float, ...]  # of the documents
    documents: int  # that were read; 0: there was too little text

    def __str__(self) -> str:
        if not self.documents:
            return f"{ENGLISH} (too little text to recognize another)"
        by_language = zip(self.shares, self.languages, strict=True)
        parts = ", ".join(f"{100 * share:.0f} % {language}" for share, language in by_language)
        return f"{language_names(self.languages)} (of {counted(self.documents, 'document')}, {parts})"


def recognize(texts: Sequence[str]) -> Recognition:
    """The languages of a corpus that begins with these documents.

    >>> recognize(["Der Rasenmäher ist neu", "Gartenschlauch für den Rasen", "Die Schere schneidet Äste"])
    Recognition(languages=(Language(code='de', ...),), shares=(1.0,), documents=3)
    """
    texts = [text[:_CHARACTERS] for text in texts[:SAMPLE] if any(map(str.isalpha, text[:_CHARACTERS]))]
    if sum(map(_letters, texts)) < _MIN_LETTERS:
        return Recognition((ENGLISH,), (1.0,), 0)
    codes = _codes()
    likelihoods = _likelihoods(texts, codes)
    prior = np.zeros(len(codes))
    prior[codes.index(ENGLISH.code)] = _PRIOR
    weights = np.full(len(codes), 1 / len(codes))
    for _ in range(_ROUNDS):
        posteriors = likelihoods * weights
        posteriors /= posteriors.sum(axis=1, keepdims=True)
        weights = posteriors.sum(axis=0) + prior
        weights /= weights.sum()
    counts = np.bincount((likelihoods * weights).argmax(axis=1), minlength=len(codes))
    order = np.argsort(-counts, kind="stable")
    enough = max(MIN_SHARE * len(texts), min(_MIN_DOCUMENTS, len(texts)))
    chosen = [order[0], *(number for number in order[1:MAX_LANGUAGES] if counts[number] >= enough)]
    shares = tuple(float(counts[number] / len(texts)) for number in chosen)
    return Recognition(tuple(LANGUAGES[codes[number]] for number in chosen), shares, len(texts))


def _letters(text: str) -> int:
    return sum(1 if letter < "\u0250" else _NOT_LATIN for letter in text if letter.isalpha())


def recognize_each(texts: Sequence[str], languages: Sequence[Language]) -> Int64Array:
    """The most probable of some languages for each text, as its number."""
    if len(languages) == 1:
        return np.zeros(len(texts), np.int64)
    known = [language.code for language in languages if language.code in _codes()]
    if not known:
        return np.zeros(len(texts), np.int64)
    numbers = np.array([[language.code for language in languages].index(code) for code in known])
    best = _likelihoods([text[:_CHARACTERS] for text in texts], known).argmax(axis=1)
    found: Int64Array = numbers[best]
    return found


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # loading its model takes a second

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def _codes() -> list[str]:
    """The languages that can be recognized."""
    labels = set(_identifier().labels)
    return [code for code in LANGUAGES if code in labels]


def _likelihoods(texts: Sequence[str], codes: Sequence[str]) -> Float64Array:
    """The likelihood of each text in each language, up to a factor of the text."""
    column = {code: number for number, code in enumerate(codes)}
    column |= {alias: column[code] for alias, code in _ALIASES.items() if code in column}
    found = np.full((len(texts), len(codes)), 1e-12)
    for row, text in enumerate(texts):
        for code, probability in _identifier().rank(text):
            if code in column:
                found[row, column[code]] = max(found[row, column[code]], probability)
    return found
