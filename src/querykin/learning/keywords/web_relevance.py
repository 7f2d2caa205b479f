"""Web-relevance (Yih & Meek 2007): search results weighted by a keyword extractor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

from querykin.compute.arrays import Int64Array
from querykin.learning.keywords.extractor import Extractor
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


@register("web-relevance")
@dataclass(frozen=True)
class WebRelevance(ExpansionMeasure):
    """How many keywords the contexts of two texts in the corpus have in common, from 0 to 1.

    Titles and windows of a text's results, best first, are taken as one document. The weight of a word is the
    probability, by a keyword extractor, that it is a keyword of that document. An extractor is shipped;
    `querykin train keywords` trains another.
    """

    NAME: ClassVar[str] = "web-relevance"
    kernel: ClassVar[bool] = True
    source: ClassVar[str] = "Yih & Meek 2007"
    formula: ClassVar[str] = "cosine of P(w is a keyword of the results taken as one document)"
    advice: ClassVar[str] = (
        "To compare with the literature, or documents with keywords of your own to train it on; "
        "on judged queries web-kernel is better."
    )
    results: SearchDepth = 20
    keep: Annotated[float, number("share of a row's squared norm that its heaviest terms keep", le=1)] = 0.8
    model: Model = field(kw_only=True, repr=False, compare=False)
    query_frequencies: QueryLogFrequencies = field(kw_only=True, repr=False, compare=False)

    @classmethod
    def requirements(cls) -> Requirements:
        """A corpus and the document frequencies of the query log."""
        return Requirements(corpus=True, derived=("query-log",))

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the extractor of the workspace, or the shipped one."""
        return cls(
            resources.expander,
            model=resources.model("keywords"),
            query_frequencies=resources.query_frequencies,
            **parameters,
        )

    @property
    def truncation_error(self) -> float:
        """The largest share of a row's squared norm that truncation drops."""
        return 1 - self.keep

    @property
    def index_settings(self) -> str:
        """The parameters, the extractor and the version of the query-log frequencies."""
        return f"{self!r} by {self._extractor.fingerprint} asked {self.query_frequencies.state}"

    @property
    def space(self) -> str:
        """The same, with the version of the corpus statistics."""
        return f"{self.index_settings} over {self.expander.corpus.statistics.version}"

    @cached_property
    def _extractor(self) -> Extractor:
        return Extractor.of(self.model.content)

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows over stems."""
        reader = TermFeatureReader(self.expander.corpus, self.query_frequencies)
        terms = reader.of_results(expansions)
        weights = self._extractor.probabilities(reader, terms)
        rows = Vectors(terms.indptr, terms.terms, weights, self.space).select(weights > 0)
        return rows.keep_norm_share(self.keep).unit()

    def stems_of(self, features: Int64Array) -> Int64Array:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The most frequent word of each stem; a stem absent from the corpus is spelled as in the texts."""
        return stem_labels(self.expander.corpus, features, texts)
