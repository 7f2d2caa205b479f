"""Which queries of the repository are nearest? By an index, several of them, or by going through all."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from querykin.building import frozen, lineage, settings
from querykin.compiled import Longs, Reals
from querykin.errors import WorkspaceError
from querykin.index.index import Index
from querykin.index.lists import Lists
from querykin.index.ranking import Ranking, best
from querykin.measures.base import Measure, ScannedMeasure, VectorMeasure
from querykin.measures.combination import Combination
from querykin.measures.stack import Stack
from querykin.records import Explanation
from querykin.repository import Repository

PROPOSED = 100  # candidates of each leading measure that a combination puts in order


class Judge(ABC):
    """Scores queries of a repository under one measure."""

    measure: Measure
    repository: Repository

    def scores(self, query: str, numbers: Longs) -> Reals:
        """The scores of a query with some of the repository's, by number."""
        return self.measure.score(query, self.repository.queries(numbers))


class Retriever(Judge):
    """Finds the nearest queries of a repository under one measure."""

    @abstractmethod
    def nearest(self, queries: Sequence[str], k: int, least: float = -np.inf) -> list[Ranking]:
        """For each query the k nearest ones that score `least` or more; ties by count, then by text."""

    def explain(self, query: str, candidate: str) -> Explanation:
        """Why a candidate is near."""
        return self.measure.explain(query, candidate)


@dataclass(frozen=True)
class PairByPair(Judge):
    """By comparing texts: for measures that cannot search."""

    measure: Measure
    repository: Repository


@dataclass(frozen=True)
class Indexed(Retriever):
    """By an index of the candidates' rows."""

    index: Index
    repository: Repository
    today: VectorMeasure  # over the corpus as it is now
    min_count: int = 1

    @cached_property
    def measure(self) -> VectorMeasure:  # type: ignore[override]
        """The measure under the statistics that the index was built with."""
        visible, wanted = self.index.visible, settings(self.today)
        owners = lineage(self.today.expander.corpus, self.repository)
        if visible and (visible.measure, visible.lineage) != (wanted, owners):
            raise WorkspaceError(
                f"the index of {self.today.name} was built with other settings, counts or documents; next: "
                f"querykin build --measures {self.today.name}, with the same --config "
                f"(built: {visible.measure}; now: {wanted})"
            )
        return frozen(self.today, self.index)

    def nearest(self, queries: Sequence[str], k: int, least: float = -np.inf) -> list[Ranking]:
        """Exact: what scoring every candidate would find; queries removed meanwhile are not found."""
        alive, step = self.index.alive(self.repository, self.min_count), max(1, self.measure.batch // 16)
        found: list[Ranking] = []
        for begin in range(0, len(queries), step):  # rows of queries may be long
            rows = self.measure.encode_queries(queries[begin : begin + step])
            found += self.index.search(self.measure, rows, k, self.repository, alive, least)
        return found

    def scores(self, query: str, numbers: Longs) -> Reals:
        """From the rows of the index, which are there already."""
        return self.index.scores(self.measure, self.measure.encode_queries([query]), numbers, self.repository)


@dataclass(frozen=True)
class Stacked(Retriever):
    """Several lists, one under the other; what stands in two of them keeps its higher place."""

    stack: Stack
    repository: Repository
    parts: tuple[Indexed, ...]

    @cached_property
    def measure(self) -> Stack:  # type: ignore[override]
        """The stack under the statistics of the indexes."""
        return replace(self.stack, parts=tuple(part.measure for part in self.parts))

    def nearest(self, queries: Sequence[str], k: int, least: float = -np.inf) -> list[Ranking]:
        """The k nearest are among the k nearest of each tier."""
        tiers = [part.nearest(queries, k) for part in self.parts]
        return [self._merged(rankings, k, least) for rankings in zip(*tiers, strict=True)]

    def _merged(self, rankings: Sequence[Ranking], k: int, least: float) -> Ranking:
        highest: dict[int, float] = {}
        for tier, ranking in enumerate(rankings):
            lifted = self.stack.lift(tier, ranking.scores)
            for number, score in zip(ranking.numbers.tolist(), lifted.tolist(), strict=True):
                highest.setdefault(number, score)
        found = np.array([*highest], np.int64), np.array([*highest.values()])
        ranking = best([found], k, self.repository, least)
        return replace(ranking, covered=any(part.covered for part in rankings))

    def scores(self, query: str, numbers: Longs) -> Reals:
        """The highest tier that matches decides."""
        tiers = [self.stack.lift(tier, part.scores(query, numbers)) for tier, part in enumerate(self.parts)]
        highest: Reals = np.array(tiers).max(axis=0)
        return highest


@dataclass(frozen=True)
class Scanned(Retriever):
    """By scoring every candidate: for measures that no index can serve."""

    measure: ScannedMeasure
    repository: Repository
    min_count: int = 1

    @cached_property
    def _candidates(self) -> tuple[Longs, list[str]]:
        numbers = self.repository.living()
        return numbers, self.measure.prepare(self.repository.queries(numbers))

    def nearest(self, queries: Sequence[str], k: int, least: float = -np.inf) -> list[Ranking]:
        """The best of all that score above 0."""
        return [self._nearest(query, k, least) for query in self.measure.prepare(queries)]

    def _nearest(self, query: str, k: int, least: float) -> Ranking:
        numbers, prepared = self._candidates
        if not query:
            return Ranking.none(covered=False)
        scores = self.measure.scan(query, prepared)
        kept = (scores > 0) & (self.repository.counts[numbers] >= max(1, self.min_count))
        return best([(numbers[kept], scores[kept])], k, self.repository, least)


@dataclass(frozen=True)
class Reranked(Retriever):
    """Candidates by the strongest measures of a combination, in the order of all of them together."""

    combination: Combination
    repository: Repository
    parts: tuple[Judge, ...]  # one for each measure of the combination

    @cached_property
    def measure(self) -> Combination:  # type: ignore[override]
        """The combination under the statistics of the indexes."""
        return replace(self.combination, parts=tuple(part.measure for part in self.parts))

    @cached_property
    def _leaders(self) -> list[Retriever]:
        wanted = self.combination.model.content["leaders"]
        return [part for part in self.parts if isinstance(part, Retriever) and part.measure.name in wanted]

    def nearest(self, queries: Sequence[str], k: int, least: float = -np.inf) -> list[Ranking]:
        """The best of what the leaders propose: not exact, since the others could know more."""
        depth = max(PROPOSED, k)
        proposed = [leader.nearest(queries, depth) for leader in self._leaders]
        if not proposed:
            raise WorkspaceError(
                f"none of the measures of {self.combination.name!r} can search a repository; train it with "
                "one that can, like web-kernel"
            )
        return [
            self._nearest(query, found, k, least) for query, *found in zip(queries, *proposed, strict=True)
        ]

    def _nearest(self, query: str, proposed: Sequence[Ranking], k: int, least: float) -> Ranking:
        numbers = np.unique(np.concatenate([ranking.numbers for ranking in proposed]))
        covered = any(ranking.covered for ranking in proposed)
        if not len(numbers):
            return Ranking.none(covered)
        candidates = self.repository.queries(numbers)
        scores = self.measure.combine(
            [query] * len(numbers), candidates, [part.scores(query, numbers) for part in self.parts]
        )
        return replace(best([(numbers, scores)], k, self.repository, least), covered=covered)


def retriever_of(
    measure: Measure, repository: Repository, rows: Callable[[VectorMeasure], Index], min_count: int = 1
) -> Retriever:
    """What searches a repository by a measure; `rows` gives the index of a vector measure."""

    def indexed(part: VectorMeasure) -> Indexed:
        return Indexed(rows(part), repository, part, min_count)

    def judge(part: Measure) -> Judge:
        searches = bool(part.indexed_parts())
        return retriever_of(part, repository, rows, min_count) if searches else PairByPair(part, repository)

    if isinstance(measure, VectorMeasure):
        return indexed(measure)
    if isinstance(measure, Stack):
        return Stacked(measure, repository, tuple(map(indexed, measure.parts)))
    if isinstance(measure, ScannedMeasure):
        return Scanned(measure, repository, min_count)
    if isinstance(measure, Combination):
        return Reranked(measure, repository, tuple(map(judge, measure.parts)))
    raise WorkspaceError(f"measure {measure.name!r} compares pairs only; use querykin similarity or score")


class IndexedCollection:
    """The expansions of all candidates taken together, as a language model wants them."""

    def __init__(self, index: Index, repository: Repository) -> None:
        self._index, self._alive = index, index.alive(repository)
        pairs = zip(index.segments, self._alive, strict=True)
        self._length = sum(float(segment.sizes[alive].sum()) for segment, alive in pairs)
        self._known: dict[int, float] = {}

    def counts(self, words: Longs) -> Reals:
        """How often each word comes; summed up once for each."""
        asked = words.tolist()
        if new := {word for word in asked if word not in self._known}:
            wanted = np.array(sorted(new), np.int64)
            total = np.zeros(len(wanted))
            for segment, alive in zip(self._index.segments, self._alive, strict=True):
                total += cast(Lists, segment.rows).totals(wanted, alive)
            self._known.update(zip(wanted.tolist(), total.tolist(), strict=True))
        return np.array([self._known[word] for word in asked], np.float64)

    def length(self) -> float:
        """How many words they have together."""
        return self._length
