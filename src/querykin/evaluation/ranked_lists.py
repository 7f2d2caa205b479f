"""How much of what is relevant does a search find? Metrics of ranked lists from a pool or a whole collection.

Unlike pairs that were all judged, most of what a search returns was not: it counts as irrelevant. What is
relevant and not returned counts as missed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import InputError
from querykin.evaluation.metrics import Metrics, mean
from querykin.evaluation.results import Evaluation, Result, check_baseline, differences
from querykin.io.judged_pairs import mean_grades
from querykin.io.text_column import dense_pair_ids

DEPTH = 1000  # places of a list that count
PRECISIONS = (1, 3, 5)
RECALLS = (10, 100, 1000)


@dataclass(frozen=True)
class Qrels:
    """What there is to find: for each judged pair the number of its list, of its candidate, and its grade."""

    lists: Int64Array
    candidates: Int64Array
    grades: Float64Array
    groups: Int64Array  # of each list
    relevant: float

    @property
    def good(self) -> Int64Array:
        """How many relevant candidates each list has."""
        return np.bincount(self.lists[self.grades >= self.relevant], minlength=len(self.groups))


@dataclass(frozen=True)
class RankedLists:
    """What a search returns: numbers of lists, rising, and of candidates, the best of each list first."""

    lists: Int64Array
    candidates: Int64Array


def make_qrels(
    lists: Int64Array, candidates: Int64Array, grades: Float64Array, groups: Int64Array, relevant: float
) -> Qrels:
    """What judgements ask for; several of one candidate in one list count once, with their mean grade."""
    pairs = dense_pair_ids(lists, candidates + 1)
    _, first = np.unique(pairs, return_index=True)
    means = mean_grades(pairs, grades)
    found = Qrels(lists[first], candidates[first], means, groups, relevant)
    if not found.good.any():
        raise InputError(
            f"no candidate has a grade of {relevant:g} or more (highest: {means.max(initial=-np.inf):g}); "
            "there is nothing to find: give a lower --relevant"
        )
    return found


def list_metrics(asked: Qrels, returned: RankedLists) -> Metrics:
    """Mean average precision, nDCG, precision and recall of lists; a group's value is the mean of its lists'.

    Lists without anything relevant are left out.

    >>> asked = Qrels(np.array([0, 0]), np.array([7, 8]), np.array([1.0, 1.0]), np.array([0]), relevant=1)
    >>> found = list_metrics(asked, RankedLists(np.array([0, 0, 0]), np.array([5, 8, 6])))
    >>> found.values["map"], found.values["recall@10"], round(found.values["p@3"], 3)
    (0.25, 0.5, 0.333)
    """
    count = len(asked.groups)
    ranks = _ranks(returned.lists)
    kept = ranks <= DEPTH
    lists, ranks = returned.lists[kept], ranks[kept]
    grades = _grades(asked, lists, returned.candidates[kept])
    good = grades >= asked.relevant

    def per_list(places: Float64Array, below: Float64Array | Int64Array) -> Float64Array:
        return _by_group(_sums(lists, places, count), below, asked)

    def found(k: int) -> Float64Array:
        return (good & (ranks <= k)).astype(np.float64)

    hits: Int64Array = np.cumsum(good) - (np.cumsum(good) - good)[np.searchsorted(lists, lists)]
    gains = np.maximum(np.nan_to_num(grades), 0.0) / _discounts(ranks)
    by_group = {
        "map": per_list((good * hits / ranks).astype(np.float64), asked.good),
        "ndcg": per_list(gains, _ideal_gain(asked)),
        **{f"p@{k}": per_list(found(k), np.full(count, k)) for k in PRECISIONS},
        **{f"recall@{k}": per_list(found(k), asked.good) for k in RECALLS},
    }
    values = {name: mean(each) for name, each in by_group.items()}
    return Metrics(values, by_group, np.arange(int(asked.groups.max()) + 1))


def _grades(asked: Qrels, lists: Int64Array, candidates: Int64Array) -> Float64Array:
    """The grade of every candidate returned; NaN where nobody has judged it."""
    span = int(max(asked.candidates.max(), candidates.max(initial=0))) + 2
    keys = asked.lists * span + asked.candidates + 1  # a candidate that is not in the pool has the number -1
    order = np.argsort(keys, kind="stable")
    looked_up = lists * span + candidates + 1
    places = order[np.minimum(np.searchsorted(keys[order], looked_up), len(keys) - 1)]
    return np.where(keys[places] == looked_up, asked.grades[places], np.nan)


def _ideal_gain(asked: Qrels) -> Float64Array:
    """The discounted gain of each list in the best order."""
    gains = np.maximum(asked.grades, 0.0)
    order = np.lexsort((-gains, asked.lists))
    lists = asked.lists[order]
    return _sums(lists, gains[order] / _discounts(_ranks(lists)), len(asked.groups))


def _sums(places: Int64Array, values: Float64Array, count: int) -> Float64Array:
    """The sum of the values at each place."""
    return np.bincount(places, values, minlength=count).astype(np.float64)


def _discounts(ranks: Int64Array) -> Float64Array:
    logarithms: Float64Array = np.log2(ranks + 1.0)
    return logarithms


def _ranks(lists: Int64Array) -> Int64Array:
    """The place of each entry in its list, from 1; lists come by rising number."""
    return np.arange(1, len(lists) + 1) - np.searchsorted(lists, lists)


def _by_group(above: Float64Array, below: Float64Array | Int64Array, asked: Qrels) -> Float64Array:
    """Quotients of the lists with something relevant, as means of groups; NaN for groups without any."""
    used = (asked.good > 0) & (below > 0)
    count = int(asked.groups.max()) + 1
    out = np.full(count, np.nan)
    lists = np.bincount(asked.groups[used], minlength=count)
    np.divide(_sums(asked.groups[used], above[used] / below[used], count), lists, out=out, where=lists > 0)
    return out


def evaluate_lists(
    asked: Qrels,
    returned: Mapping[str, RankedLists],
    fingerprint: str,
    baseline: str | None = None,
    seed: int = 0,
) -> Evaluation:
    """Evaluate searches by what each returns, and compare them with one of them group by group."""
    found = {name: list_metrics(asked, lists) for name, lists in returned.items()}
    base = check_baseline(baseline, found)
    against_base = differences(found, {name: found[base] for name in found if name != base}, seed)
    results = [Result(name, metrics, against_base.get(name, {})) for name, metrics in found.items()]
    groups = int(asked.groups.max()) + 1
    return Evaluation(len(asked.lists), groups, asked.relevant, base, fingerprint, tuple(results))
