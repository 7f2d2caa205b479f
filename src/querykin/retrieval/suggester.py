"""Related-query suggestions: retrieval of the nearest queries, then a diversity filter."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf, isnan
from typing import Any

from querykin.errors import InputError
from querykin.index.ranking import Ranking
from querykin.io.tables import chunks
from querykin.querylog.repository import Repository
from querykin.retrieval.filters import TokenTuple, filters, token_tuples
from querykin.retrieval.retrievers import Retriever
from querykin.spelling.corrector import SpellingCorrector
from querykin.types import Correction, Explanation, explanation_json

_POOL_FACTOR = 8  # candidates retrieved per suggestion, and the growth of each deeper search
_BATCH_QUERIES = 1024  # queries per search
_BATCH_PAIRS = 10_000_000  # maximum pairs per search: 160 MB
NEAREST = 10  # matches per query if neither k nor a threshold is given
_MAX_DEEPER_SEARCHES = 4  # per query


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A related query with its score and its count in the repository."""

    query: str
    score: float
    count: int
    query_id: int  # in the repository
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The suggestions for one query; `covered` is false if the measure cannot score the query.

    `correction` says which words were replaced by known ones; the suggestions are those for its text.
    """

    query: str
    covered: bool
    measure: str
    suggestions: tuple[Suggestion, ...]
    correction: Correction | None = None

    @property
    def searched(self) -> str:
        """The text that the suggestions are for: the query, corrected if it was."""
        return self.correction.text if self.correction else self.query


def suggestions_json(result: Suggestions) -> dict[str, Any]:
    """Suggestions as JSON, for the command line and the HTTP API."""
    entries = []
    for suggestion in result.suggestions:
        entry: dict[str, Any] = {
            "query": suggestion.query,
            "score": round(suggestion.score, 9),
            "count": suggestion.count,
        }
        if suggestion.explanation:
            entry["explanation"] = explanation_json(suggestion.explanation)
        entries.append(entry)
    return {
        "query": result.query,
        "covered": result.covered,
        "measure": result.measure,
        "corrected": result.correction.text if result.correction else None,
        "suggestions": entries,
    }


@dataclass(frozen=True)
class Suggester:
    """Suggests related queries of a repository; `block` has words and queries that are never suggested.

    With `spelling`, words of a query without evidence are corrected before related queries are looked for.
    """

    retriever: Retriever
    repository: Repository
    filter: str = "diverse"
    threshold: float | None = None
    block: frozenset[str] = frozenset()
    spelling: SpellingCorrector | None = None

    def __post_init__(self) -> None:
        check_threshold(self.threshold)

    def suggest(self, queries: Sequence[str], limit: int, explain: bool = False) -> list[Suggestions]:
        """Related queries for each of several queries, best first."""
        depth = at_least_one("limit", limit) * _POOL_FACTOR
        corrections = [self.spelling.correct(query) if self.spelling else None for query in queries]
        texts = [found.text if found else query for query, found in zip(queries, corrections, strict=True)]
        rankings = self.retriever.search(texts, depth, self._min_score)
        results = []
        for query, correction, text, ranking in zip(queries, corrections, texts, rankings, strict=True):
            chosen = self._choose(text, self._pool(text, ranking, depth), limit)
            if explain:
                chosen = [self._explained(text, suggestion) for suggestion in chosen]
            results.append(Suggestions(query, ranking.covered, self._measure, tuple(chosen), correction))
        return results

    def match(self, queries: Sequence[str], k: int) -> list[Suggestions]:
        """For each query, the nearest k that reach the threshold; unfiltered, on all cores."""
        rankings = self.retriever.search(queries, at_least_one("k", k), self._min_score)
        return [
            Suggestions(query, ranking.covered, self._measure, tuple(self._suggestions(ranking)))
            for query, ranking in zip(queries, rankings, strict=True)
        ]

    def all_pairs(self, k: int | None = None) -> Iterator[tuple[int, Suggestions]]:
        """For each query of the repository, its id and the nearest k other queries that reach the threshold.

        Without k, all that reach the threshold, or the nearest ten if there is none. Queries are searched
        in batches, which bounds the memory of the pairs.
        """
        default_k = NEAREST if self.threshold is None else len(self.repository)
        k = default_k if k is None else at_least_one("k", k)
        batch = min(_BATCH_QUERIES, 1 + _BATCH_PAIRS // max(1, k))
        for query_ids in chunks(self.repository.live_ids().tolist(), batch):
            texts = self.repository.queries(query_ids)
            rankings = self.retriever.search(texts, k + 1, self._min_score)
            for query_id, query, ranking in zip(query_ids, texts, rankings, strict=True):
                others = [match for match in self._suggestions(ranking) if match.query_id != query_id][:k]
                yield query_id, Suggestions(query, ranking.covered, self._measure, tuple(others))

    @property
    def _measure(self) -> str:
        return self.retriever.measure.name

    @property
    def _min_score(self) -> float:
        return -inf if self.threshold is None else self.threshold

    def _suggestions(self, ranking: Ranking) -> Iterator[Suggestion]:
        for query_id, score in zip(ranking.query_ids.tolist(), ranking.scores.tolist(), strict=True):
            yield self._suggestion(query_id, score)

    def _suggestion(self, query_id: int, score: float) -> Suggestion:
        return Suggestion(
            self.repository.query(query_id), score, int(self.repository.counts[query_id]), query_id
        )

    def _pool(self, query: str, ranking: Ranking, depth: int) -> Iterator[tuple[int, float]]:
        """Candidates by decreasing score; deeper searches are made only when the filter needs more.

        A re-ranking retriever re-ranks more candidates in a deeper search, so the order may change.
        """
        seen = set(ranking.query_ids.tolist())
        yield from zip(ranking.query_ids.tolist(), ranking.scores.tolist(), strict=True)
        for _ in range(_MAX_DEEPER_SEARCHES):
            if len(ranking.query_ids) < depth:
                return
            depth *= _POOL_FACTOR
            (ranking,) = self.retriever.search([query], depth, self._min_score)
            scored = zip(ranking.query_ids.tolist(), ranking.scores.tolist(), strict=True)
            yield from ((query_id, score) for query_id, score in scored if query_id not in seen)
            seen.update(ranking.query_ids.tolist())

    def _choose(self, query: str, pool: Iterator[tuple[int, float]], limit: int) -> list[Suggestion]:
        accept = filters[self.filter]
        chosen: list[Suggestion] = []
        reference = token_tuples([query])  # the query and the suggestions chosen so far
        for query_id, score, tokens in self._tokenized(pool, 2 * limit):
            if len(chosen) == limit:
                break
            if not self._blocked(tokens) and all(accept(tokens, other) for other in reference):
                chosen.append(self._suggestion(query_id, score))
                reference.append(tokens)
        return sorted(chosen, key=lambda suggestion: -suggestion.score)

    def _tokenized(
        self, pool: Iterator[tuple[int, float]], step: int
    ) -> Iterator[tuple[int, float, TokenTuple]]:
        """Candidates with their tokens; texts are tokenized in batches of `step`."""
        while batch := list(islice(pool, step)):
            tokenized = token_tuples(self.repository.queries(query_id for query_id, _ in batch))
            yield from ((*candidate, tokens) for candidate, tokens in zip(batch, tokenized, strict=True))

    def _blocked(self, tokens: TokenTuple) -> bool:
        if not self.block:
            return False
        return " ".join(tokens) in self.block or not self.block.isdisjoint(tokens)

    def _explained(self, query: str, suggestion: Suggestion) -> Suggestion:
        return replace(suggestion, explanation=self.retriever.explain(query, suggestion.query))


def at_least_one(name: str, given: int) -> int:
    """Return a number of results; less than one is an error."""
    if given < 1:
        raise InputError(f"{name} must be at least 1, got {given}")
    return given


def check_threshold(given: float | None) -> None:
    """Raise an error for NaN; any other number, or none, is a valid threshold."""
    if given is not None and isnan(given):
        raise InputError(f"the threshold must be a number, like 0.5, got {given}; omit it for no threshold")
