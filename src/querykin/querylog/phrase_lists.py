"""Phrases to count co-occurrences for, from titles and past queries (Alfonseca, Hall & Hartmann 2009)."""

import re
from collections.abc import Iterator
from functools import reduce
from operator import or_

import numpy as np

from querykin.cooccurrence.phrases import Phrases
from querykin.corpus.corpus import Corpus
from querykin.querylog.repository import Repository

MIN_QUERIES = 10  # past queries with an n-gram that make it a phrase (decision 16)
_QUOTES = re.compile('"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»')


def phrase_lists(corpus: Corpus, repository: Repository) -> dict[str, Phrases]:
    """Phrases by their source; a phrase may be in several lists."""
    often = np.flatnonzero(repository.counts > 1)
    repeated = (query for _, queries in repository.batches(often) for query in queries)
    in_quotes = (part for query in repository.all_queries() for part in quoted(query))
    analyzer = corpus.analyzer
    return {
        "titles of documents": Phrases.of(_titles(corpus), analyzer),
        "past queries asked more than once": Phrases.of(repeated, analyzer),
        "in quotes in past queries": Phrases.of(in_quotes, analyzer),
        f"n-grams of {MIN_QUERIES} past queries and more": Phrases.frequent(
            repository.all_queries(), MIN_QUERIES, analyzer
        ),
    }


def all_phrases(corpus: Corpus, repository: Repository) -> Phrases:
    """The phrases of all lists."""
    return reduce(or_, phrase_lists(corpus, repository).values())


def _titles(corpus: Corpus) -> Iterator[str]:
    for segment in corpus.segments:
        ordinals = np.flatnonzero(segment.live(corpus.tombstones)).tolist()
        yield from (segment.document(ordinal).title for ordinal in ordinals)


def quoted(query: str) -> list[str]:
    """The parts of a query in straight, curly or angled quotes.

    >>> quoted('the "blue sky" and “red fox”')
    ['blue sky', 'red fox']
    """
    return ["".join(groups) for groups in _QUOTES.findall(query)]
