"""Co-occurrence counts as plain values, and the check that they equal the reference."""

import numpy as np

from live_documents import live_documents
from querykin import Document
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.phrases import Phrases
from querykin.storage.store import Store
from reference.cooccurrence import DISTANCE, ReferenceCooccurrence

LISTED = ["a b", "b a", "a b c", "a a", "c a b d", "a b c d e f", "new york"]


def make_documents(*texts: str) -> list[Document]:
    return [Document(str(number), "", text) for number, text in enumerate(texts)]


def metadata(counted: CooccurrenceCounts):
    return Store(counted._store.path, "cooccurrence").manifest().metadata


def parts(counted: CooccurrenceCounts) -> int:
    return len(metadata(counted).get("parts", []))


def dictionaries(vectors, word) -> list[dict[str, int]]:
    found = []
    for number in range(len(vectors)):
        features, weights = (values.tolist() for values in vectors.row(number))
        assert features == sorted(set(features))
        found.append({word(f): weight for f, weight in zip(features, weights, strict=True)})
    return found


def words_of(corpus, counted) -> dict[str, dict[str, int]]:
    """Word -> its contexts, of those that have any."""
    vocabulary = corpus.vocabulary
    rows = dictionaries(counted.rows(np.arange(vocabulary.count), False), vocabulary.word)
    return {vocabulary.word(number): row for number, row in enumerate(rows) if row}


def phrases_of(corpus, counted, listed) -> dict[str, dict[str, int]]:
    """Phrase -> its contexts, of those that have any."""
    found = {}
    for text in listed:
        place = int(np.searchsorted(counted.phrases.hashes, Phrases.of([text]).hashes[0]))
        found[text] = dictionaries(counted.rows(np.array([place]), True), corpus.vocabulary.word)[0]
    return {text: row for text, row in found.items() if row}


def check(corpus, counted, listed=LISTED, distance=DISTANCE) -> None:
    """All counts equal those of the reference over the live documents."""
    reference = ReferenceCooccurrence.over(live_documents(corpus).values(), listed, distance)
    assert words_of(corpus, counted) == {
        word: reference.of((word,)) for word, n in reference.marginals.items() if n
    }
    split = {text: tuple(text.split()) for text in listed}
    assert phrases_of(corpus, counted, listed) == {
        text: reference.of(phrase) for text, phrase in split.items() if reference.of(phrase)
    }
    word = corpus.vocabulary.word
    marginals = {word(number): n for number, n in enumerate(counted.marginals.tolist()) if n}
    assert marginals == {word: n for word, n in reference.marginals.items() if n}
    assert counted.total == sum(reference.marginals.values())
    assert len(counted.frequent_phrases) == len(counted.phrases) == len(reference.phrases)
    assert counted.frequent_phrases.sum() == len(reference.frequent_phrases)
