"""Evaluation of measures by searching a pool of candidates, most of them unjudged."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.evaluation.ranked_lists import DEPTH, Qrels, RankedLists, make_qrels
from querykin.index.ranking import Ranking
from querykin.io.judged_pairs import JudgedPairs
from querykin.text.normalization import normalize_query
from querykin.workspace import Workspace

_BATCH_QUERIES = 256  # queries per search


@dataclass(frozen=True)
class Pool:
    """All judged candidates and further texts, as the repository of a temporary workspace."""

    workspace: Workspace
    judged: JudgedPairs

    @classmethod
    def make(cls, workspace: Workspace, folder: Path, judged: JudgedPairs, further: Iterable[str]) -> "Pool":
        """Add the judged candidates and further texts to a repository over the same corpus."""
        temporary = workspace.beside(folder)
        texts = dict.fromkeys([*judged.candidates.distinct, *further])
        temporary.repository.add((text, 1) for text in texts if normalize_query(text))
        return cls(temporary, judged)

    @cached_property
    def _query_ids(self) -> Int64Array:
        """The id of each query in the pool, -1 if it is not in the pool."""
        return self.workspace.repository.ids_of(self.judged.queries.distinct)

    def qrels(self, relevant: float) -> Qrels:
        """The qrels of the pool; a query is not relevant to itself."""
        judged, lists = self.judged, self.judged.queries.ids
        query_ids = self.workspace.repository.ids_of(judged.candidates.distinct)[judged.candidates.ids]
        other = (query_ids != self._query_ids[lists]) | (query_ids < 0)
        return make_qrels(lists[other], query_ids[other], judged.grades[other], judged.query_groups, relevant)

    def search(
        self, measure: str, seed: int = 0, done: Callable[[int], None] = lambda queries: None
    ) -> RankedLists:
        """The nearest thousand candidates of every query, without itself; ties in random order."""
        retriever, rng = self.workspace.retriever(measure), np.random.default_rng(seed)
        queries = self.judged.queries.distinct
        lists, candidates = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for begin in range(0, len(queries), _BATCH_QUERIES):
            batch = queries[begin : begin + _BATCH_QUERIES]
            for number, ranking in enumerate(retriever.search(batch, DEPTH + 1), begin):
                query_ids = _ties_shuffled(ranking, rng)
                candidates.append(query_ids[query_ids != self._query_ids[number]][:DEPTH])
                lists.append(np.full(len(candidates[-1]), number))
            done(len(batch))
        return RankedLists(np.concatenate(lists), np.concatenate(candidates))


def _ties_shuffled(ranking: Ranking, rng: np.random.Generator) -> Int64Array:
    """The query ids by decreasing score, ties in random order: the stored order would bias the metrics."""
    return ranking.query_ids[np.lexsort((rng.random(len(ranking.scores)), -ranking.scores))]
