"""Cascades of measures: tiers in order of precision (the ">" operator of Metzler, Dumais & Meek 2007).

A > B appends the results of B below those of A; a candidate in both keeps its higher rank. The score is the
number of the highest tier that matches, the lowest being 1, plus a fraction that orders candidates inside the
tier.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError
from querykin.measures.base import Measure, measures, register
from querykin.measures.families import Family
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.measures.vector_measure import VectorMeasure
from querykin.types import Explanation


@dataclass(frozen=True)
class Cascade(Measure):
    """Measures in order of precision: the first tier that matches decides."""

    symmetric: ClassVar[bool] = False
    always_scores: ClassVar[bool] = True
    bounded: ClassVar[bool] = False
    family: ClassVar[Family] = Family.WORDS
    source: ClassVar[str] = "Metzler, Dumais & Meek 2007"
    tiers: ClassVar[tuple[str, ...]]
    parts: tuple[VectorMeasure, ...] = ()  # the tiers; built here where they need no corpus

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.parts:
            object.__setattr__(self, "parts", tuple(map(self._without_corpus, self.tiers)))

    def _without_corpus(self, tier: str) -> VectorMeasure:
        entry = measures[tier]
        if entry.kind.requirements() != Requirements():
            raise InputError(f"{self.name} needs a corpus for its tier {tier}; take it from a Workspace")
        return cast(VectorMeasure, entry.kind(**entry.fixed)).as_tier()

    @classmethod
    def requirements(cls) -> Requirements:
        """The measures of the tiers."""
        return Requirements(measures=cls.tiers)

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """Each tier with the parameters that the settings give to it."""
        parts = (cast(VectorMeasure, resources.measure(name)).as_tier() for name in cls.tiers)
        return cls(tuple(parts), **parameters)

    def components(self) -> tuple[Measure, ...]:
        """The tiers."""
        return self.parts

    def cascade_scores(self, tier: int, scores: Float64Array) -> Float64Array:
        """The scores of one tier as scores of the cascade; 0 where the tier does not match."""
        fractions = np.nan_to_num(self.parts[tier].tier_score(scores), nan=0.0)
        return np.where(fractions > 0, len(self.parts) - tier + fractions, 0.0)

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The score of the highest tier that matches."""
        scores = np.zeros(len(queries))
        for tier, part in enumerate(self.parts):
            scores = np.maximum(scores, self.cascade_scores(tier, part.score_pairs(queries, candidates)))
        return scores

    def explain(self, a: str, b: str) -> Explanation:
        """The tier with its number, then the features that order candidates inside it."""
        for tier, part in enumerate(self.parts):
            score = float(self.cascade_scores(tier, part.score_pairs([a], [b]))[0])
            if score > 0:
                return self._explain_tier(a, b, tier, score)
        return self.explanation(a, b, 0.0, [], np.zeros(0))

    def _explain_tier(self, a: str, b: str, tier: int, score: float) -> Explanation:
        part, number = self.parts[tier], len(self.parts) - tier
        features, shared = part.shared_features(part.encode_query_batch([a]), part.encode_batch([b]))
        labels = [self.tiers[tier], *part.label(features, [a, b])]
        fractions = shared * ((score - number) / shared.sum()) if len(shared) else shared
        shares = np.array([number if len(shared) else score, *fractions])
        return self.explanation(a, b, score, labels, shares, part.passages(a, b, features, shared))


@register("lexical")
@dataclass(frozen=True)
class Lexical(Cascade):
    """Exact matches, then phrases of the query, then subsets of its words."""

    NAME: ClassVar[str] = "lexical"
    tiers: ClassVar[tuple[str, ...]] = ("exact", "phrase", "subset")
    formula: ClassVar[str] = "exact > phrase > subset"
    advice: ClassVar[str] = "Very precise and nearly always silent: few candidates are part of a query."


@register("stemming")
@dataclass(frozen=True)
class Stemming(Cascade):
    """Lexical matches, then the same query in other forms of its words."""

    NAME: ClassVar[str] = "stemming"
    tiers: ClassVar[tuple[str, ...]] = ("exact", "phrase", "subset", "exact-stems")
    formula: ClassVar[str] = "exact > phrase > subset > exact-stems"
    advice: ClassVar[str] = "Lexical, with singular and plural taken together."


@register("backoff")
@dataclass(frozen=True)
class Backoff(Cascade):
    """The same query, then the same stems, then what the corpus says about both."""

    NAME: ClassVar[str] = "backoff"
    family: ClassVar[Family] = Family.MEANING
    tiers: ClassVar[tuple[str, ...]] = ("exact", "exact-stems", "dense-prob")
    formula: ClassVar[str] = "exact > exact-stems > dense-prob"
    advice: ClassVar[str] = "Metzler et al.'s best: sure matches on top, and something for every query."
