"""Measures over search results whose term weights come from a trained model."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from querykin.compute.arrays import Int64Array
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.families import Family
from querykin.measures.requirements import Requirements
from querykin.measures.web_kernel import stem_labels
from querykin.model_files import Model
from querykin.querylog.document_frequencies import QueryLogFrequencies


@dataclass(frozen=True)
class TermWeightMeasure(ExpansionMeasure):
    """The cosine of rows over stems, truncated to a share of their squared norm."""

    family: ClassVar[Family] = Family.LEARNED
    kernel: ClassVar[bool] = True
    keep: float
    model: Model = field(kw_only=True, repr=False, compare=False)
    query_frequencies: QueryLogFrequencies = field(kw_only=True, repr=False, compare=False)

    @classmethod
    def requirements(cls) -> Requirements:
        """A corpus and the document frequencies of the query log."""
        return Requirements(corpus=True, derived=("query-log",))

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A hash of the trained weights."""

    @property
    def truncation_error(self) -> float:
        """The largest share of a row's squared norm that truncation drops."""
        return 1 - self.keep

    @property
    def index_settings(self) -> str:
        """The parameters, the trained weights and the version of the query-log frequencies."""
        return f"{self!r} by {self.fingerprint} asked {self.query_frequencies.state}"

    @property
    def space(self) -> str:
        """The same, with the version of the corpus statistics."""
        return f"{self.index_settings} over {self.expander.corpus.statistics.version}"

    def stems_of(self, features: Int64Array) -> Int64Array:
        """Features are stems already; the stem of a stem may be another one."""
        return features

    def label(self, features: Int64Array, texts: Sequence[str]) -> list[str]:
        """The most frequent word of each stem; a stem absent from the corpus is spelled as in the texts."""
        return stem_labels(self.expander.corpus, features, texts)
