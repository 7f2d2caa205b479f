"""The resources that measures are built from; a workspace provides them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.corpus.vocabulary import Vocabulary
from querykin.search.expansion import Expander
from querykin.text.analyzer import Analyzer

if TYPE_CHECKING:
    from querykin.cooccurrence.counts import CooccurrenceCounts
    from querykin.cooccurrence.latent import LatentVectors
    from querykin.embeddings.document_vectors import DocumentVectors
    from querykin.logs.log_graph import LogGraph
    from querykin.logs.relations import Relation
    from querykin.measures.base import Measure
    from querykin.measures.vector_measure import VectorMeasure
    from querykin.model_files import Model
    from querykin.querylog.document_frequencies import QueryLogFrequencies


class Collection(Protocol):
    """The texts that P(w|Coll) is estimated from."""

    def counts(self, words: Int64Array) -> Float64Array:
        """The collection frequency of each word."""

    def length(self) -> float:
        """The number of words of all texts together."""


class Resources(Protocol):
    """A corpus with a search engine, and the data derived from it and from the query log."""

    @property
    def analyzer(self) -> Analyzer:
        """Tokens and stems in the language of the corpus."""

    @property
    def expander(self) -> Expander:
        """The query expansion over the corpus."""

    @property
    def counted_vocabulary(self) -> Vocabulary:
        """A vocabulary that has every word with co-occurrence counts."""

    @property
    def cooccurrence(self) -> "CooccurrenceCounts":
        """The co-occurrence counts of the corpus."""

    @property
    def latent(self) -> "LatentVectors":
        """Latent word vectors."""

    def document_vectors(self, model: str) -> "DocumentVectors":
        """The document vectors of a model: "static" or "dense"."""

    @property
    def query_frequencies(self) -> "QueryLogFrequencies":
        """The document frequencies of words in the query log."""

    def log_graph(self, relation: "Relation") -> "LogGraph":
        """The logged queries with their clicks, with those of the same sessions, or with reformulations."""

    def query_counts(self, texts: Sequence[str]) -> Float64Array:
        """How often each text was asked as a query."""

    def model(self, name: str) -> "Model":
        """A trained model: of the workspace, else one that is shipped."""

    def measure(self, name: str) -> "Measure":
        """Another measure."""

    def collection(self, measure: "VectorMeasure") -> Collection | None:
        """The collection statistics of the indexed candidates, once they are indexed."""
