"""TWEAK (Yih 2009): the cosine of two texts' results under term weights learnt from judged pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

from querykin.compiled import Longs
from querykin.corpus.query_words import QueryWords
from querykin.errors import InputError
from querykin.expansion import DEEPEST
from querykin.learning.models import Model
from querykin.measures.base import ExpandedMeasure, measures, setting
from querykin.measures.learned import Learned, learned
from querykin.measures.sources import Sources
from querykin.measures.web_kernel import stem_labels
from querykin.vectors import Vectors
from querykin.weighting.term_weights import RESULTS, TermWeights, result_terms
from querykin.weighting.terms import TermReader


@measures.register("tweak")
@dataclass(frozen=True)
class Tweak(Learned, ExpandedMeasure):
    """How much the contexts of two texts in the corpus have in common, by learnt term weights.

    The results of a text are taken as one text. What a term of it weighs is a sum over its features: how
    often and where it comes, how it is written, how many documents and past queries hold it, whether it is
    one of the text's own words. Weights come with the program; `querykin train tweak` learns others.
    """

    kernel: ClassVar[bool] = True
    learns: ClassVar[tuple[str, ...]] = ("query-words",)
    source: ClassVar[str] = "Yih 2009 (TWEAK)"
    formula: ClassVar[str] = "cosine of max(0, sum of w_j phi_j) over the terms of the results"
    advice: ClassVar[str] = "Judged pairs of your own: it learns what counts in your texts."
    results: int = setting(
        RESULTS, "documents that speak for a text; a trained model brings its own", 1, DEEPEST
    )
    keep: float = setting(0.97, "share of a row's squared length that its heaviest terms hold", 0, 1)
    model: Model = field(kw_only=True, repr=False, compare=False)
    query_words: QueryWords = field(kw_only=True, repr=False, compare=False)

    @classmethod
    def assemble(cls, sources: Sources, parameters: Mapping[str, Any]) -> Self:
        """With the weights that were trained under the measure's own name, or are shipped."""
        return cls.of_model(sources, sources.model("tweak"), parameters)

    @classmethod
    def of_model(cls, sources: Sources, model: Model, parameters: Mapping[str, Any]) -> Self:
        """With the weights of a model."""
        if model.kind != "tweak":
            raise InputError(f"{model.name!r} is a model of kind {model.kind!r}, not term weights")
        chosen = {"results": TermWeights.of(model.content).results, **parameters}
        return cls(sources.expander, model=model, query_words=sources.query_words, **chosen)

    @property
    def lost_mass(self) -> float:
        """The most that a row may lack of its squared length."""
        return 1 - self.keep

    @property
    def row_settings(self) -> str:
        """The parameters, the weights and the counts of past queries."""
        return f"{self!r} by {self._weights.fingerprint} asked {self.query_words.state}"

    @property
    def space(self) -> str:
        """The same over the corpus as it was counted."""
        return f"{self.row_settings} over {self.expander.corpus.statistics.epoch}"

    @cached_property
    def _weights(self) -> TermWeights:
        return TermWeights.of(self.model.content)

    def encode_chunk(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems."""
        reader = TermReader(self.expander.corpus, self.query_words)
        expansions = self.expander.expand(texts, self.results)
        terms = result_terms(reader, expansions, self._weights.features)
        return self._weights.rows(terms, self.space).heaviest(self.keep).unit()

    def stems_of(self, features: Longs) -> Longs:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Longs, texts: Sequence[str]) -> list[str]:
        """The commonest word of each stem; a word that the corpus does not know as the texts have it."""
        return stem_labels(self.expander.corpus, features, texts)


learned.register("tweak")(Tweak)
