"""The matching experiment of Metzler et al. (2007) on our data: the candidates each method returns, and their relevance.

Two tasks. `trec_tasks`: a method returns those judged suggestions of a query that it matches; highly relevant (2)
corresponds to Excellent in the paper, relevant (1) to Good. `uqv100`: a search, as in the paper; every variation of a need
searches a pool of all variations and of web queries for the others.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.experiments.pool import Pool
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.query_files import read_queries
from querykin.io.tables import as_text, read_table
from querykin.io.text_column import TextColumn
from querykin.measures import measures
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.data import list_file
from reproduce.judged_sets import JudgedSet

METHODS = ["lexical", "stemming", "sparse-prob", "dense-prob", "backoff", DEFAULT_MEASURE]
EVERY = 10  # one of so many web queries is in the pool


@dataclass(frozen=True)
class Found:
    """The candidates a method returns: query, rank from 1, and relevance."""

    queries: Int64Array
    ranks: Int64Array
    good: BoolArray
    relevant: Int64Array  # number of relevant candidates of each query, returned or not

    def counts(self) -> Int64Array:
        """The number of candidates returned for each query."""
        return np.bincount(self.queries, minlength=len(self.relevant))

    def precision_at(self, depths: Int64Array) -> Float64Array:
        """Precision at a depth given per query; missing candidates count as not relevant."""
        kept = self.good & (self.ranks <= depths[self.queries])
        hits = np.bincount(self.queries[kept], minlength=len(depths))
        return hits / np.maximum(depths, 1)

    def eleven_points(self) -> Float64Array:
        """Interpolated precision of each query at recall 0, .1, ... 1; 0 where the recall is not reached."""
        best = np.zeros((len(self.relevant), 11))
        hits = np.zeros(len(self.relevant), np.int64)
        for query, rank in zip(self.queries[self.good].tolist(), self.ranks[self.good].tolist(), strict=True):
            hits[query] += 1
            tenth = 10 * hits[query] // self.relevant[query]
            best[query, tenth] = max(best[query, tenth], hits[query] / rank)
        return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]


def matched(workspace: Workspace, judged: JudgedSet, relevant: float) -> dict[str, Found]:
    """The judged candidates that each method returns: those with a score, for tiered measures above 0."""
    groups, rng = judged.judged.groups.ids, np.random.default_rng(0)
    good = judged.judged.grades >= relevant
    total = np.bincount(groups[good], minlength=int(groups.max()) + 1)
    found = {}
    for name, scores in scores_by(workspace, METHODS, judged).items():
        returned = np.flatnonzero(scores > 0 if measures[name].kind.always_scores else ~np.isnan(scores))
        order = returned[np.lexsort((rng.random(len(returned)), -scores[returned], groups[returned]))]
        found[name] = Found(groups[order], _ranks(groups[order]), good[order], total)
    return found


@cache
def searched(workspace: Workspace) -> tuple[dict[str, Found], Int64Array]:
    """The results of each method in the pool for every variation, and the need of each variation."""
    judged = variations()
    web = (query for query, _, _ in read_queries(str(list_file("trec-web-queries")), print))
    more = [query for number, query in enumerate(web) if number % EVERY == 0]
    with TemporaryDirectory(prefix="reproduce-pool-") as folder:
        pool = Pool.make(workspace, Path(folder), judged, more)
        qrels = pool.qrels(1)
        keys = np.unique(qrels.lists * (1 << 32) + qrels.candidates)
        found = {}
        for name in METHODS:
            lists = pool.search(name)
            good = np.isin(lists.lists * (1 << 32) + lists.candidates, keys)
            found[name] = Found(lists.lists, _ranks(lists.lists), good, qrels.relevant_counts)
    return found, qrels.groups


def variations() -> JudgedPairs:
    """All ordered pairs of different variations of one need, as query and relevant candidate."""
    rows = read_table(str(data.labelled_file("variations")), ["need_id", "query"]).rows
    needs: dict[str, list[str]] = {}
    for row in rows:
        needs.setdefault(as_text(row["need_id"]), []).append(as_text(row["query"]))
    pairs = [(a, b, need) for need, queries in needs.items() for a in queries for b in queries if a != b]
    queries, candidates, groups = (TextColumn(column) for column in zip(*pairs, strict=True))
    return JudgedPairs(queries, candidates, np.ones(len(pairs)), groups)


def _ranks(sorted_queries: Int64Array) -> Int64Array:
    return np.arange(1, len(sorted_queries) + 1) - np.searchsorted(sorted_queries, sorted_queries)
