"""The corpus of a workspace, its search engine and derived data, each opened once."""

from collections.abc import Callable
from copy import copy
from functools import cached_property
from pathlib import Path

from querykin.build_policy import BuildPolicy, State, ensure_built
from querykin.cooccurrence.counting import DISTANCE
from querykin.cooccurrence.counts import CooccurrenceCounts
from querykin.cooccurrence.latent import LatentVectors
from querykin.cooccurrence.phrases import Phrases
from querykin.corpus.corpus import Corpus
from querykin.corpus.vocabulary import Vocabulary
from querykin.counted_nouns import counted
from querykin.errors import WorkspaceError
from querykin.progress import Progress
from querykin.search.engine import SearchEngine
from querykin.search.expansion import Expander
from querykin.search.selection import open_engine
from querykin.search.tantivy_engine import TantivyIndexer
from querykin.settings import Settings
from querykin.storage.store import Store


class CorpusResources:
    """The corpus, the expander over it, co-occurrence counts and latent vectors."""

    def __init__(
        self,
        path: Path,
        settings: Settings,
        policy: BuildPolicy,
        progress: Progress,
        phrases: Callable[[Corpus], Phrases],
    ) -> None:
        self.path, self._settings, self._policy, self._progress = path, settings, policy, progress
        self._phrases = phrases

    @cached_property
    def corpus(self) -> Corpus:
        """The documents and their statistics."""
        return open_corpus(self.path, self._settings.text.language)

    @cached_property
    def expander(self) -> Expander:
        """Query expansion over the corpus, as of the opening of the search engine."""
        corpus = copy(self.corpus)
        try:
            engine = self._engine(corpus)
        except ValueError as error:
            if self.corpus.generation != open_corpus(self.path).generation:
                del self.corpus  # replaced by a writer before its search index was opened: retry
                return self.expander
            raise WorkspaceError(
                f"the search index in {self.path} is damaged ({error}); querykin check lists all damaged "
                "files; restore the workspace from a backup or rebuild it"
            ) from error
        return Expander(
            corpus, engine, self._settings.expansion.window, self._settings.expansion.min_idf_coverage
        )

    def _engine(self, corpus: Corpus) -> SearchEngine:
        return open_engine(corpus, self._settings.engine.kind, self._settings.engine.path)

    @cached_property
    def cooccurrence(self) -> CooccurrenceCounts:
        """The co-occurrence counts of the corpus."""
        counts = CooccurrenceCounts(self.path / "cooccurrence", self._settings.cooccurrence.distance)
        distance_changed = counts.counted_at_other_distance
        missing = counts.store_id != self.corpus.store_id or distance_changed
        reason = f" again: they were counted at distance {counts.distance}" if distance_changed else ""
        self._ensure(
            missing,
            lambda: self._count(counts, self.corpus),
            f"counting co-occurrences in {counted(len(self.corpus), 'document')}{reason}",
        )
        return counts

    @cached_property
    def latent(self) -> LatentVectors:
        """Latent word vectors, factorized from the co-occurrence counts."""
        vectors = LatentVectors(self.path / "latent")
        missing = (vectors.store_id, vectors.distance) != (
            self.corpus.store_id,
            self._settings.cooccurrence.distance,
        )
        self._ensure(missing, lambda: vectors.update(self.cooccurrence, self._progress.message), "")
        return vectors

    def _ensure(self, missing: bool, update: Callable[[], None], message: str) -> None:
        def refuse() -> WorkspaceError:
            return WorkspaceError(
                "co-occurrence counts are missing, and are not built on demand here; next: querykin build"
            )

        state = State.MISSING if missing else State.CURRENT
        ensure_built(state, self._policy, update, refuse, self._progress, message)

    def _count(self, counts: CooccurrenceCounts, corpus: Corpus, rebuild: bool = False) -> None:
        memory = self._settings.cooccurrence.memory << 20
        counts.update(corpus, lambda: self._phrases(corpus), rebuild, memory)

    @property
    def counted_vocabulary(self) -> Vocabulary:
        """A vocabulary of every counted word, including words added since the corpus was opened."""
        vocabulary, size = self.expander.corpus.vocabulary, len(self.cooccurrence.marginals)
        if size <= vocabulary.count:
            return vocabulary
        newest = open_corpus(self.path)
        self._ensure(
            size > newest.vocabulary.count,
            lambda: self._count(self.cooccurrence, newest, rebuild=True),
            "the co-occurrence counts are newer than the corpus: counting again",
        )
        return newest.vocabulary

    def update_cooccurrence(self, rebuild: bool = False) -> None:
        """Bring the co-occurrence counts up to date with the corpus."""
        before = CooccurrenceCounts(self.path / "cooccurrence").version
        counts = self.cooccurrence  # counts the whole corpus if there are no counts yet
        if counts.is_stale(self.corpus) or (rebuild and counts.version == before):
            self._progress.message("counting co-occurrences" + (" again" if rebuild else " in new documents"))
            self._count(counts, self.corpus, rebuild)

    def update_latent(self) -> None:
        """Bring the latent vectors up to date with the co-occurrence counts."""
        if self.latent.counts_version != self.cooccurrence.version:
            self.latent.update(self.cooccurrence, self._progress.message)

    def has_derived(self, part: str) -> bool:
        """Whether derived data exists under the current settings, possibly stale."""
        metadata = Store(self.path / part, part).manifest().metadata
        return bool(metadata) and metadata.get("distance", DISTANCE) == self._settings.cooccurrence.distance

    def has_current(self, part: str) -> bool:
        """Whether derived data exists for this corpus under the current settings."""
        metadata = Store(self.path / part, part).manifest().metadata
        return self.has_derived(part) and metadata.get("corpus_id") == self.corpus.store_id


def open_corpus(path: Path, language: str = "") -> Corpus:
    """The corpus of a workspace; `language` is that of a new one."""
    return Corpus(path / "corpus", TantivyIndexer, language)
