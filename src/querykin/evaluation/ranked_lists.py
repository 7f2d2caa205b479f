"""Metrics of ranked lists retrieved from a pool or a whole collection, as in TREC.

Unlike in `metrics`, most of the retrieved candidates are unjudged: these count as irrelevant. A relevant
candidate that is not retrieved counts as missed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import InputError
from querykin.evaluation.metrics import Metrics, mean
from querykin.evaluation.results import Evaluation, Result, check_baseline, differences
from querykin.io.judged_pairs import JudgedPairs, mean_grades
from querykin.io.text_column import dense_ids, dense_pair_ids
from querykin.io.trec import Run

DEPTH = 1000  # ranks of a list that are evaluated
PRECISIONS = (1, 3, 5)
RECALLS = (10, 100, 1000)


@dataclass(frozen=True)
class Qrels:
    """Relevance judgements: the list, the candidate and the grade of each judged pair."""

    lists: Int64Array
    candidates: Int64Array
    grades: Float64Array
    groups: Int64Array  # of each list
    relevant: float

    @property
    def relevant_counts(self) -> Int64Array:
        """Number of relevant candidates of each list."""
        return np.bincount(self.lists[self.grades >= self.relevant], minlength=len(self.groups))


@dataclass(frozen=True)
class RankedLists:
    """Retrieved candidates: the list of each, ascending, and the candidates of each list, the best first."""

    lists: Int64Array
    candidates: Int64Array


def make_qrels(
    lists: Int64Array, candidates: Int64Array, grades: Float64Array, groups: Int64Array, relevant: float
) -> Qrels:
    """Qrels from judgements; several of the same candidate in a list become one with their mean grade."""
    pairs = dense_pair_ids(lists, candidates + 1)
    _, first = np.unique(pairs, return_index=True)
    means = mean_grades(pairs, grades)
    qrels = Qrels(lists[first], candidates[first], means, groups, relevant)
    if not qrels.relevant_counts.any():
        raise InputError(
            f"no candidate has a grade of {relevant:g} or more (highest: {means.max(initial=-np.inf):g}); "
            "there is nothing to find: give a lower --relevant"
        )
    return qrels


def run_ranked_lists(judged: JudgedPairs, run: Run) -> tuple[Int64Array, RankedLists]:
    """The ids of the judged candidates, and the ranked lists of a run for the judged queries.

    The score decides the order, then the rank.
    """
    count = len(judged)
    queries = dense_ids(np.concatenate([judged.queries.hashes, run.queries.hashes]))
    candidates = dense_ids(np.concatenate([judged.candidates.hashes, run.candidates.hashes]))
    pairs = dense_pair_ids(queries[count:], candidates[count:])
    repeated = np.flatnonzero(np.bincount(pairs)[pairs] > 1)
    if len(repeated):
        query, candidate = run.queries[int(repeated[0])], run.candidates[int(repeated[0])]
        raise InputError(
            f"run {run.name!r} has {candidate!r} twice for query {query!r}; keep one line of them"
        )
    order = np.lexsort((run.ranks, -run.scores, queries[count:]))
    order = order[queries[count:][order] <= queries[:count].max()]  # the others were not judged
    return candidates[:count], RankedLists(queries[count:][order], candidates[count:][order])


def list_metrics(qrels: Qrels, retrieved: RankedLists) -> Metrics:
    """MAP, nDCG, precision and recall of ranked lists; the value of a group is the mean over its lists.

    Lists without relevant candidates are left out.

    >>> qrels = Qrels(np.array([0, 0]), np.array([7, 8]), np.array([1.0, 1.0]), np.array([0]), relevant=1)
    >>> found = list_metrics(qrels, RankedLists(np.array([0, 0, 0]), np.array([5, 8, 6])))
    >>> found.values["map"], found.values["recall@10"], round(found.values["p@3"], 3)
    (0.25, 0.5, 0.333)
    """
    count = len(qrels.groups)
    ranks = _ranks(retrieved.lists)
    evaluated = ranks <= DEPTH
    lists, ranks = retrieved.lists[evaluated], ranks[evaluated]
    grades = _grades(qrels, lists, retrieved.candidates[evaluated])
    is_relevant = grades >= qrels.relevant

    def ratio(contributions: Float64Array, denominator: Float64Array | Int64Array) -> Float64Array:
        return _group_means(_sums(lists, contributions, count), denominator, qrels)

    def relevant_within(k: int) -> Float64Array:
        return (is_relevant & (ranks <= k)).astype(np.float64)

    relevant_counts = qrels.relevant_counts
    cumulative = np.cumsum(is_relevant)
    hits: Int64Array = cumulative - (cumulative - is_relevant)[np.searchsorted(lists, lists)]
    gains = np.maximum(np.nan_to_num(grades), 0.0) / _discounts(ranks)
    by_group = {
        "map": ratio((is_relevant * hits / ranks).astype(np.float64), relevant_counts),
        "ndcg": ratio(gains, _ideal_gains(qrels)),
        **{f"p@{k}": ratio(relevant_within(k), np.full(count, k)) for k in PRECISIONS},
        **{f"recall@{k}": ratio(relevant_within(k), relevant_counts) for k in RECALLS},
    }
    values = {name: mean(each) for name, each in by_group.items()}
    return Metrics(values, by_group, np.arange(int(qrels.groups.max()) + 1))


def _grades(qrels: Qrels, lists: Int64Array, candidates: Int64Array) -> Float64Array:
    """The grade of every retrieved candidate; NaN if it is unjudged."""
    span = int(max(qrels.candidates.max(), candidates.max(initial=0))) + 2
    keys = qrels.lists * span + qrels.candidates + 1  # a judged candidate that is not in the pool is -1
    order = np.argsort(keys, kind="stable")
    wanted = lists * span + candidates + 1
    rows = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    return np.where(keys[rows] == wanted, qrels.grades[rows], np.nan)


def _ideal_gains(qrels: Qrels) -> Float64Array:
    """The discounted cumulative gain of each list in the ideal order."""
    gains = np.maximum(qrels.grades, 0.0)
    order = np.lexsort((-gains, qrels.lists))
    lists = qrels.lists[order]
    return _sums(lists, gains[order] / _discounts(_ranks(lists)), len(qrels.groups))


def _sums(owners: Int64Array, values: Float64Array, count: int) -> Float64Array:
    return np.bincount(owners, values, minlength=count).astype(np.float64)


def _discounts(ranks: Int64Array) -> Float64Array:
    discounts: Float64Array = np.log2(ranks + 1.0)
    return discounts


def _ranks(lists: Int64Array) -> Int64Array:
    """The rank of each entry in its list, from 1; lists are in ascending order."""
    return np.arange(1, len(lists) + 1) - np.searchsorted(lists, lists)


def _group_means(
    numerators: Float64Array, denominators: Float64Array | Int64Array, qrels: Qrels
) -> Float64Array:
    """Ratios of the lists with relevant candidates, averaged by group; NaN for groups without any."""
    used = (qrels.relevant_counts > 0) & (denominators > 0)
    count = int(qrels.groups.max()) + 1
    out = np.full(count, np.nan)
    lists = np.bincount(qrels.groups[used], minlength=count)
    sums = _sums(qrels.groups[used], numerators[used] / denominators[used], count)
    np.divide(sums, lists, out=out, where=lists > 0)
    return out


def evaluate_lists(
    qrels: Qrels,
    retrieved: Mapping[str, RankedLists],
    fingerprint: str,
    baseline: str | None = None,
    seed: int = 0,
) -> Evaluation:
    """Evaluate several retrieval systems by their ranked lists, and compare them with one of them."""
    metrics = {name: list_metrics(qrels, lists) for name, lists in retrieved.items()}
    base = check_baseline(baseline, metrics)
    compared = differences(metrics, {name: metrics[base] for name in metrics if name != base}, seed)
    results = [Result(name, each, compared.get(name, {})) for name, each in metrics.items()]
    groups = int(qrels.groups.max()) + 1
    return Evaluation(len(qrels.lists), groups, qrels.relevant, base, fingerprint, tuple(results))
