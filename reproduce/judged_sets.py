"""The judged sets: pairs of short texts with a grade of similarity and the query or need they belong to."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.evaluation import metrics
from querykin.evaluation.ranked_groups import thresholds
from querykin.io import read_judged_pairs
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn
from reproduce.data import labelled_file


@dataclass(frozen=True)
class Source:
    """The columns and rows of a file that are judged pairs, and the lowest grade of a relevant pair."""

    file: str
    columns: str
    relevant: float = 1
    where: tuple[str, ...] = ()


_SUGGESTIONS = "query=query,candidate=suggestion,grade=label"
SOURCES = {
    "uqv100": Source("uqv100", "query=query1,candidate=query2,grade=label,group=group1"),
    "neuqs QR": Source("neuqs", _SUGGESTIONS, where=("kind=QR",)),
    "neuqs QAC": Source("neuqs", _SUGGESTIONS, where=("kind=QAC",)),
    "trec_tasks": Source("trec_tasks", f"{_SUGGESTIONS},group=query"),
    "patent": Source("patent", "query=anchor,candidate=target,grade=score", 0.5),
    "bird": Source("bird", "query=term1,candidate=term2,grade=relatedness", 0.5),
    "factoid": Source("factoid", "query=question,candidate=candidate,grade=label_majority"),
    "dbpedia": Source("dbpedia", "query=query,candidate=entity_title,grade=label"),
    "debian links": Source("debian", "query=query,candidate=candidate,grade=label", where=("kind=links",)),
    "debian tags": Source("debian", "query=query,candidate=candidate,grade=label", where=("kind=tags",)),
}


@dataclass(frozen=True)
class JudgedSet:
    """Judged pairs with a name; a pair is relevant from the grade `relevant` on."""

    name: str
    judged: JudgedPairs
    relevant: float

    @cached_property
    def left(self) -> list[str]:
        """The queries, one per pair."""
        return self.judged.queries.at(range(len(self.judged)))

    @cached_property
    def right(self) -> list[str]:
        """The candidates, one per pair."""
        return self.judged.candidates.at(range(len(self.judged)))

    @property
    def labels(self) -> BoolArray:
        """Which pairs are relevant."""
        return self.judged.grades >= self.relevant

    def part(self, rows: BoolArray, name: str = "") -> "JudgedSet":
        """Some of the pairs."""
        places = np.flatnonzero(rows).tolist()
        columns = (self.judged.queries, self.judged.candidates, self.judged.groups)
        queries, candidates, groups = (TextColumn(column.at(places)) for column in columns)
        judged = JudgedPairs(queries, candidates, self.judged.grades[rows], groups)
        return replace(self, name=name or self.name, judged=judged)

    def half(self, seed: int = 0) -> BoolArray:
        """Which pairs belong to a random half of the groups."""
        groups = self.judged.groups.ids
        count = int(groups.max()) + 1
        return (np.random.default_rng(seed).permutation(count) < count // 2)[groups]


def read_set(name: str) -> JudgedSet:
    """One of the sets."""
    source = SOURCES[name]
    judged = read_judged_pairs(str(labelled_file(source.file)), source.columns, source.where)
    return JudgedSet(name, judged, source.relevant)


def read_sets(names: tuple[str, ...] = ("uqv100", "bird", "neuqs QR")) -> list[JudgedSet]:
    """Several sets."""
    return [read_set(name) for name in names]


def auc(labels: BoolArray, scores: Float64Array) -> float:
    """The probability that a relevant pair scores above one that is not; ties count half, NaN is last."""
    return metrics.auc(thresholds(scores, labels.astype(np.float64), 1))
