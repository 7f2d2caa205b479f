"""Judged pairs: two texts, whether they are alike, and how much, from three public sets."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from querykin.compiled import Bools, Reals
from querykin.pairs import read_table
from reproduce.data import labelled_file

ALIKE = 0.5  # of bird's grade, from 0 to 1
RESAMPLES = 300


@dataclass(frozen=True)
class JudgedSet:
    """Pairs with their judgements; `groups` names the query or need that a pair belongs to."""

    name: str
    left: list[str]
    right: list[str]
    grades: Reals
    groups: list[str]

    @property
    def labels(self) -> Bools:
        """Which pairs are alike."""
        return self.grades >= ALIKE


def read_sets() -> list[JudgedSet]:
    """The three sets, whole."""
    return [
        _read("uqv100", "query1", "query2", "label", "group1"),
        _read("bird", "term1", "term2", "relatedness", "term1"),
        _read("neuqs", "query", "suggestion", "label", "query", kind="QR"),
    ]


def _read(name: str, left: str, right: str, grade: str, group: str, kind: str = "") -> JudgedSet:
    rows = read_table(str(labelled_file(name)), [left, right, grade, group]).rows
    kept = [row for row in rows if not kind or row["kind"] == kind]
    grades = np.array([float(row[grade]) for row in kept])
    return JudgedSet(f"{name} {kind}".strip(), [row[left] for row in kept], [row[right] for row in kept],
                     grades, [row[group] for row in kept])  # fmt: skip


def ranked(scores: Reals) -> Reals:
    """The scores with pairs that are not covered last.

    >>> ranked(np.array([0.5, np.nan, 0.0])).tolist()
    [0.5, -1.0, 0.0]
    """
    lowest = np.nanmin(scores, initial=0.0)
    return np.where(np.isnan(scores), lowest - 1, scores)


def auc(labels: Bools, scores: Reals) -> float:
    """The chance that a pair that is alike comes before one that is not; ties count half."""
    return float(roc_auc_score(labels, ranked(scores)))


def auc_change(judged: JudgedSet, before: Reals, after: Reals) -> tuple[float, float]:
    """The 95 % interval of the change in AUC, by bootstrap over queries."""
    rng = np.random.default_rng(0)
    names, group = np.unique(judged.groups, return_inverse=True)
    order = np.argsort(group, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(group))[:-1])
    changes = []
    for _ in range(RESAMPLES):
        rows = np.concatenate([members[g] for g in rng.integers(len(names), size=len(names))])
        labels = judged.labels[rows]
        changes.append(auc(labels, after[rows]) - auc(labels, before[rows]))
    low, high = np.quantile(changes, [0.025, 0.975])
    return float(low), float(high)
