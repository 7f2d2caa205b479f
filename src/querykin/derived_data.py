"""Data derived from the corpus and the query log: what exists, and how it is brought up to date."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from querykin.corpus_resources import CorpusResources
from querykin.embeddings.document_vectors import KIND as DOCUMENT_VECTORS
from querykin.log_resources import LogResources, relation_of
from querykin.measures.requirements import Requirements
from querykin.querylog.repository import Repository
from querykin.storage.store import is_writable

if TYPE_CHECKING:
    from querykin.querylog.document_frequencies import QueryLogFrequencies

_EXPENSIVE = ("cooccurrence", "latent")  # take long on a large corpus
QUICK_TOKENS = 2_000_000  # a corpus whose co-occurrences are counted on demand by every command


class DerivedData:
    """Co-occurrence counts, vectors, query-log document frequencies and graphs of the log of a workspace."""

    def __init__(
        self, path: Path, resources: CorpusResources, repository: Repository, log: LogResources
    ) -> None:
        self._path, self._resources, self._repository, self._log = path, resources, repository, log

    @cached_property
    def query_frequencies(self) -> "QueryLogFrequencies":
        """The document frequencies of words in the query log, as of their first use or the last rebuild."""
        frequencies = self._stored_frequencies()
        if not self._is_current(frequencies):
            self._count_query_words(frequencies)
        return frequencies

    def _stored_frequencies(self) -> "QueryLogFrequencies":
        from querykin.querylog.document_frequencies import QueryLogFrequencies

        folder = self._path / "query-log"
        return self._resources.open_derived(folder, lambda: QueryLogFrequencies(folder))

    def _is_current(self, frequencies: "QueryLogFrequencies") -> bool:
        return not len(self._repository) or frequencies.store_id == self._repository.store_id

    def _count_query_words(self, frequencies: "QueryLogFrequencies") -> None:
        queries = self._repository.all_queries()
        count = frequencies.update if is_writable(self._path) else frequencies.count
        count(queries, self._resources.corpus.vocabulary, self._repository.store_id)

    def is_ready(self, requirements: Requirements) -> bool:
        """Whether all of it exists or can be derived quickly on first use."""
        relations = [relation for part in requirements.derived if (relation := relation_of(part))]
        if not all(map(self._log.has, relations)):
            return False
        expensive = (part for part in requirements.derived if part in _EXPENSIVE)
        quick = self._resources.corpus.statistics.tokens < QUICK_TOKENS and is_writable(self._path)
        return quick or all(map(self._resources.has_derived, expensive))

    def missing(self, requirements: Requirements) -> list[str]:
        """What is not there for this corpus and query log."""
        return sorted(part for part in requirements.derived if not self._has_current(part))

    def _has_current(self, part: str) -> bool:
        if part == "query-log":
            return self._is_current(self._stored_frequencies())
        if relation := relation_of(part):
            return self._log.is_derived(relation)
        return self._resources.has_current(part)

    def update(self, requirements: Requirements, rebuild: bool = False) -> None:
        """Bring what is required up to date."""
        if "cooccurrence" in requirements.derived:
            self._resources.update_cooccurrence(rebuild)
        if "query-log" in requirements.derived and rebuild:
            self._count_query_words(self.query_frequencies)
        if "latent" in requirements.derived:
            self._resources.update_latent()
        for part in requirements.derived:
            if relation := relation_of(part):
                self._log.update(relation, rebuild)
            if part.startswith(DOCUMENT_VECTORS):
                self._resources.update_document_vectors(part.removeprefix(f"{DOCUMENT_VECTORS}/"), rebuild)
