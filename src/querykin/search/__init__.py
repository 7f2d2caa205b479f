"""Search over the corpus: first-stage retrieval, BM25 ranking, passage windows and query expansion."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.search.document_search import DocumentHit, DocumentHits
    from querykin.search.engine import CorpusEngine, SearchEngine, engines
    from querykin.search.expansion import Expander
    from querykin.search.recorded_engine import RecordedEngine

__all__ = [
    "CorpusEngine",
    "DocumentHit",
    "DocumentHits",
    "Expander",
    "RecordedEngine",
    "SearchEngine",
    "engines",
]

__getattr__ = lazy_imports(
    __name__,
    {
        "CorpusEngine": "engine",
        "DocumentHit": "document_search",
        "DocumentHits": "document_search",
        "SearchEngine": "engine",
        "engines": "engine",
        "Expander": "expansion",
        "RecordedEngine": "recorded_engine",
    },
)
