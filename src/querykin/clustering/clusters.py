"""Clusters: a head, and the keywords that were assigned to it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.querylog.repository import Repository

TSV_COLUMNS = ("head", "query", "score", "count")


@dataclass(frozen=True, slots=True)
class Member:
    """A keyword of a cluster with its score against the head; NaN if it was placed by hand and has none."""

    query: str
    score: float
    count: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """A head and its members, best first; `count` is that of all of them. A keyword alone has no members."""

    head: str
    count: int
    members: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True)
class Clustering:
    """Clusters by descending count, with the measure and the threshold that made them."""

    measure: str
    threshold: float
    clusters: Sequence[Cluster]


class Assignment(NamedTuple):
    """For each keyword the position of its head (its own, if it is one) and the score against it."""

    heads: Int64Array
    scores: Float64Array  # NaN for heads


class ClusterCounts(NamedTuple):
    """How many clusters have members, how many keywords they hold, and how many keywords are alone."""

    clusters: int
    clustered: int
    alone: int


def count_clusters(heads: Int64Array) -> ClusterCounts:
    """The sizes of a clustering, given the position of each keyword's head.

    >>> count_clusters(np.array([0, 0, 2]))
    ClusterCounts(clusters=1, clustered=2, alone=1)
    """
    sizes = np.bincount(heads)
    grouped = sizes[sizes > 1]
    return ClusterCounts(len(grouped), int(grouped.sum()), int((sizes == 1).sum()))


def list_clusters(assignment: Assignment, keywords: Int64Array, repository: Repository) -> list[Cluster]:
    """The clusters by descending count; `keywords` has the id of the query at each position.

    Ties are ordered by the text of the head; members by score, then count, then text.
    """
    heads, scores = assignment
    counts = repository.counts[keywords]
    totals = np.zeros(len(heads), np.int64)
    np.add.at(totals, heads, counts)
    is_member = heads != np.arange(len(heads))
    order = np.lexsort((is_member, heads))  # the head first
    borders = np.flatnonzero(np.diff(heads[order], prepend=-1, append=-1))
    clusters = []
    for begin, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        head, *members = order[begin:end].tolist()
        found = (
            Member(repository.query(int(keywords[each])), float(scores[each]), int(counts[each]))
            for each in members
        )
        text = repository.query(int(keywords[head]))
        clusters.append(Cluster(text, int(totals[head]), tuple(sorted(found, key=_member_order))))
    return sorted(clusters, key=lambda each: (-each.count, each.head))


def _member_order(member: Member) -> tuple[float, int, str]:
    score = -math.inf if math.isnan(member.score) else member.score
    return -score, -member.count, member.query


def cluster_json(cluster: Cluster) -> dict[str, Any]:
    """A cluster as JSON, for the command line and the HTTP API."""
    members = [
        {"query": each.query, "score": _number(each.score), "count": each.count} for each in cluster.members
    ]
    return {"head": cluster.head, "count": cluster.count, "members": members}


def _number(score: float) -> float | None:
    return None if math.isnan(score) else round(score, 9)


def cluster_rows(clusters: Iterable[Cluster]) -> Iterator[dict[str, Any]]:
    """One row under TSV_COLUMNS for each keyword; a head has no score."""
    for each in clusters:
        own = each.count - sum(member.count for member in each.members)
        yield {"head": each.head, "query": each.head, "score": "", "count": own}
        for member in each.members:
            score = "" if math.isnan(member.score) else f"{member.score:.9g}"
            yield {"head": each.head, "query": member.query, "score": score, "count": member.count}
