"""TWEAK (Yih 2009): the cosine of two texts' results under term weights learned from judged pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

from querykin.compute.arrays import Int64Array
from querykin.errors import InputError
from querykin.learning.trained_measure import TrainedMeasure, trained_kinds
from querykin.learning.tweak.term_weights import RESULTS, TermWeights, result_terms
from querykin.measures.base import register
from querykin.measures.expansion_measure import ExpansionMeasure, SearchDepth
from querykin.measures.parameters import number
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.measures.web_kernel import stem_labels
from querykin.model_files import Model
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors
from querykin.weighting.term_features import TermFeatureReader


@register("tweak")
@dataclass(frozen=True)
class Tweak(TrainedMeasure, ExpansionMeasure):
    """How much the contexts of two texts in the corpus have in common, by learned term weights.

    The results of a text are taken as one text. The weight of a term is a sum over its features: frequency,
    position, capitalization, document frequency in the corpus and in the query log, and whether it is a term
    of the text itself. Weights are shipped; `querykin train tweak` learns others.
    """

    NAME: ClassVar[str] = "tweak"
    kernel: ClassVar[bool] = True
    source: ClassVar[str] = "Yih 2009 (TWEAK)"
    formula: ClassVar[str] = "cosine of max(0, sum of w_j phi_j) over the terms of the results"
    advice: ClassVar[str] = "Judged pairs of your own: it learns what counts in your texts."
    results: SearchDepth = RESULTS
    keep: Annotated[float, number("share of a row's squared norm that its heaviest terms keep", le=1)] = 0.97
    model: Model = field(kw_only=True, repr=False, compare=False)
    query_frequencies: QueryLogFrequencies = field(kw_only=True, repr=False, compare=False)

    @classmethod
    def requirements(cls) -> Requirements:
        """A corpus and the document frequencies of the query log."""
        return Requirements(corpus=True, derived=("query-log",))

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

    @property
    def truncation_error(self) -> float:
        """The largest share of a row's squared norm that truncation drops."""
        return 1 - self.keep

    @property
    def index_settings(self) -> str:
        """The parameters, the weights and the version of the query-log frequencies."""
        return f"{self!r} by {self._weights.fingerprint} asked {self.query_frequencies.state}"

    @property
    def space(self) -> str:
        """The same, with the version of the corpus statistics."""
        return f"{self.index_settings} over {self.expander.corpus.statistics.version}"

    @cached_property
    def _weights(self) -> TermWeights:
        return TermWeights.of(self.model.content)

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows over stems."""
        reader = TermFeatureReader(self.expander.corpus, self.query_frequencies)
        terms = result_terms(reader, expansions, self._weights.features)
        return self._weights.rows(terms, self.space).keep_norm_share(self.keep).unit()

    def stems_of(self, features: Int64Array) -> Int64Array:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The most frequent word of each stem; a stem absent from the corpus is spelled as in the texts."""
        return stem_labels(self.expander.corpus, features, texts)


trained_kinds.register("tweak")(Tweak)
