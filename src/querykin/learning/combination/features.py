"""Features of a pair for combinations: scores, their ranks in the query's list, lengths and frequency."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz.distance import Levenshtein

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.errors import WorkspaceError
from querykin.text.tokenizer import tokenize

RANK, COVERED = "rank by ", "covered by "


@dataclass(frozen=True)
class PairFeatures:
    """One row per pair, one column per feature; NaN where a measure does not cover the pair.

    `lists` numbers the query of each pair: the candidates of one query form a list, within which ranks and
    votes are taken.
    """

    names: tuple[str, ...]
    values: Float64Array
    lists: Int64Array

    def __len__(self) -> int:
        return len(self.values)

    def part(self, rows: Int64Array) -> "PairFeatures":
        """These rows."""
        return replace(self, values=self.values[rows], lists=self.lists[rows])

    def only(self, names: Sequence[str]) -> "PairFeatures":
        """These columns, in this order; an unknown one is a WorkspaceError, since models name them."""
        if unknown := set(names) - set(self.names):
            raise WorkspaceError(
                f"the model has unknown features: {', '.join(sorted(unknown))[:200]}; train it again"
            )
        return replace(self, names=tuple(names), values=self.values[:, [self.names.index(n) for n in names]])


def owner(feature: str) -> str:
    """The measure that a feature is derived from, or the feature itself."""
    return feature.removeprefix(RANK).removeprefix(COVERED)


def pair_features(
    scores: Mapping[str, Float64Array],
    always_score: Collection[str],
    queries: Sequence[str],
    candidates: Sequence[str],
    frequencies: Float64Array,
) -> PairFeatures:
    """The features of pairs from the scores of measures, the texts and the candidates' query frequencies.

    A measure in `always_score` covers every pair, so that its coverage is not a feature.
    """
    numbers: dict[str, int] = {}
    lists = np.array([numbers.setdefault(query, len(numbers)) for query in queries], np.int64)
    columns: dict[str, Float64Array] = {}
    for name, values in scores.items():
        columns[name] = values
        if name not in always_score:
            columns[COVERED + name] = 1.0 - np.isnan(values)
        columns[RANK + name] = ranks(values, lists)
    columns |= _text_features(queries, candidates, frequencies)
    values = np.array([*columns.values()], np.float64).reshape(len(columns), len(queries)).T
    return PairFeatures(tuple(columns), np.ascontiguousarray(values), lists)


def ranks(scores: Float64Array, lists: Int64Array) -> Float64Array:
    """Normalized rank of each score in its list: 1 for the best, 0 for the last, 1/2 in a list of one.

    Ties have their mean rank; NaN is lower than any score.

    >>> ranks(np.array([0.3, 0.9, 0.3, 0.5]), np.array([0, 0, 0, 1])).tolist()
    [0.25, 1.0, 0.25, 0.5]
    """
    values = np.where(np.isnan(scores), -np.inf, scores)
    order = np.lexsort((values, lists))
    ordered, owners = values[order], lists[order]
    new_list = np.concatenate([[True], owners[1:] != owners[:-1]])[: len(order)]
    new_value = new_list | np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(order)]
    list_starts, tie_starts = np.flatnonzero(new_list), np.flatnonzero(new_value)
    list_sizes = np.diff(np.append(list_starts, len(order)))
    tie_sizes = np.diff(np.append(tie_starts, len(order)))
    mean_ranks = np.repeat(tie_starts + (tie_sizes - 1) / 2, tie_sizes) - np.repeat(list_starts, list_sizes)
    last = np.repeat(list_sizes - 1, list_sizes)
    normalized = np.empty(len(scores))
    normalized[order] = np.where(last > 0, mean_ranks / np.maximum(last, 1), 0.5)
    return normalized


def _text_features(
    queries: Sequence[str], candidates: Sequence[str], frequencies: Float64Array
) -> dict[str, Float64Array]:
    """Features that need no measure: lengths in words, edit similarity, frequency of the candidate."""
    left, right = tokenize(queries), tokenize(candidates)
    query_lengths, lengths = (np.diff(tokens.indptr).astype(np.float64) for tokens in (left, right))
    pairs = zip(left.joined(), right.joined(), strict=True)
    similarities = [Levenshtein.normalized_similarity(a, b) for a, b in pairs]
    return {
        "words of the query": query_lengths,
        "words of the candidate": lengths,
        "words more or fewer": np.abs(query_lengths - lengths),
        "letters in common": np.array(similarities, np.float64),
        "log of times asked": np.log1p(frequencies),
    }


def score_columns(names: Sequence[str], measures: Collection[str]) -> BoolArray:
    """Which features are the scores of measures."""
    return np.array([name in measures for name in names], np.bool_)
