"""What a combination knows of a pair: its scores, their ranks in the query's list, and plain facts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz.distance import Levenshtein

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.text.tokenizer import tokenize

RANK, COVERED = "rank by ", "covered by "


@dataclass(frozen=True)
class PairFeatures:
    """One line a pair, one column a feature; NaN where a measure has no opinion.

    `lists` says which pairs are candidates of one query; votes are counted among them.
    """

    names: tuple[str, ...]
    values: Float64Array
    lists: Int64Array

    def __len__(self) -> int:
        return len(self.values)

    def part(self, rows: Int64Array) -> "PairFeatures":
        """Some of the pairs."""
        return replace(self, values=self.values[rows], lists=self.lists[rows])

    def only(self, names: Sequence[str]) -> "PairFeatures":
        """Some of the columns, in this order."""
        return replace(self, names=tuple(names), values=self.values[:, [self.names.index(n) for n in names]])


def owner(feature: str) -> str:
    """The measure behind a feature, or the feature itself."""
    return feature.removeprefix(RANK).removeprefix(COVERED)


def pair_features(
    scores: Mapping[str, Float64Array],
    always_score: Collection[str],
    queries: Sequence[str],
    candidates: Sequence[str],
    asked: Float64Array,
) -> PairFeatures:
    """The features of pairs from measures' scores, the texts, and how often each candidate was asked."""
    numbers: dict[str, int] = {}
    lists = np.array([numbers.setdefault(query, len(numbers)) for query in queries], np.int64)
    columns: dict[str, Float64Array] = {}
    for name, values in scores.items():
        columns[name] = values
        if name not in always_score:
            columns[COVERED + name] = 1.0 - np.isnan(values)
        columns[RANK + name] = ranks(values, lists)
    columns |= _plain(queries, candidates, asked)
    values = np.array([*columns.values()], np.float64).reshape(len(columns), len(queries)).T
    return PairFeatures(tuple(columns), np.ascontiguousarray(values), lists)


def ranks(scores: Float64Array, lists: Int64Array) -> Float64Array:
    """Where each score stands in its list: 1 the best, 0 the last, equal ones between; alone 1/2.

    >>> ranks(np.array([0.3, 0.9, 0.3, 0.5]), np.array([0, 0, 0, 1])).tolist()
    [0.25, 1.0, 0.25, 0.5]
    """
    values = np.where(np.isnan(scores), -np.inf, scores)
    order = np.lexsort((values, lists))
    ordered, owners = values[order], lists[order]
    fresh_list = np.concatenate([[True], owners[1:] != owners[:-1]])[: len(order)]
    fresh_value = fresh_list | np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(order)]
    begins = np.flatnonzero(fresh_list)
    sizes = np.diff(np.append(begins, len(order)))
    ties = np.flatnonzero(fresh_value)
    middle = ties + (np.diff(np.append(ties, len(order))) - 1) / 2
    place = np.repeat(middle, np.diff(np.append(ties, len(order)))) - np.repeat(begins, sizes)
    last = np.repeat(sizes - 1, sizes)
    found = np.empty(len(scores))
    found[order] = np.where(last > 0, place / np.maximum(last, 1), 0.5)
    return found


def _plain(queries: Sequence[str], candidates: Sequence[str], asked: Float64Array) -> dict[str, Float64Array]:
    """What needs no measure: lengths in words, letters that differ, how often the candidate was asked."""
    left, right = tokenize(queries), tokenize(candidates)
    mine, theirs = (np.diff(tokens.indptr).astype(np.float64) for tokens in (left, right))
    pairs = zip(left.joined(), right.joined(), strict=True)
    edited = [Levenshtein.normalized_similarity(a, b) for a, b in pairs]
    return {
        "words of the query": mine,
        "words of the candidate": theirs,
        "words more or fewer": np.abs(mine - theirs),
        "letters in common": np.array(edited, np.float64),
        "log of times asked": np.log1p(asked),
    }


def score_columns(names: Sequence[str], measures: Collection[str]) -> BoolArray:
    """Which features are measures' scores: they may only raise what they are part of."""
    return np.array([name in measures for name in names], np.bool_)
