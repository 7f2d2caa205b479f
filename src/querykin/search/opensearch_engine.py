"""OpenSearch as the search engine: it holds the stems of the documents and proposes some for each query.

The ranking and its statistics are those of the embedded engine, so that answers are the same wherever the
best documents are among the proposed ones.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.corpus.corpus import Corpus
from querykin.opensearch.connection import Connection
from querykin.opensearch.settings import OpenSearchSettings
from querykin.progress import SILENT, Progress
from querykin.search.engine import SearchEngine, engines
from querykin.search.engine_settings import EngineSettings
from querykin.search.external.opensearch_index import OpenSearchIndex
from querykin.search.opensearch_documents import OpenSearchDocuments
from querykin.search.proposing_engine import ProposingEngine
from querykin.search.stem_terms import stem_term

_TOGETHER = 32  # queries of a request


@engines.register("opensearch")
class OpenSearchEngine(ProposingEngine):
    """Searches the corpus of the workspace, whose documents are in an OpenSearch index as well."""

    def __init__(self, corpus: Corpus, documents: OpenSearchDocuments) -> None:
        super().__init__(corpus)
        self._documents = documents
        self._first_doc_ids = [int(segment.doc_ids[0]) for segment in corpus.segments]

    @classmethod
    def class_for(cls, settings: EngineSettings) -> type[SearchEngine]:
        """An index of others in mode external."""
        return OpenSearchIndex if settings.mode == "external" else cls

    @classmethod
    def for_settings(
        cls,
        corpus: Corpus,
        settings: EngineSettings,
        opensearch: OpenSearchSettings,
        folder: Path,
        progress: Progress = SILENT,
    ) -> "OpenSearchEngine":
        """The engine over the index that the settings name; it must hold the documents of the corpus."""
        documents = OpenSearchDocuments(Connection(opensearch), settings.index)
        documents.connection.check_version()
        if corpus.segments:
            documents.check(corpus)
        return cls(corpus, documents)

    @classmethod
    def send_documents(
        cls,
        corpus: Corpus,
        settings: EngineSettings,
        opensearch: OpenSearchSettings,
        progress: Progress,
        dry_run: bool = False,
    ) -> int:
        """Bring the index in step with the corpus."""
        documents = OpenSearchDocuments(Connection(opensearch), settings.index)
        documents.connection.check_version()
        return documents.update(corpus, progress, dry_run)

    def propose(self, queries: Sequence[Int64Array], since: int, depth: int) -> Iterator[list[Int64Array]]:
        """Candidates of the whole index for each query, by segment."""
        for begin in range(0, len(queries), _TOGETHER):
            batch = queries[begin : begin + _TOGETHER]
            asked = (
                [_search(stems, since, depth) for stems in batch if len(stems)] if self._first_doc_ids else []
            )
            answers = self._documents.connection.search_many(self._documents.index, asked) if asked else []
            found = iter(answers)
            for stems in batch:
                hits = next(found)["hits"]["hits"] if len(stems) and asked else []
                yield self._by_segment(np.array([hit["fields"]["number"][0] for hit in hits], np.int64))

    def _by_segment(self, doc_ids: Int64Array) -> list[Int64Array]:
        """The ordinals of documents in their segments; others than this snapshot's are left out."""
        segment_of = np.searchsorted(self._first_doc_ids, doc_ids, side="right") - 1
        found = []
        for number, (segment, live) in enumerate(zip(self.corpus.segments, self.live, strict=True)):
            wanted = doc_ids[segment_of == number]
            ordinals = np.minimum(segment.ordinals_of(wanted), len(segment) - 1)
            found.append(ordinals[(segment.doc_ids[ordinals] == wanted) & live[ordinals]])
        return found


def _search(stems: Int64Array, since: int, depth: int) -> dict[str, Any]:
    """A search for the documents with any of the stems, the best by BM25 over both fields."""
    terms = [{"term": {field: stem_term(stem)}} for stem in stems.tolist() for field in ("body", "title")]
    query: dict[str, Any] = {"should": terms, "minimum_should_match": 1}
    if since:
        query["filter"] = {"range": {"number": {"gte": since}}}
    return {
        "size": depth,
        "query": {"bool": query},
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["number"],
    }
