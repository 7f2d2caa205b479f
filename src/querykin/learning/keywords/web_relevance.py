"""Web-relevance (Yih & Meek 2007): search results weighted by a keyword extractor."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

from querykin.learning.keywords.extractor import Extractor
from querykin.learning.term_weight_measure import TermWeightMeasure
from querykin.measures.base import register
from querykin.measures.expansion_measure import SearchDepth
from querykin.measures.parameters import number
from querykin.measures.resources import Resources
from querykin.search.expansion import Expansions
from querykin.vectors import Vectors
from querykin.weighting.term_features import TermFeatureReader


@register("web-relevance")
@dataclass(frozen=True)
class WebRelevance(TermWeightMeasure):
    """How many keywords the contexts of two texts in the corpus have in common, from 0 to 1.

    Titles and windows of a text's results, best first, are taken as one document. The weight of a word is the
    probability, by a keyword extractor, that it is a keyword of that document. An extractor is shipped;
    `querykin train keywords` trains another.
    """

    NAME: ClassVar[str] = "web-relevance"
    source: ClassVar[str] = "Yih & Meek 2007"
    formula: ClassVar[str] = "cosine of P(w is a keyword of the results taken as one document)"
    advice: ClassVar[str] = (
        "To compare with the literature, or documents with keywords of your own to train it on; "
        "on judged queries web-kernel is better."
    )
    results: SearchDepth = 20
    keep: Annotated[float, number("share of a row's squared norm that its heaviest terms keep", le=1)] = 0.8

    @classmethod
    def from_resources(cls, resources: Resources, parameters: Mapping[str, Any]) -> Self:
        """With the extractor of the workspace, or the shipped one."""
        return cls(
            resources.expander,
            model=resources.model("keywords"),
            query_frequencies=resources.query_frequencies,
            **parameters,
        )

    @cached_property
    def _extractor(self) -> Extractor:
        return Extractor.of(self.model.content)

    @property
    def fingerprint(self) -> str:
        """A hash of the extractor."""
        return self._extractor.fingerprint

    def encode_expansions(self, expansions: Expansions) -> Vectors:
        """Unit rows over stems."""
        reader = TermFeatureReader(self.expander.corpus, self.query_frequencies)
        terms = reader.of_results(expansions)
        weights = self._extractor.probabilities(reader, terms)
        rows = Vectors(terms.indptr, terms.terms, weights, self.space).select(weights > 0)
        return rows.keep_norm_share(self.keep).unit()
