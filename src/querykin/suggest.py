"""What should we offer? Retrieve the nearest queries, then filter for variety."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from querykin.building import frozen, settings
from querykin.compiled import Bools
from querykin.corpus.readers import open_text
from querykin.errors import WorkspaceError
from querykin.index.index import Index, Ranking
from querykin.measures.base import VectorMeasure
from querykin.records import Explanation
from querykin.registry import Registry
from querykin.repository import Repository
from querykin.text import stem, words
from querykin.vectors import Vectors

Accept = Callable[[str, str], bool]
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
def anything(candidate: str, chosen: str) -> bool:
    """Every candidate may stand beside every other."""
    return True


@filters.register("paper")
def paper(candidate: str, chosen: str) -> bool:
    """The rule of Sahami & Heilman (2006): |q| - |q & z| > |z| / 2, over sets of words.

    >>> paper("california lotto home", "california lottery"), paper("nasa", "space exploration")
    (True, False)
    """
    mine, theirs = set(_words(candidate)), set(_words(chosen))
    return len(mine) - len(mine & theirs) > 0.5 * len(theirs)


@filters.register("diverse")
def diverse(candidate: str, chosen: str) -> bool:
    """Not the same query again in other forms, another order, with small words or with a typing error.

    >>> diverse("the seattle mariner", "Mariners Seattle"), diverse("seatle mariners", "seattle mariners")
    (False, False)
    >>> diverse("seattle mariners tickets", "seattle mariners"), diverse("nasa", "space exploration")
    (True, True)
    """
    if SMALL_WORDS.issuperset(_words(candidate)):
        return False  # "the" is no query
    mine, theirs = _content(candidate), _content(chosen)
    if mine == theirs or "".join(_words(candidate)) == "".join(_words(chosen)):
        return False
    only_mine, only_theirs = mine - theirs, theirs - mine
    return not (len(only_mine) == len(only_theirs) == 1 and _misspelt(*only_mine, *only_theirs))


@lru_cache(maxsize=10_000)  # a suggestion is compared with every other one of its list
def _words(query: str) -> tuple[str, ...]:
    return tuple(words(query))


@lru_cache(maxsize=10_000)
def _content(query: str) -> frozenset[str]:
    found = _words(query)
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


@dataclass(frozen=True)
class Suggester:
    """Offers related queries of a repository; `block` lists words and queries never to be offered."""

    index: Index
    repository: Repository
    measure: VectorMeasure
    filter: str = "diverse"
    threshold: float = 0.0
    min_count: int = 1
    block: frozenset[str] = frozenset()

    def suggest(self, queries: Sequence[str], limit: int, explain: bool = False) -> list[Suggestions]:
        """Related queries for each of several queries, best first."""
        vectors = self.asking.encode(queries)
        alive = self.index.alive(self.repository, self.min_count)
        offered = []
        for row, query in enumerate(queries):
            pool = self._pool(vectors.take(row), limit, alive)
            chosen = self._choose(query, pool, limit)
            if explain:
                chosen = [self._explained(query, suggestion) for suggestion in chosen]
            offered.append(Suggestions(query, bool(vectors.covered[row]), self.measure.name, tuple(chosen)))
        return offered

    def match(self, queries: Sequence[str], k: int) -> list[Suggestions]:
        """The nearest k queries for each of many, without filters, on all cores."""
        vectors = self.asking.encode(queries)
        rankings = self.index.search(vectors, k, self.index.alive(self.repository, self.min_count))
        return [
            Suggestions(query, bool(covered), self.measure.name, tuple(self._listed(ranking)))
            for query, covered, ranking in zip(queries, vectors.covered, rankings, strict=True)
        ]

    @cached_property
    def asking(self) -> VectorMeasure:
        """The measure under the statistics that the index was built with."""
        if self.index.visible and self.index.visible.measure != settings(self.measure):
            raise WorkspaceError(
                f"the index of {self.measure.name} was built with other settings; next: querykin build "
                f"--measures {self.measure.name}, with the same --config "
                f"(built: {self.index.visible.measure}; now: {settings(self.measure)})"
            )
        return frozen(self.measure, self.index)

    def _listed(self, ranking: Ranking) -> Iterator[Suggestion]:
        for number, score in zip(ranking.numbers.tolist(), ranking.scores.tolist(), strict=True):
            yield self._suggestion(number, score)

    def _suggestion(self, number: int, score: float) -> Suggestion:
        count = int(self.repository.counts[number])
        return Suggestion(self.repository.query(number), min(score, 1.0), count, number)

    def _pool(self, vector: Vectors, limit: int, alive: list[Bools]) -> Iterator[tuple[int, float]]:
        """Candidates by falling score; deeper searches are made only when the filter asks for more."""
        depths = [0, *(limit * 8**step for step in range(1, 6))]
        for before, depth in pairwise(depths):
            (ranking,) = self.index.search(vector, depth, alive)
            for number, score in zip(ranking.numbers[before:], ranking.scores[before:], strict=True):
                yield int(number), float(score)
            if len(ranking.numbers) < depth:
                return

    def _choose(self, query: str, pool: Iterator[tuple[int, float]], limit: int) -> list[Suggestion]:
        accept = filters[self.filter]
        chosen: list[Suggestion] = []
        for number, score in pool:
            if len(chosen) == limit or score < self.threshold:
                break
            candidate = self.repository.query(number)
            against = [query, *(suggestion.query for suggestion in chosen)]
            if not self._blocked(candidate) and all(accept(candidate, other) for other in against):
                chosen.append(self._suggestion(number, score))
        return chosen

    def _blocked(self, candidate: str) -> bool:
        found = words(candidate)
        return bool(self.block) and (" ".join(found) in self.block or not self.block.isdisjoint(found))

    def _explained(self, query: str, suggestion: Suggestion) -> Suggestion:
        return replace(suggestion, explanation=self.asking.explain(query, suggestion.query))


def read_block_list(path: Path | None) -> frozenset[str]:
    """Words and queries, one a line, that are never to be offered."""
    lines = open_text(str(path)) if path else []
    return frozenset(filter(None, (" ".join(words(line)) for line in lines)))
