"""TWEAK (Yih 2009): the cosine of two texts' results under term weights learnt from judged pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

from querykin.compute.arrays import Int64Array
from querykin.errors import InputError
from querykin.learning.model_files import Model
from querykin.learning.tweak.term_weights import RESULTS, TermWeights, result_terms
from querykin.measures.base import ExpansionMeasure, measures, setting
from querykin.measures.resources import Resources
from querykin.measures.trained import TrainedMeasure, trained_kinds
from querykin.measures.web_kernel import stem_labels
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.search.expansion import MAX_RESULTS
from querykin.vectors import Vectors
from querykin.weighting.term_features import TermFeatureReader


@measures.register("tweak")
@dataclass(frozen=True)
class Tweak(TrainedMeasure, ExpansionMeasure):
    """How much the contexts of two texts in the corpus have in common, by learnt term weights.

    The results of a text are taken as one text. What a term of it weighs is a sum over its features: how
    often and where it comes, how it is written, how many documents and past queries hold it, whether it is
    one of the text's own words. Weights come with the program; `querykin train tweak` learns others.
    """

    NAME: ClassVar[str] = "tweak"
    kernel: ClassVar[bool] = True
    learns: ClassVar[tuple[str, ...]] = ("query-log",)
    source: ClassVar[str] = "Yih 2009 (TWEAK)"
    formula: ClassVar[str] = "cosine of max(0, sum of w_j phi_j) over the terms of the results"
    advice: ClassVar[str] = "Judged pairs of your own: it learns what counts in your texts."
    results: int = setting(
        RESULTS, "documents that speak for a text; a trained model brings its own", 1, MAX_RESULTS
    )
    keep: float = setting(0.97, "share of a row's squared length that its heaviest terms hold", 0, 1)
    model: Model = field(kw_only=True, repr=False, compare=False)
    query_frequencies: QueryLogFrequencies = field(kw_only=True, repr=False, compare=False)

    @classmethod
    def assemble(cls, sources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the weights that were trained under the measure's own name, or are shipped."""
        return cls.of_model(sources, sources.model("tweak"), parameters)

    @classmethod
    def of_model(cls, sources: Resources, model: Model, parameters: Mapping[str, Any]) -> Self:
        """With the weights of a model."""
        if model.kind != "tweak":
            raise InputError(f"{model.name!r} is a model of kind {model.kind!r}, not term weights")
        chosen = {"results": TermWeights.of(model.content).results, **parameters}
        return cls(sources.expander, model=model, query_frequencies=sources.query_frequencies, **chosen)

    @property
    def truncation_error(self) -> float:
        """The most that a row may lack of its squared length."""
        return 1 - self.keep

    @property
    def index_settings(self) -> str:
        """The parameters, the weights and the counts of past queries."""
        return f"{self!r} by {self._weights.fingerprint} asked {self.query_frequencies.state}"

    @property
    def space(self) -> str:
        """The same over the corpus as it was counted."""
        return f"{self.index_settings} over {self.expander.corpus.statistics.version}"

    @cached_property
    def _weights(self) -> TermWeights:
        return TermWeights.of(self.model.content)

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems."""
        reader = TermFeatureReader(self.expander.corpus, self.query_frequencies)
        expansions = self.expander.expand(texts, self.results)
        terms = result_terms(reader, expansions, self._weights.features)
        return self._weights.rows(terms, self.space).keep_norm_share(self.keep).unit()

    def stems_of(self, features: Int64Array) -> Int64Array:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The commonest word of each stem; a word that the corpus does not know as the texts have it."""
        return stem_labels(self.expander.corpus, features, texts)


trained_kinds.register("tweak")(Tweak)
