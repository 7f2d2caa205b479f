"""Example queries of a workspace: queries of several words that have a strong, different-looking neighbor."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from querykin.retrieval.filters import token_tuples
from querykin.retrieval.suggester import Suggester, Suggestions
from querykin.text.analyzer import Analyzer

EXAMPLES = 4
_CANDIDATES = 32  # queries that suggestions are computed for
_INSPECTED = 2000  # the most frequent queries, of which the candidates are taken
_NEIGHBORS = 5  # suggestions of a candidate, of which the first without a common word is its neighbor
_WORDS = range(2, 5)  # the number of words of an example
_MAX_LENGTH = 40  # characters
_LETTERS = 4  # words that begin with the same letters count as one


@dataclass(frozen=True)
class Example:
    """A query and its neighbor: a suggestion for it, if possible without a word in common."""

    query: str
    neighbor: str
    score: float
    shares_words: bool


def choose_examples(suggester: Suggester) -> list[Example]:
    """The best examples of a repository, no two with a common word.

    Only the most frequent queries are looked at, so that the cost does not grow with the repository.
    """
    texts = _frequent_queries(suggester)
    results = suggester.suggest(texts, _NEIGHBORS) if texts else []
    examples = [_example(each, suggester.analyzer) for each in results if each.covered and each.suggestions]
    ranked = sorted(examples, key=lambda each: (each.shares_words, -each.score))
    return list(islice(_different(ranked, suggester.analyzer), EXAMPLES))


def _frequent_queries(suggester: Suggester) -> list[str]:
    """Frequent queries of several words, from all ranks; of one word if there are no others."""
    repository, blocks = suggester.repository, suggester.block_list.blocks
    live = repository.live_ids()
    frequent = live[np.argsort(-repository.counts[live], kind="stable")[:_INSPECTED]]
    texts = [text for text in repository.queries(frequent) if len(text) <= _MAX_LENGTH]
    tokenized = zip(texts, token_tuples(texts, suggester.analyzer), strict=True)
    allowed = [(text, len(tokens)) for text, tokens in tokenized if not blocks(text, tokens)]
    several = [text for text, length in allowed if length in _WORDS and not _has_digit(text)]
    texts = several or [text for text, _ in allowed]
    return texts[:: 1 + len(texts) // _CANDIDATES]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _example(result: Suggestions, analyzer: Analyzer) -> Example:
    own = _word_beginnings(result.query, analyzer)
    shared = [not own.isdisjoint(_word_beginnings(each.query, analyzer)) for each in result.suggestions]
    best = shared.index(False) if False in shared else 0
    neighbor = result.suggestions[best]
    return Example(result.query, neighbor.query, neighbor.score, shared[best])


def _different(ranked: Iterable[Example], analyzer: Analyzer) -> Iterator[Example]:
    """Examples without a word that an earlier one has."""
    seen: set[str] = set()
    for example in ranked:
        beginnings = _word_beginnings(example.query, analyzer) | _word_beginnings(example.neighbor, analyzer)
        if seen.isdisjoint(beginnings):
            seen |= beginnings
            yield example


def _word_beginnings(text: str, analyzer: Analyzer) -> set[str]:
    """The first letters of the words: stems would keep asia and asian apart."""
    (tokens,) = token_tuples([text], analyzer)
    return {token[:_LETTERS] for token in tokens if token not in analyzer.query_stop_words}
