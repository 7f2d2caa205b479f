"""Query mining: titles and salient phrases of the corpus, as a substitute for a query log.

Phrases are word n-grams scored by normalized pointwise mutual information (NPMI, Bouma 2009).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import numpy as np

from querykin.compute.arrays import BoolArray
from querykin.corpus.corpus import Corpus
from querykin.distributed.task_runner import TaskRunner
from querykin.progress import SILENT, Progress
from querykin.querylog.mined_queries import MinedQueries
from querykin.querylog.mining_tasks import MiningTasks
from querykin.querylog.phrase_counting import (
    BATCH_TOKENS,
    CountedPhrases,
    boundary_words,
    count_phrases,
    document_runs,
    frequent_phrases,
    phrase_hashes,
)
from querykin.querylog.title_mining import document_frequency, titles
from querykin.storage.store import Store
from querykin.text.elision import without_article
from querykin.text.languages import ENGLISH

MAX_PHRASE_LENGTH = 4  # words
MIN_ASSOCIATION = 0.35  # NPMI of a phrase's words
MAX_NESTED_SHARE = 0.6  # a phrase with this share of its occurrences in one longer phrase is a fragment
# One length more than is returned, to detect fragments of longer phrases.
_SIZES = range(2, MAX_PHRASE_LENGTH + 2)


def mine_queries(corpus: Corpus, limit: int) -> Iterator[tuple[str, int]]:
    """Titles and salient phrases with their document frequencies, the most frequent first."""
    if not corpus.segments:
        return iter(())
    boundary = boundary_words(corpus)
    runs = [(segment, *run) for segment in corpus.segments for run in document_runs(segment, BATCH_TOKENS)]
    by_size = {
        size: frequent_phrases([count_phrases(corpus, *run, size, boundary) for run in runs])
        for size in _SIZES
    }
    found = (
        (title, document_frequency(corpus, by_size, title)) for run in runs for title in titles(corpus, *run)
    )
    return _ranked(chain(_salient_phrases(corpus, by_size), found), limit)


def mine_in_tasks(
    corpus: Corpus, limit: int, scratch: Store, runner: TaskRunner, progress: Progress = SILENT
) -> Iterator[tuple[str, int]]:
    """The same in tasks, whose parts in `scratch` are not kept."""
    if not corpus.segments:
        return iter(())
    with scratch.writing():
        mining = MiningTasks(corpus, scratch, runner, progress)
        by_size = mining.phrases(_SIZES)
        return _ranked(chain(_salient_phrases(corpus, by_size), mining.titles(_SIZES, limit)), limit)


def _ranked(found: Iterable[tuple[str, int]], limit: int) -> Iterator[tuple[str, int]]:
    """Queries with their document frequencies, each once, the most frequent first."""
    mined = MinedQueries()
    for query, documents in found:
        mined.add(query, documents)
    return mined.most_frequent(limit)


def _salient_phrases(corpus: Corpus, by_size: Mapping[int, CountedPhrases]) -> Iterator[tuple[str, int]]:
    """Salient phrases that could be queries, with their document frequencies."""
    main_language = corpus.analyzer.languages[0]
    english = main_language == ENGLISH
    for size in range(2, MAX_PHRASE_LENGTH + 1):
        phrases = by_size[size]
        salient = _salient(corpus, phrases) & ~_fragments(phrases, by_size[size + 1], size)
        names = phrases.names
        for row in np.flatnonzero(salient):
            parts = [corpus.vocabulary.word(int(word)) for word in phrases.words[row]]
            if not parts[-1].endswith("'s") and (names[row] or not english or _nominal(parts)):
                parts[0] = without_article(parts[0], main_language.code)
                yield " ".join(parts), int(phrases.documents[row])


def _salient(corpus: Corpus, phrases: CountedPhrases) -> BoolArray:
    """Phrases whose words are associated: NPMI above a threshold that is lower for names."""
    total = max(2, corpus.statistics.tokens)
    size = phrases.words.shape[1]
    joint = np.log(phrases.uses / total)
    independent = np.log(corpus.statistics.cf[phrases.words] / total).sum(axis=1)
    npmi = (joint - independent) / (-(size - 1) * joint)
    salient: BoolArray = npmi >= np.where(phrases.names, MIN_ASSOCIATION, MIN_ASSOCIATION + 0.1)
    return salient


def _nominal(parts: list[str]) -> bool:
    """Whether a phrase that is not a name may be a noun phrase, by the endings of its words.

    >>> _nominal(["voting", "system"]), _nominal(["narrowly", "escapes"]), _nominal(["commune", "joined"])
    (True, False, False)
    """
    return not (
        parts[0].endswith("ly") or parts[-1].endswith(("ly", "ed", "ing")) or "and" in parts or "but" in parts
    )


def _fragments(phrases: CountedPhrases, longer: CountedPhrases, size: int) -> BoolArray:
    """Phrases that mostly occur inside one longer phrase ("lake city" in "salt lake city")."""
    fragments = np.zeros(len(phrases.hashes), np.bool_)
    for begin in (0, 1):
        _, at, longer_at = np.intersect1d(
            phrases.hashes, phrase_hashes(longer.words[:, begin : begin + size]), return_indices=True
        )
        fragments[at[longer.uses[longer_at] >= MAX_NESTED_SHARE * phrases.uses[at]]] = True
    return fragments
