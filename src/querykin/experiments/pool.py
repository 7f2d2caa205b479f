"""Measures as search engines over a pool of candidates, most of them not judged (TREC pooling)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.evaluation.ranked_lists import DEPTH, Qrels, RankedLists, make_qrels
from querykin.index.ranking import Ranking
from querykin.io.judged_pairs import JudgedPairs
from querykin.querylog.repository import normalize_query
from querykin.workspace import Workspace

_QUERIES = 256  # searched for at once


@dataclass(frozen=True)
class Pool:
    """The candidates of all queries and further texts, as the repository of a temporary workspace."""

    workspace: Workspace
    judged: JudgedPairs

    @classmethod
    def make(cls, workspace: Workspace, folder: Path, judged: JudgedPairs, more: Iterable[str]) -> "Pool":
        """Put the judged candidates and more texts into a repository over the same corpus."""
        beside = workspace.beside(folder)
        texts = dict.fromkeys([*judged.candidates.distinct, *more])
        beside.repository.add((text, 1) for text in texts if normalize_query(text))
        return cls(beside, judged)

    @cached_property
    def _own_ids(self) -> Int64Array:
        """Each query's own id in the pool, -1 where it is not there."""
        return self.workspace.repository.ids_of(self.judged.queries.distinct)

    def qrels(self, relevant: float) -> Qrels:
        """The qrels of the pool; a query is not relevant to itself."""
        judged, lists = self.judged, self.judged.queries.ids
        query_ids = self.workspace.repository.ids_of(judged.candidates.distinct)[judged.candidates.ids]
        other = (query_ids != self._own_ids[lists]) | (query_ids < 0)
        return make_qrels(lists[other], query_ids[other], judged.grades[other], judged.query_groups, relevant)

    def search(
        self, measure: str, seed: int = 0, done: Callable[[int], None] = lambda queries: None
    ) -> RankedLists:
        """The nearest thousand of every query without itself; ties in random order."""
        retriever, rng = self.workspace.retriever(measure), np.random.default_rng(seed)
        queries = self.judged.queries.distinct
        lists, candidates = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for begin in range(0, len(queries), _QUERIES):
            part = queries[begin : begin + _QUERIES]
            for number, ranking in enumerate(retriever.search(part, DEPTH + 1), begin):
                found = _shuffled(ranking, rng)
                candidates.append(found[found != self._own_ids[number]][:DEPTH])
                lists.append(np.full(len(candidates[-1]), number))
            done(len(part))
        return RankedLists(np.concatenate(lists), np.concatenate(candidates))


def _shuffled(ranking: Ranking, rng: np.random.Generator) -> Int64Array:
    """The query_ids by falling score, equal ones at random: stored order would favour some texts."""
    return ranking.query_ids[np.lexsort((rng.random(len(ranking.scores)), -ranking.scores))]
