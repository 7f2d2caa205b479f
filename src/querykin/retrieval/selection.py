"""Choice of the retriever of a measure."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from querykin.corpus.corpus import Corpus
from querykin.errors import WorkspaceError
from querykin.index.catalog import indexed_parts
from querykin.index.index import Index
from querykin.index.shard import Shard
from querykin.measures.base import BruteForceMeasure, Measure, RerankingMeasure
from querykin.measures.cascade import Cascade
from querykin.measures.hybrid import HybridMeasure
from querykin.measures.vector_measure import VectorMeasure
from querykin.querylog.repository import Repository
from querykin.retrieval.hybrid_retriever import HybridRetriever
from querykin.retrieval.retrievers import (
    BruteForceRetriever,
    CandidateScorer,
    CascadeRetriever,
    IndexRetriever,
    PairwiseScorer,
    RerankingRetriever,
    Retriever,
)

if TYPE_CHECKING:
    from querykin.retrieval.published_rows import PublishedRows

_SEARCHABLE = (VectorMeasure, Cascade, BruteForceMeasure, HybridMeasure, RerankingMeasure)


def can_search(measure: Measure) -> bool:
    """Whether a measure has a retriever, and not only compares pairs."""
    return isinstance(measure, _SEARCHABLE)


def make_retriever(
    measure: Measure,
    corpus: Corpus,
    repository: Repository,
    indexes: Mapping[str, Index],
    shard: Shard | None = None,
    published: "Mapping[str, PublishedRows] | None" = None,
) -> Retriever:
    """The retriever of a measure; `indexes` maps names to the indexes it searches, opened for the shard.

    `published` has those whose rows are searched in OpenSearch.
    """

    def index_retriever(part: VectorMeasure) -> IndexRetriever:
        index = indexes[part.index_name]
        if published and part.index_name in published:
            from querykin.retrieval.published_retriever import PublishedRetriever

            return PublishedRetriever(index, corpus, repository, part, published[part.index_name])
        return IndexRetriever(index, corpus, repository, part)

    def scorer(part: Measure) -> CandidateScorer:
        if not indexed_parts(part):
            return PairwiseScorer(part, repository)
        return make_retriever(part, corpus, repository, indexes, shard, published)

    if isinstance(measure, VectorMeasure):
        return index_retriever(measure)
    if isinstance(measure, Cascade):
        return CascadeRetriever(measure, repository, tuple(map(index_retriever, measure.parts)))
    if isinstance(measure, BruteForceMeasure):
        return BruteForceRetriever(measure, repository, shard)
    if isinstance(measure, HybridMeasure):
        parts = {column: index_retriever(part) for column, part in measure.parts.items()}
        return HybridRetriever(measure, repository, parts, index_retriever(measure.weights))
    if isinstance(measure, RerankingMeasure):
        return RerankingRetriever(measure, repository, tuple(map(scorer, measure.components())))
    raise WorkspaceError(f"measure {measure.name!r} compares pairs only; use querykin similarity or score")
