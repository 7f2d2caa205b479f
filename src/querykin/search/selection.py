"""Choice of the search engine by the settings."""

from querykin.corpus.corpus import Corpus
from querykin.search.engine import SearchEngine, engines


def open_engine(corpus: Corpus, kind: str, path: str = "") -> SearchEngine:
    """The engine of a kind over a corpus; `path` is the file that the `recorded` engine reads."""
    return engines[kind].for_corpus(corpus, path)
