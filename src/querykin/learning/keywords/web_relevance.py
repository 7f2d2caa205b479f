"""Web-relevance (Yih & Meek 2007): the results of a text weighed by a keyword extractor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

from querykin.compute.arrays import Int64Array
from querykin.errors import InputError
from querykin.learning.keywords.extractor import Extractor
from querykin.learning.model_files import Model
from querykin.measures.base import ExpansionMeasure, measures, setting
from querykin.measures.resources import Resources
from querykin.measures.web_kernel import stem_labels
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.search.expansion import MAX_RESULTS
from querykin.vectors import Vectors
from querykin.weighting.term_features import TermFeatureReader


@measures.register("web-relevance")
@dataclass(frozen=True)
class WebRelevance(ExpansionMeasure):
    """How many keywords the contexts of two texts in the corpus have in common, from 0 to 1.

    Titles and windows of a text's results, best first, are taken as one document. A word of it weighs what a
    keyword extractor gives it: the probability that it is a keyword of that document. The extractor comes
    with the program; `querykin train keywords` learns another.
    """

    NAME: ClassVar[str] = "web-relevance"
    kernel: ClassVar[bool] = True
    learns: ClassVar[tuple[str, ...]] = ("query-log",)
    source: ClassVar[str] = "Yih & Meek 2007"
    formula: ClassVar[str] = "cosine of P(w is a keyword of the results taken as one document)"
    advice: ClassVar[str] = (
        "To compare with the literature, or documents with keywords of your own to train it on; "
        "on judged queries web-kernel is better."
    )
    results: int = setting(20, "documents that speak for a text", 1, MAX_RESULTS)
    keep: float = setting(0.8, "share of a row's squared length that its heaviest terms hold", 0, 1)
    model: Model | None = field(default=None, repr=False, compare=False)
    query_frequencies: QueryLogFrequencies | None = field(default=None, repr=False, compare=False)

    @classmethod
    def assemble(cls, sources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the extractor that was trained here, or is shipped, and the queries counted so far."""
        return cls(
            sources.expander,
            model=sources.model("keywords"),
            query_frequencies=sources.query_frequencies,
            **parameters,
        )

    @property
    def truncation_error(self) -> float:
        """The most that a row may lack of its squared length."""
        return 1 - self.keep

    @property
    def index_settings(self) -> str:
        """The parameters, the extractor and the counts of past queries."""
        return f"{self!r} by {self._extractor.fingerprint} asked {self._queries.state}"

    @property
    def space(self) -> str:
        """The same over the corpus as it was counted."""
        return f"{self.index_settings} over {self.expander.corpus.statistics.version}"

    @cached_property
    def _extractor(self) -> Extractor:
        if self.model is None:
            raise InputError("web-relevance needs a keyword extractor; take it from a Workspace")
        return Extractor.of(self.model.content)

    @property
    def _queries(self) -> QueryLogFrequencies:
        if self.query_frequencies is None:
            raise InputError("web-relevance needs counts of past queries; take it from a Workspace")
        return self.query_frequencies

    def encode_batch(self, texts: Sequence[str]) -> Vectors:
        """Unit rows over stems."""
        reader = TermFeatureReader(self.expander.corpus, self._queries)
        terms = reader.of_results(self.expander.expand(texts, self.results))
        weights = self._extractor.probabilities(reader, terms)
        rows = Vectors(terms.indptr, terms.terms, weights, self.space).select(weights > 0)
        return rows.keep_norm_share(self.keep).unit()

    def stems_of(self, features: Int64Array) -> Int64Array:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The commonest word of each stem."""
        return stem_labels(self.expander.corpus, features, texts)
