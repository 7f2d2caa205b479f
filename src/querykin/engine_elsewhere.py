"""The search engine of a workspace; how words and snippets of one elsewhere reach the corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from querykin.build_policy import BuildPolicy
from querykin.corpus.corpus import Corpus
from querykin.corpus.segment import Indexer
from querykin.counted_nouns import counted
from querykin.errors import InputError, WorkspaceError
from querykin.progress import Progress
from querykin.search.engine import SearchEngine, engine_class
from querykin.search.expansion import MAX_RESULTS
from querykin.search.external_hits import snippet_document
from querykin.settings import Settings
from querykin.storage.source_names import SNIPPETS_SOURCE
from querykin.types import Document

_TOGETHER = 256  # queries whose hits are in memory at once


def open_corpus(path: Path, language: str = "") -> Corpus:
    """The corpus of a workspace; `language` is that of a new one."""
    return Corpus(path / "corpus", _indexer, language)


def _indexer(segment: Path) -> Indexer:
    from querykin.search.tantivy_engine import TantivyIndexer

    return TantivyIndexer(segment)


def open_engine(corpus: Corpus, settings: Settings, path: Path, progress: Progress) -> SearchEngine:
    """The search engine that the settings choose."""
    kind = engine_class(settings.engine)
    return kind.for_settings(corpus, settings.engine, settings.opensearch, path, progress)


class EngineElsewhere:
    """A search engine that does not depend on the corpus, and which texts it was asked for."""

    def __init__(self, path: Path, settings: Settings, policy: BuildPolicy, progress: Progress) -> None:
        self._path, self._policy, self._progress = path, policy, progress
        self._settings = settings
        self._asked, self._counted = set[str](), set[str]()  # texts

    @cached_property
    def engine(self) -> SearchEngine:
        """The engine, opened once: it keeps count of requests while the corpus changes."""
        settings = self._settings
        if self._policy is BuildPolicy.REFUSE:  # a client waits, and may ask again itself
            settings = replace(settings, engine=settings.engine.model_copy(update={"retries": 0}))
        engine = open_engine(open_corpus(self._path), settings, self._path, self._progress)
        if settings.engine.frequencies == "engine" and not engine.reports_frequencies:
            raise InputError(
                f"{engine} does not report document frequencies; allowed: solr and opensearch; next: "
                'frequencies = "snippets" or "corpus" in [engine]'
            )
        return engine

    def ask(self, texts: Sequence[str], count: bool, complete: bool) -> bool:
        """Ask for texts, and take the words of what is found into the corpus.

        With `count`, which a corpus without any frequencies needs, and if document frequencies come from
        snippets, these become documents of the corpus. With `complete`, a text without a reply is an error.
        Returns whether the corpus has changed.
        """
        asked = self._asked | self._counted if not count else self._counted
        wanted = [text for text in dict.fromkeys(texts) if text not in asked]
        if not wanted:
            return False
        self.engine.prefetch(wanted)
        if complete and (missing := self.engine.missing(wanted)):
            raise WorkspaceError(
                f"offline, and there is no stored reply for {counted(len(missing), 'query')}, like "
                f"{missing[0]!r}; next: run the command without --offline"
            )
        found = _snippets(self.engine, wanted)
        corpus = open_corpus(self._path, self._settings.text.language)
        if count and self._settings.engine.frequencies == "snippets":
            changed = bool(corpus.add(found, source=SNIPPETS_SOURCE))
        else:
            changed = bool(corpus.add_words(f"{each.title}\n{each.text}" for each in found))
            changed |= self._take_frequencies(corpus)
        (self._counted if count else self._asked).update(wanted)
        return changed

    def _take_frequencies(self, corpus: Corpus) -> bool:
        """Ask an engine that reports frequencies for those of words that it was not asked for yet."""
        df = corpus.statistics.df.copy()
        new = np.flatnonzero(df == 0)
        if self._settings.engine.frequencies != "engine" or not len(new):
            return False
        words = [corpus.vocabulary.word(int(word)) for word in new]
        documents, reported = self.engine.document_frequencies(words)
        if not documents:  # offline
            return False
        df[new] = np.maximum(reported, 1)  # what the engine found is in one document at least
        corpus.set_frequencies(documents, df)
        return True

    def info(self, corpus: Corpus) -> dict[str, Any]:
        """What the engine is, where document frequencies come from, and what is stored of it."""
        documents = counted(len(corpus), "document")
        seen = corpus.sources().get(SNIPPETS_SOURCE, 0)
        frequencies = {
            "corpus": f"corpus ({documents})",
            "snippets": f"snippets seen so far ({seen:,} of {documents})",
            "engine": f"engine ({documents})",
        }[self._settings.engine.frequencies]
        return {"engine": str(self.engine), "frequencies": frequencies, **self.engine.info()}


def _snippets(engine: SearchEngine, queries: Sequence[str]) -> Iterator[Document]:
    """The distinct snippets of what an engine finds for queries."""
    seen = set[str]()
    for begin in range(0, len(queries), _TOGETHER):
        for hits in engine.search_many(queries[begin : begin + _TOGETHER], MAX_RESULTS):
            for document in map(snippet_document, hits):
                if document.id not in seen:
                    seen.add(document.id)
                    yield document
