"""The cosine of the pages that were clicked for two queries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from querykin.logs.relations import Relation
from querykin.measures.base import register
from querykin.measures.log_measure import LogMeasure, mix
from querykin.vectors import Vectors


@register("co-click")
@dataclass(frozen=True)
class CoClick(LogMeasure):
    """How similar the pages are that people clicked after two queries.

    A page of many queries counts little (inverse query frequency). A query with few sessions is smoothed
    with the logged queries nearest to it by their words; a text that is not in the log has their pages only.
    Queries that fewer than `min_sessions` sessions asked are ignored, and pages that were clicked less often.
    """

    NAME: ClassVar[str] = "co-click"
    kernel: ClassVar[bool] = True
    relation: ClassVar[Relation] = "clicks"
    source: ClassVar[str] = "Baeza-Yates & Tiberi 2007; Deng, King & Lyu 2009 (inverse query frequency)"
    formula: ClassVar[str] = "cosine over pages p of log(1 + clicks(q, p)) log(1 + N / queries(p))"
    advice: ClassVar[str] = "A site with clicks: queries of different words for the same pages."

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over pages."""
        anchors = self.anchors(texts)
        rows = self.graph.rows(anchors.features)
        iqf = np.log1p(len(self.graph) / np.maximum(1, self.graph.feature_rows[rows.features]))
        weighted = replace(rows, weights=np.log1p(rows.weights) * iqf).unit()
        return mix(anchors, weighted).unit()
