"""TWEAK (Yih 2009): the cosine of two texts' results under term weights learned from judged pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

from querykin.errors import InputError
from querykin.learning.term_weight_measure import TermWeightMeasure
from querykin.learning.trained_measure import TrainedMeasure, trained_kinds
from querykin.learning.tweak.term_weights import RESULTS, TermWeights, result_terms
from querykin.measures.base import register
from querykin.measures.expansion_measure import SearchDepth
from querykin.measures.parameters import number
from querykin.measures.resources import Resources
from querykin.model_files import Model
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors
from querykin.weighting.term_features import TermFeatureReader


@register("tweak")
@dataclass(frozen=True)
class Tweak(TrainedMeasure, TermWeightMeasure):
    """How much the contexts of two texts in the corpus have in common, by learned term weights.

    The results of a text are taken as one text. The weight of a term is a sum over its features: frequency,
    position, capitalization, document frequency in the corpus and in the query log, and whether it is a term
    of the text itself. Weights are shipped; `querykin train tweak` learns others.
    """

    NAME: ClassVar[str] = "tweak"
    source: ClassVar[str] = "Yih 2009 (TWEAK)"
    formula: ClassVar[str] = "cosine of max(0, sum of w_j phi_j) over the terms of the results"
    advice: ClassVar[str] = "Judged pairs of your own: it learns what counts in your texts."
    results: SearchDepth = RESULTS
    keep: Annotated[float, number("share of a row's squared norm that its heaviest terms keep", le=1)] = 0.97

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the weights of the workspace's model `tweak`, or the shipped ones."""
        return cls.from_model(resources, resources.model("tweak"), parameters)

    @classmethod
    def from_model(cls, resources: Resources, model: Model, parameters: Mapping[str, Any]) -> Self:
        """With the weights of a model."""
        if model.kind != "tweak":
            raise InputError(f"{model.name!r} is a model of kind {model.kind!r}, not term weights")
        chosen = {"results": TermWeights.of(model.content).results, **parameters}
        return cls(resources.expander, model=model, query_frequencies=resources.query_frequencies, **chosen)

    @cached_property
    def _weights(self) -> TermWeights:
        return TermWeights.of(self.model.content)

    @property
    def fingerprint(self) -> str:
        """A hash of the term weights."""
        return self._weights.fingerprint

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows over stems."""
        reader = TermFeatureReader(self.expander.corpus, self.query_frequencies)
        terms = result_terms(reader, expansions, self._weights.features)
        return self._weights.rows(terms, self.space).keep_norm_share(self.keep).unit()


trained_kinds.register("tweak")(Tweak)
