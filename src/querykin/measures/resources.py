"""What measures may be made of; a workspace offers it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.latent import LatentVectors
from querykin.learning.model_files import Model
from querykin.querylog.document_frequencies import QueryLogFrequencies
from querykin.search.expansion import Expander

if TYPE_CHECKING:
    from querykin.measures.base import Measure, VectorMeasure


class Collection(Protocol):
    """Texts that P(w|Coll) is taken from."""

    def counts(self, words: Int64Array) -> Float64Array:
        """How often each word comes in all of them."""

    def length(self) -> float:
        """How many words they have together."""


class Resources(Protocol):
    """A corpus with a search engine, and what was learnt from it."""

    @property
    def expander(self) -> Expander:
        """What the corpus says about texts."""

    @property
    def counted_expander(self) -> Expander:
        """The same over a corpus that knows every word whose neighbours were counted."""

    @property
    def cooccurrence(self) -> CooccurrenceCounts:
        """Which words stand near which."""

    @property
    def latent(self) -> LatentVectors:
        """Vectors of words."""

    @property
    def query_frequencies(self) -> QueryLogFrequencies:
        """How many past queries hold each word."""

    def asked(self, texts: Sequence[str]) -> Float64Array:
        """How often each text was asked as a query."""

    def model(self, name: str) -> Model:
        """What was learnt under a name: in the workspace, else what is shipped."""

    def measure(self, name: str) -> "Measure":
        """Another measure."""

    def collection(self, measure: "VectorMeasure") -> Collection | None:
        """The rows of all candidates of the repository taken together, once they are indexed."""
