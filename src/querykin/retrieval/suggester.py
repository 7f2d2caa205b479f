"""What should we offer? Retrieve the nearest queries, then filter for variety."""

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
from querykin.types import Explanation, explanation_json

_POOL = 8  # candidates for each suggestion: how much deeper every next search goes
_AT_ONCE = 1024  # queries searched together
_PAIRS = 10_000_000  # of them found together at most: 160 MB
NEAREST = 10  # others of a query where nobody says how many or how near
_DEEPER = 4  # more searches for one query at most


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A related query with its score and how often it was asked."""

    query: str
    score: float
    count: int
    query_id: int  # in the repository
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What is offered for one query; not covered: the measure has no opinion on it."""

    query: str
    covered: bool
    measure: str
    suggestions: tuple[Suggestion, ...]


def suggestions_json(found: Suggestions) -> dict[str, Any]:
    """Suggestions as JSON knows them, on the command line and over HTTP."""
    listed = []
    for suggestion in found.suggestions:
        entry: dict[str, Any] = {
            "query": suggestion.query,
            "score": round(suggestion.score, 9),
            "count": suggestion.count,
        }
        if suggestion.explanation:
            entry["explanation"] = explanation_json(suggestion.explanation)
        listed.append(entry)
    return {"query": found.query, "covered": found.covered, "measure": found.measure, "suggestions": listed}


@dataclass(frozen=True)
class Suggester:
    """Offers related queries of a repository; `block` lists words and queries never to be offered."""

    retriever: Retriever
    repository: Repository
    filter: str = "diverse"
    threshold: float | None = None
    block: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_threshold(self.threshold)

    def suggest(self, queries: Sequence[str], limit: int, explain: bool = False) -> list[Suggestions]:
        """Related queries for each of several queries, best first."""
        first = self.retriever.search(queries, at_least_one("limit", limit) * _POOL, self._min_score)
        offered = []
        for query, ranking in zip(queries, first, strict=True):
            chosen = self._choose(query, self._pool(query, ranking, limit * _POOL), limit)
            if explain:
                chosen = [self._explained(query, suggestion) for suggestion in chosen]
            offered.append(Suggestions(query, ranking.covered, self._measure, tuple(chosen)))
        return offered

    def match(self, queries: Sequence[str], k: int) -> list[Suggestions]:
        """The nearest k queries that reach the threshold for each of many, without filters, on all cores."""
        found = self.retriever.search(queries, at_least_one("k", k), self._min_score)
        return [
            Suggestions(query, ranking.covered, self._measure, tuple(self._listed(ranking)))
            for query, ranking in zip(queries, found, strict=True)
        ]

    def all_pairs(self, k: int | None = None) -> Iterator[tuple[int, Suggestions]]:
        """For each query of the repository and its number the nearest k others that reach the threshold.

        Without k all that reach it, or the nearest ten where there is none. A few queries at a time, so that
        the pairs never stand in memory together.
        """
        everything = NEAREST if self.threshold is None else len(self.repository)
        most = everything if k is None else at_least_one("k", k)
        for query_ids in chunks(
            self.repository.live_ids().tolist(), min(_AT_ONCE, 1 + _PAIRS // max(1, most))
        ):
            texts = self.repository.queries(query_ids)
            rankings = self.retriever.search(texts, most + 1, self._min_score)
            for query_id, query, ranking in zip(query_ids, texts, rankings, strict=True):
                others = [offer for offer in self._listed(ranking) if offer.query_id != query_id][:most]
                yield query_id, Suggestions(query, ranking.covered, self._measure, tuple(others))

    @property
    def _measure(self) -> str:
        return self.retriever.measure.name

    @property
    def _min_score(self) -> float:
        return -inf if self.threshold is None else self.threshold

    def _listed(self, ranking: Ranking) -> Iterator[Suggestion]:
        for query_id, score in zip(ranking.query_ids.tolist(), ranking.scores.tolist(), strict=True):
            yield self._suggestion(query_id, score)

    def _suggestion(self, query_id: int, score: float) -> Suggestion:
        return Suggestion(
            self.repository.query(query_id), score, int(self.repository.counts[query_id]), query_id
        )

    def _pool(self, query: str, ranking: Ranking, depth: int) -> Iterator[tuple[int, float]]:
        """Candidates by falling score; deeper searches are made only when the filter asks for more.

        A combination puts more candidates in order when it looks deeper, so that some may change places.
        """
        seen = set(ranking.query_ids.tolist())
        yield from zip(ranking.query_ids.tolist(), ranking.scores.tolist(), strict=True)
        for _ in range(_DEEPER):
            if len(ranking.query_ids) < depth:
                return
            depth *= _POOL
            (ranking,) = self.retriever.search([query], depth, self._min_score)
            found = zip(ranking.query_ids.tolist(), ranking.scores.tolist(), strict=True)
            yield from ((query_id, score) for query_id, score in found if query_id not in seen)
            seen.update(ranking.query_ids.tolist())

    def _choose(self, query: str, pool: Iterator[tuple[int, float]], limit: int) -> list[Suggestion]:
        accept = filters[self.filter]
        chosen: list[Suggestion] = []
        against = token_tuples([query])
        for query_id, score, wording in self._tokenized(pool, 2 * limit):
            if len(chosen) == limit:
                break
            if not self._blocked(wording) and all(accept(wording, other) for other in against):
                chosen.append(self._suggestion(query_id, score))
                against.append(wording)
        return sorted(chosen, key=lambda suggestion: -suggestion.score)

    def _tokenized(
        self, pool: Iterator[tuple[int, float]], step: int
    ) -> Iterator[tuple[int, float, TokenTuple]]:
        """Candidates with their words, which are found for several at once."""
        while some := list(islice(pool, step)):
            found = token_tuples(self.repository.queries(query_id for query_id, _ in some))
            yield from ((*candidate, wording) for candidate, wording in zip(some, found, strict=True))

    def _blocked(self, wording: TokenTuple) -> bool:
        if not self.block:
            return False
        return " ".join(wording) in self.block or not self.block.isdisjoint(wording)

    def _explained(self, query: str, suggestion: Suggestion) -> Suggestion:
        return replace(suggestion, explanation=self.retriever.explain(query, suggestion.query))


def at_least_one(name: str, given: int) -> int:
    """How many are wanted; less than one is an error."""
    if given < 1:
        raise InputError(f"{name} must be at least 1, got {given}")
    return given


def check_threshold(given: float | None) -> None:
    """A threshold may be any number, or none; what is not a number is an error."""
    if given is not None and isnan(given):
        raise InputError(f"the threshold must be a number, like 0.5, got {given}; without one leave it out")
