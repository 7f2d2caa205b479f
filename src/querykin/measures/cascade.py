"""Lists stacked on lists: the best kind of match first (Metzler et al. 2007).

A > B puts list B under list A; what stands in both keeps its higher place. The score is the number of the
highest tier that matches, the lowest being 1, plus a fraction: where the candidate stands inside its tier.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, cast

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.measures.base import Measure, VectorMeasure, measures
from querykin.measures.resources import Resources
from querykin.types import Explanation


@dataclass(frozen=True)
class Cascade(Measure):
    """Measures in the order in which they are believed."""

    symmetric: ClassVar[bool] = False
    always_scores: ClassVar[bool] = True
    source: ClassVar[str] = "Metzler, Dumais & Meek 2007"
    tiers: ClassVar[tuple[str, ...]]
    parts: tuple[VectorMeasure, ...] = field(default=(), metadata={"internal": True})

    @classmethod
    def assemble(cls, sources: Resources, parameters: Mapping[str, Any]) -> Self:
        """Each tier with the parameters it has on its own."""
        parts = (cast(VectorMeasure, sources.measure(name)).as_tier() for name in cls.tiers)
        return cls(sources.expander, tuple(parts), **parameters)

    @classmethod
    def assembled_from(cls) -> list[type[Measure]]:
        """The measures of the tiers."""
        return [measures[name] for name in cls.tiers]

    def indexed_parts(self) -> tuple[VectorMeasure, ...]:
        """Its tiers."""
        return self.parts

    def cascade_scores(self, tier: int, scores: Float64Array) -> Float64Array:
        """The scores of one tier as those of the stack; 0 where it does not match."""
        fractions = np.nan_to_num(self.parts[tier].tier_score(scores), nan=0.0)
        return np.where(fractions > 0, len(self.parts) - tier + fractions, 0.0)

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The highest tier that matches decides."""
        scores = np.zeros(len(queries))
        for tier, part in enumerate(self.parts):
            scores = np.maximum(scores, self.cascade_scores(tier, part.score_pairs(queries, candidates)))
        return scores

    def explain(self, a: str, b: str) -> Explanation:
        """The tier with its number, then what decides inside it."""
        for tier, part in enumerate(self.parts):
            score = float(self.cascade_scores(tier, part.score_pairs([a], [b]))[0])
            if score > 0:
                return self._explained(a, b, tier, score)
        return self.explanation(a, b, 0.0, [], np.zeros(0))

    def _explained(self, a: str, b: str, tier: int, score: float) -> Explanation:
        part, number = self.parts[tier], len(self.parts) - tier
        features, shared = part.matched(part.encode_query_batch([a]), part.encode_batch([b]))
        names = [self.tiers[tier], *part.label(features, [a, b])]
        fractions = shared * ((score - number) / shared.sum()) if len(shared) else shared
        shares = np.array([number if len(shared) else score, *fractions])
        return self.explanation(a, b, score, names, shares, part.passages(a, b, features, shared))


@measures.register("lexical")
@dataclass(frozen=True)
class Lexical(Cascade):
    """Exact matches, then phrases of the query, then subsets of its words."""

    NAME: ClassVar[str] = "lexical"
    tiers: ClassVar[tuple[str, ...]] = ("exact", "phrase", "subset")
    formula: ClassVar[str] = "exact > phrase > subset"
    advice: ClassVar[str] = "Very precise and nearly always silent: few candidates are part of a query."


@measures.register("stemming")
@dataclass(frozen=True)
class Stemming(Cascade):
    """Lexical matches, then the same query in other forms of its words."""

    NAME: ClassVar[str] = "stemming"
    tiers: ClassVar[tuple[str, ...]] = ("exact", "phrase", "subset", "exact-stems")
    formula: ClassVar[str] = "exact > phrase > subset > exact-stems"
    advice: ClassVar[str] = "Lexical, with singular and plural taken together."


@measures.register("backoff")
@dataclass(frozen=True)
class Backoff(Cascade):
    """The same query, then the same stems, then what the corpus says about both."""

    NAME: ClassVar[str] = "backoff"
    tiers: ClassVar[tuple[str, ...]] = ("exact", "exact-stems", "dense-prob")
    formula: ClassVar[str] = "exact > exact-stems > dense-prob"
    advice: ClassVar[str] = "Metzler et al.'s best: sure matches on top, and something for every query."
