"""The search engine that the settings choose."""

from querykin.corpus.corpus import Corpus
from querykin.search.engine import SearchEngine, engines


def open_engine(corpus: Corpus, kind: str, path: str = "") -> SearchEngine:
    """The engine of a kind over a corpus; `path` is the file that an engine of recorded answers reads."""
    return engines[kind].for_corpus(corpus, path)
