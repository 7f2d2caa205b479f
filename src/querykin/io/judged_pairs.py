"""Judged pairs of queries and candidates, stored in columns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.errors import InputError
from querykin.io.text_column import TextColumn, dense_pair_ids


@dataclass(frozen=True)
class JudgedPairs:
    """Judged pairs: query, candidate and grade, one entry per row.

    A group contains the pairs that are ranked against each other: those of one query, unless the file
    defines other groups. `scores` are further columns of numbers, NaN where a cell is empty.
    """

    queries: TextColumn
    candidates: TextColumn
    grades: Float64Array
    groups: TextColumn
    raters: TextColumn | None = None
    scores: Mapping[str, Float64Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.grades)

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Query and candidate of each row."""
        for row in range(len(self)):
            yield self.queries[row], self.candidates[row]

    @cached_property
    def items(self) -> Int64Array:
        """The id of each row's pair: equal for rows with the same query, candidate and group."""
        pairs = dense_pair_ids(self.queries.ids, self.candidates.ids)
        return dense_pair_ids(pairs, self.groups.ids)

    @cached_property
    def query_groups(self) -> Int64Array:
        """The group id of each distinct query, taken from its first row."""
        return self.groups.ids[np.unique(self.queries.ids, return_index=True)[1]]

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the judgements in their order, equal for the same data."""
        digest = blake2b((self.grades + 0.0).tobytes(), digest_size=8)  # -0 is 0
        for column in (self.queries, self.candidates, self.groups):
            for data in column.content:
                digest.update(data)
        return digest.hexdigest()

    def merged(self) -> "JudgedPairs":
        """One row per pair with the mean of its raters' grades; without raters, the same rows."""
        if self.raters is None:
            return self
        _, first = np.unique(self.items, return_index=True)
        for name, values in self.scores.items():
            _check_equal(name, values, values[first][self.items])
        grades = mean_grades(self.items, self.grades)
        rows = first.tolist()
        columns = (TextColumn(column.at(rows)) for column in (self.queries, self.candidates, self.groups))
        queries, candidates, groups = columns
        scores = {name: values[first] for name, values in self.scores.items()}
        return JudgedPairs(queries, candidates, grades, groups, None, scores)

    def threshold(self) -> float:
        """The default threshold of relevance: the smallest grade above the middle of the scale.

        If all grades are equal, it is that grade.
        """
        middle = (self.grades.min() + self.grades.max()) / 2
        return float(self.grades[self.grades > middle].min(initial=self.grades.max()))


def mean_grades(items: Int64Array, grades: Float64Array) -> Float64Array:
    """The mean grade of each item, rounded so that the mean of three times 0.7 is 0.7.

    >>> mean_grades(np.array([0, 0, 0, 1]), np.array([0.7, 0.7, 0.7, 2.0])).tolist()
    [0.7, 2.0]
    """
    return np.round(np.bincount(items, grades) / np.bincount(items), 12)


def _check_equal(name: str, values: Float64Array, firsts: Float64Array) -> None:
    different = np.flatnonzero((values != firsts) & ~(np.isnan(values) & np.isnan(firsts)))
    if len(different):
        pair = f"{values[different[0]]:g} and {firsts[different[0]]:g}"
        raise InputError(f"column {name!r} has {pair} for one pair; all rows of a pair need the same value")
