"""Measures over a search log: what people clicked, and which queries they asked together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from querykin.compute.arrays import Int64Array, make_indptr
from querykin.counted_nouns import counted
from querykin.logs.log_graph import LogGraph
from querykin.logs.relations import KIND, Relation
from querykin.measures.families import Family
from querykin.measures.parameters import number
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.measures.vector_measure import VectorMeasure
from querykin.text.analyzer import Analyzer
from querykin.types import Explanation
from querykin.vectors import Vectors

_SHOWN = 3  # logged queries, or pairs of them, that an explanation names


@dataclass(frozen=True)
class LogMeasure(VectorMeasure):
    """A measure over a graph of logged queries.

    A text is a mixture of logged queries: itself, as far as enough sessions asked it, and those nearest to
    it by their words.
    """

    graph: LogGraph = field(repr=False, compare=False)
    analyzer: Analyzer = field(repr=False, compare=False)
    relation: ClassVar[Relation] = "clicks"
    family: ClassVar[Family] = Family.LOGS
    smoothing: Annotated[
        float, number("sessions of a query that weigh as much as the logged queries nearest to it")
    ] = 5.0
    neighbors: Annotated[
        int, number("logged queries that stand for a text besides itself", ge=1, le=1000)
    ] = 20
    min_similarity: Annotated[
        float, number("cosine of words from which on a logged query may stand for a text", le=1)
    ] = 0.5

    @classmethod
    def requirements(cls) -> Requirements:
        """The graph of one relation of the log."""
        return Requirements(derived=(f"{KIND}/{cls.relation}",))

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the log of the workspace."""
        return cls(resources.log_graph(cls.relation), resources.analyzer, **parameters)

    @property
    def space(self) -> str:
        """The parameters and the version of the graph."""
        return self.index_settings

    @property
    def index_settings(self) -> str:
        """The parameters and the version of the graph."""
        return f"{self!r} of log {self.graph.version}"

    def anchors(self, texts: Sequence[str]) -> Vectors:
        """Each text as a mixture of logged queries."""
        found = self.graph.anchors(texts, self.analyzer, self.smoothing, self.neighbors, self.min_similarity)
        return replace(found, space=self.space)

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """Pages, or logged queries."""
        return self.graph.labels(features)

    def explain(self, a: str, b: str) -> Explanation:
        """What both texts have in common in the log, and what each was taken for."""
        sides = self.anchors([a, b])
        notes = [
            f"{side}: {self._note(text, *sides.row(n))}"
            for n, (side, text) in enumerate((("a", a), ("b", b)))
        ]
        return replace(super().explain(a, b), notes=(*notes, *self.pair_notes(sides)))

    def _note(self, text: str, ids: Int64Array, weights: Any) -> str:
        own = int(self.graph.ids_of([text])[0])
        if own >= 0:
            return f"in the log, asked in {counted(int(self.graph.sessions[own]), 'session')}"
        if not len(ids):
            return "not in the log, and no logged query has enough of its words"
        nearest = self.graph.queries(ids[np.argsort(-weights, kind="stable")[:_SHOWN]])
        return f"not in the log; nearest by words: {', '.join(nearest)}"

    def pair_notes(self, sides: Vectors) -> list[str]:
        """How often pairs of logged queries that stand for the two texts occur; none by default."""
        return []

    def strongest_pairs(self, sides: Vectors, what: str) -> list[str]:
        """The counts of the pairs of logged queries that weigh most, one from each side."""
        (ids, weights), (others, other_weights) = sides.row(0), sides.row(1)
        rows = self.graph.rows(ids)
        found: dict[tuple[int, int], tuple[float, int]] = {}
        for n, (query, weight) in enumerate(zip(ids.tolist(), weights.tolist(), strict=True)):
            features, counts = rows.row(n)
            shared, i, j = np.intersect1d(features, others, assume_unique=True, return_indices=True)
            for other, count, share in zip(shared.tolist(), counts[i], other_weights[j], strict=True):
                if not (self.symmetric and (other, query) in found):
                    found[query, other] = weight * share, int(count)
        strongest = sorted(found, key=lambda pair: -found[pair][0])[:_SHOWN]
        notes = []
        for pair in strongest:
            first, second = self.graph.queries(np.array(pair))
            notes.append(f"{first!r} {what} {second!r} in {counted(found[pair][1], 'session')}")
        return notes


def mix(anchors: Vectors, rows: Vectors) -> Vectors:
    """The weighted sum of rows for each text; `rows` has one for each entry of the anchors."""
    sizes = np.diff(rows.indptr)
    owners = np.repeat(np.repeat(np.arange(len(anchors)), np.diff(anchors.indptr)), sizes)
    weights = rows.weights * np.repeat(anchors.weights, sizes)
    order = np.lexsort((rows.features, owners))
    owners, features, weights = owners[order], rows.features[order], weights[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (owners[1:] != owners[:-1]) | (features[1:] != features[:-1])
    starts = np.flatnonzero(new)
    sums = np.add.reduceat(weights, starts) if len(starts) else weights
    indptr = make_indptr(np.bincount(owners[starts], minlength=len(anchors)))
    return Vectors(indptr, features[starts], sums, anchors.space)
