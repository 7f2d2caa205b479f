"""The probability that a query is followed by another one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from querykin.logs.relations import Relation
from querykin.measures.base import register
from querykin.measures.log_measure import LogMeasure, mix
from querykin.vectors import Vectors


@register("reformulation")
@dataclass(frozen=True)
class Reformulation(LogMeasure):
    """The share of the sessions with the first query that went on to the second one.

    A query with few sessions is smoothed with the logged queries nearest to it by their words; a text that
    is not in the log is compared by these only.
    """

    NAME: ClassVar[str] = "reformulation"
    symmetric: ClassVar[bool] = False
    relation: ClassVar[Relation] = "reformulations"
    encodes_queries: ClassVar[bool] = True
    source: ClassVar[str] = "Jones, Rey, Madani & Greiner 2006; Boldi et al. 2008 (query-flow graph)"
    formula: ClassVar[str] = (
        "P(c | q) = sessions that ask c right after q / max(sessions(q), reformulations(q))"
    )
    advice: ClassVar[str] = "A site with sessions: the query that people try next."

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """The logged queries that stand for a text."""
        return self.anchors(texts)

    def encode_query_batch(self, texts: Sequence[str]) -> Vectors:
        """For every logged query its probability after those that stand for the text."""
        anchors = self.anchors(texts)
        rows = self.graph.rows(anchors.features)
        totals = np.maximum(self.graph.sessions[anchors.features], rows.sums(rows.weights))
        return mix(anchors, replace(rows, weights=rows.weights / np.repeat(totals, np.diff(rows.indptr))))

    def pair_notes(self, sides: Vectors) -> list[str]:
        """The sessions of pairs of logged queries."""
        return self.strongest_pairs(sides, "was followed by")
