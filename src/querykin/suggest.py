"""What should we offer? Retrieve the nearest queries, then filter for variety."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import inf, isnan
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from querykin.corpus.readers import open_text
from querykin.errors import InputError
from querykin.index.ranking import Ranking
from querykin.pairs import chunks
from querykin.records import Explanation, explanation_json
from querykin.registry import Registry
from querykin.repository import Repository
from querykin.retrieval import Retriever
from querykin.text import stem, tokenise

_POOL = 8  # candidates for each suggestion: how much deeper every next search goes
_AT_ONCE = 1024  # queries searched together
_PAIRS = 10_000_000  # of them found together at most: 160 MB
NEAREST = 10  # others of a query where nobody says how many or how near
_DEEPER = 4  # more searches for one query at most
Wording = tuple[str, ...]  # the words of a query
Accept = Callable[[Wording, Wording], bool]
filters: Registry[Accept] = Registry("filter")

# Words that make no difference between two queries.
SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "at",
        "by",
        "for",
        "from",
        "in",
        "is",
        "of",
        "on",
        "or",
        "s",
        "the",
        "to",
        "what",
        "with",
    ]
)


@filters.register("none")
def anything(candidate: Wording, chosen: Wording) -> bool:
    """Every candidate may stand beside every other."""
    return True


@filters.register("paper")
def paper(candidate: Wording, chosen: Wording) -> bool:
    """The rule of Sahami & Heilman (2006): |q| - |q & z| > |z| / 2, over sets of words.

    >>> paper(*wordings(["california lotto home", "california lottery"]))
    True
    >>> paper(*wordings(["nasa", "space exploration"]))
    False
    """
    mine, theirs = set(candidate), set(chosen)
    return len(mine) - len(mine & theirs) > 0.5 * len(theirs)


@filters.register("diverse")
def diverse(candidate: Wording, chosen: Wording) -> bool:
    """Not the same query again in other forms, another order, with small words or with a typing error.

    >>> diverse(*wordings(["the seattle mariner", "Mariners Seattle"]))
    False
    >>> diverse(*wordings(["seatle mariners", "seattle mariners"]))
    False
    >>> diverse(*wordings(["seattle mariners tickets", "seattle mariners"]))
    True
    """
    if SMALL_WORDS.issuperset(candidate):
        return False  # "the" is no query
    mine, theirs = _content(candidate), _content(chosen)
    if mine == theirs or "".join(candidate) == "".join(chosen):
        return False
    only_mine, only_theirs = mine - theirs, theirs - mine
    return not (len(only_mine) == len(only_theirs) == 1 and _misspelt(*only_mine, *only_theirs))


def wordings(queries: Sequence[str]) -> list[Wording]:
    """The words of queries, as filters see them."""
    return [tuple(spaced.split(" ")) if spaced else () for spaced in tokenise(queries).spaced()]


@lru_cache(maxsize=10_000)  # a suggestion is compared with every other one of its list
def _content(found: Wording) -> frozenset[str]:
    return frozenset(stem(word) for word in found if word not in SMALL_WORDS) or frozenset(found)


def _misspelt(a: str, b: str) -> bool:
    """One letter more, less, changed or swapped in a long word; figures are never typing errors."""
    if min(len(a), len(b)) < 5 or any(c.isdigit() for c in a + b):
        return False
    swapped = len(a) == len(b) and sorted(a) == sorted(b) and Levenshtein.distance(a, b) == 2
    return swapped or Levenshtein.distance(a, b) == 1


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A related query with its score and how often it was asked."""

    query: str
    score: float
    count: int
    number: int  # in the repository
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
            "query": suggestion.query, "score": round(suggestion.score, 9), "count": suggestion.count,
        }  # fmt: skip
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
        first = self.retriever.nearest(queries, at_least_one("limit", limit) * _POOL, self._least)
        offered = []
        for query, ranking in zip(queries, first, strict=True):
            chosen = self._choose(query, self._pool(query, ranking, limit * _POOL), limit)
            if explain:
                chosen = [self._explained(query, suggestion) for suggestion in chosen]
            offered.append(Suggestions(query, ranking.covered, self._measure, tuple(chosen)))
        return offered

    def match(self, queries: Sequence[str], k: int) -> list[Suggestions]:
        """The nearest k queries that reach the threshold for each of many, without filters, on all cores."""
        found = self.retriever.nearest(queries, at_least_one("k", k), self._least)
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
        for numbers in chunks(self.repository.living().tolist(), min(_AT_ONCE, 1 + _PAIRS // max(1, most))):
            texts = self.repository.queries(numbers)
            rankings = self.retriever.nearest(texts, most + 1, self._least)
            for number, query, ranking in zip(numbers, texts, rankings, strict=True):
                others = [offer for offer in self._listed(ranking) if offer.number != number][:most]
                yield number, Suggestions(query, ranking.covered, self._measure, tuple(others))

    @property
    def _measure(self) -> str:
        return self.retriever.measure.name

    @property
    def _least(self) -> float:
        return -inf if self.threshold is None else self.threshold

    def _listed(self, ranking: Ranking) -> Iterator[Suggestion]:
        for number, score in zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True):
            yield self._suggestion(number, score)

    def _suggestion(self, number: int, score: float) -> Suggestion:
        return Suggestion(self.repository.query(number), score, int(self.repository.counts[number]), number)

    def _pool(self, query: str, ranking: Ranking, depth: int) -> Iterator[tuple[int, float]]:
        """Candidates by falling score; deeper searches are made only when the filter asks for more.

        A combination puts more candidates in order when it looks deeper, so that some may change places.
        """
        seen = set(ranking.numbers.tolist())
        yield from zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True)
        for _ in range(_DEEPER):
            if len(ranking.numbers) < depth:
                return
            depth *= _POOL
            (ranking,) = self.retriever.nearest([query], depth, self._least)
            found = zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True)
            yield from ((number, score) for number, score in found if number not in seen)
            seen.update(ranking.numbers.tolist())

    def _choose(self, query: str, pool: Iterator[tuple[int, float]], limit: int) -> list[Suggestion]:
        accept = filters[self.filter]
        chosen: list[Suggestion] = []
        against = wordings([query])
        for number, score, wording in self._worded(pool, 2 * limit):
            if len(chosen) == limit:
                break
            if not self._blocked(wording) and all(accept(wording, other) for other in against):
                chosen.append(self._suggestion(number, score))
                against.append(wording)
        return sorted(chosen, key=lambda suggestion: -suggestion.score)

    def _worded(self, pool: Iterator[tuple[int, float]], step: int) -> Iterator[tuple[int, float, Wording]]:
        """Candidates with their words, which are found for several at once."""
        while some := list(islice(pool, step)):
            found = wordings(self.repository.queries(number for number, _ in some))
            yield from ((*candidate, wording) for candidate, wording in zip(some, found, strict=True))

    def _blocked(self, wording: Wording) -> bool:
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


def read_block_list(path: Path | None) -> frozenset[str]:
    """Words and queries, one a line, that are never to be offered."""
    lines = open_text(str(path)) if path else []
    return frozenset(" ".join(wording) for wording in wordings(list(lines)) if wording)
