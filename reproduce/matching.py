"""The matching experiment of Metzler et al. (2007) on our data: what each method returns, and what of it is good.

Two tasks. `trec_tasks`: the judged suggestions of a query, of which a method returns those that it matches;
highly relevant (2) stands for the paper's Excellent, relevant (1) for Good. `uqv100`: a search, as in the
paper; every variation of a need asks a pool of all variations and of web queries for the others.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.experiments.pool import Pool
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.query_files import read_queries
from querykin.io.tables import as_text, read_table
from querykin.io.text_column import TextColumn
from querykin.measures import measures
from reproduce import data
from reproduce.judged_sets import JudgedSet
from reproduce.kept import scores_by
from reproduce.suggestions import list_file

METHODS = ["lexical", "stemming", "sparse-prob", "dense-prob", "backoff"]
EVERY = 10  # web queries, of which one joins the pool


@dataclass(frozen=True)
class Found:
    """What a method returns for each query, the best first: query, rank from 1, and whether it is good."""

    queries: Int64Array
    ranks: Int64Array
    good: BoolArray
    relevant: Int64Array  # how many good ones there are for each query, returned or not

    def counts(self) -> Int64Array:
        """How many candidates each query gets."""
        return np.bincount(self.queries, minlength=len(self.relevant))

    def precision_at(self, depths: Int64Array) -> Float64Array:
        """The share of good ones down to a depth of its own for each query; what is not returned is not good."""
        kept = self.good & (self.ranks <= depths[self.queries])
        hits = np.bincount(self.queries[kept], minlength=len(depths))
        return hits / np.maximum(depths, 1)

    def eleven_points(self) -> Float64Array:
        """For each query the best precision at a recall of at least 0, .1, ... 1; 0 where it is never reached."""
        best = np.zeros((len(self.relevant), 11))
        hits = np.zeros(len(self.relevant), np.int64)
        for query, rank in zip(self.queries[self.good].tolist(), self.ranks[self.good].tolist(), strict=True):
            hits[query] += 1
            tenth = 10 * hits[query] // self.relevant[query]
            best[query, tenth] = max(best[query, tenth], hits[query] / rank)
        return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]


def matched(workspace: Workspace, judged: JudgedSet, relevant: float) -> dict[str, Found]:
    """What each method returns of a query's judged candidates: those it gives a score, and tiers one above 0."""
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
    """What each method finds in the pool for every variation, and the number of each variation's need."""
    judged = variations()
    web = (query for query, _, _ in read_queries(str(list_file("trec-web-queries")), print))
    more = [query for number, query in enumerate(web) if number % EVERY == 0]
    with TemporaryDirectory(prefix="reproduce-pool-") as folder:
        pool = Pool.make(workspace, Path(folder), judged, more)
        wanted = pool.qrels(1)
        keys = np.unique(wanted.lists * (1 << 32) + wanted.candidates)
        found = {}
        for name in METHODS:
            lists = pool.search(name)
            good = np.isin(lists.lists * (1 << 32) + lists.candidates, keys)
            found[name] = Found(lists.lists, _ranks(lists.lists), good, wanted.good)
    return found, wanted.groups


def variations() -> JudgedPairs:
    """Every two different variations of one need as a query and a candidate that is wanted."""
    rows = read_table(str(data.labelled_file("variations")), ["need_id", "query"]).rows
    needs: dict[str, list[str]] = {}
    for row in rows:
        needs.setdefault(as_text(row["need_id"]), []).append(as_text(row["query"]))
    pairs = [(a, b, need) for need, queries in needs.items() for a in queries for b in queries if a != b]
    queries, candidates, groups = (TextColumn(column) for column in zip(*pairs, strict=True))
    return JudgedPairs(queries, candidates, np.ones(len(pairs)), groups)


def _ranks(sorted_queries: Int64Array) -> Int64Array:
    return np.arange(1, len(sorted_queries) + 1) - np.searchsorted(sorted_queries, sorted_queries)
