"""The log-likelihood ratio of two queries' co-occurrence in sessions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.logs.relations import Relation
from querykin.measures.base import register
from querykin.measures.log_measure import LogMeasure, mix
from querykin.vectors import Vectors


@register("co-session")
@dataclass(frozen=True)
class CoSession(LogMeasure):
    """How surely two queries are asked in the same sessions more often than by chance.

    Dunning's log-likelihood ratio G, as G / (1 + G); pairs that occur together less often than by chance
    count 0, and a query with itself counts 1. A text that is not in the log is compared by the logged queries
    nearest to it by their words.
    """

    NAME: ClassVar[str] = "co-session"
    relation: ClassVar[Relation] = "sessions"
    encodes_queries: ClassVar[bool] = True
    source: ClassVar[str] = "Dunning 1993; Jones, Rey, Madani & Greiner 2006"
    formula: ClassVar[str] = (
        "G / (1 + G), G = 2 sum over the 2 x 2 table of sessions of k log(k / expected k)"
    )
    advice: ClassVar[str] = "A site with sessions: what people ask besides a query, also in other words."

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """The logged queries that stand for a text."""
        return self.anchors(texts)

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """For every logged query its association with those that stand for the text."""
        anchors = self.anchors(texts)
        asked, total = self.graph.sessions.astype(np.float64), float(self.graph.total_sessions)
        rows = self.graph.rows(anchors.features)
        own = np.repeat(anchors.features, np.diff(rows.indptr))
        found = log_likelihood_ratio(rows.weights, asked[own], asked[rows.features], total)
        bounded = replace(rows, weights=found / (1 + found)).select(found > 0)
        size = len(anchors.features)
        itself = Vectors(np.arange(size + 1), anchors.features, np.ones(size), rows.space)
        return mix(anchors, bounded.add(itself))

    def pair_notes(self, sides: Vectors) -> list[str]:
        """The sessions of pairs of logged queries."""
        return self.strongest_pairs(sides, "was asked with")


def log_likelihood_ratio(
    both: Float64Array, first: Float64Array, second: Float64Array, total: float
) -> Float64Array:
    """Dunning's G2 of how many of `total` sessions have both, the first and the second; 0 below chance.

    >>> log_likelihood_ratio(np.array([10.0]), np.array([20.0]), np.array([30.0]), 1000.0).round(2)
    array([46.5])
    """
    rest = total - first - second + both
    cells = (
        (both, first * second),
        (first - both, first * (total - second)),
        (second - both, (total - first) * second),
        (rest, (total - first) * (total - second)),
    )
    ratio = sum(_term(observed, expected / total) for observed, expected in cells)
    return np.where(both * total > first * second, np.maximum(2 * ratio, 0.0), 0.0)


def _term(observed: Float64Array, expected: Float64Array) -> Float64Array:
    """A cell's part of the ratio, k log(k / expected k), which is 0 where k is."""
    positive = (observed > 0) & (expected > 0)
    safe = np.where(positive, observed, 1.0) / np.where(positive, expected, 1.0)
    return np.where(positive, observed * np.log(safe), 0.0)
