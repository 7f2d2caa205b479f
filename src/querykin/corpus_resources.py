"""The corpus of a workspace, its search engine and derived data, each opened once."""

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from querykin.build_policy import BuildPolicy, State, ensure_built
from querykin.cooccurrence.limits import DISTANCE
from querykin.corpus.corpus import Corpus
from querykin.corpus.vocabulary import Vocabulary
from querykin.counted_nouns import counted
from querykin.distributed.task_runner import THIS_PROCESS, TaskRunner
from querykin.embeddings import static
from querykin.embeddings.document_vectors import KIND as DOCUMENT_VECTORS
from querykin.embeddings.document_vectors import LEAD_WORDS, DocumentVectors, drop_damaged
from querykin.embeddings.sentence_models import sentence_model
from querykin.engine_elsewhere import EngineElsewhere, open_corpus, open_engine
from querykin.errors import DamagedFile, QuerykinError, ServiceUnavailable, WorkspaceError
from querykin.progress import Progress
from querykin.search.engine import CorpusEngine, EngineOutOfStep, SearchEngine, engine_class
from querykin.search.expansion import Expander
from querykin.settings import Settings
from querykin.storage.derived_stores import open_derived
from querykin.storage.locations import mirror_of
from querykin.storage.store import Store, is_writable

if TYPE_CHECKING:
    from querykin.cooccurrence.counts import CooccurrenceCounts
    from querykin.cooccurrence.latent import LatentVectors
    from querykin.cooccurrence.phrases import Phrases

T = TypeVar("T")


class CorpusResources:
    """The corpus, the expander over it, co-occurrence counts, latent vectors and document vectors."""

    def __init__(
        self,
        path: Path,
        settings: Settings,
        policy: BuildPolicy,
        progress: Progress,
        phrases: "Callable[[Corpus], Phrases]",
        runner: TaskRunner = THIS_PROCESS,
    ) -> None:
        self._runner = runner
        self.path, self._settings, self._policy, self._progress = path, settings, policy, progress
        self._phrases = phrases
        self._document_vectors: dict[str, DocumentVectors] = {}

    @cached_property
    def corpus(self) -> Corpus:
        """The documents and their statistics."""
        corpus = open_corpus(self.path, self._settings.text.language)
        if corpus.lacks_postings:
            self._add_postings(corpus)
        corpus.on_change = self._follow
        return corpus

    def _add_postings(self, corpus: Corpus) -> None:
        """Posting lists for a corpus of an earlier version; without them searches take longer."""
        may_build = self._policy is not BuildPolicy.REFUSE and mirror_of(corpus.path) is None
        if may_build and self._settings.engine.kind == "postings" and is_writable(corpus.path):
            self._progress.message(f"adding posting lists to {counted(len(corpus), 'document')}, once")
            try:
                corpus.add_postings()
            except DamagedFile:
                raise
            except WorkspaceError as error:  # as long as another process writes, tantivy searches
                self._progress.message(f"warning: no posting lists were added, searches take longer: {error}")

    def _follow(self, corpus: Corpus) -> None:
        try:
            self.send_documents(corpus)
        except QuerykinError as error:
            raise ServiceUnavailable(
                f"the corpus has changed, but not the index of the search engine: {error}; after that: "
                "querykin corpus send"
            ) from error

    def send_documents(self, corpus: Corpus, dry_run: bool = False) -> int:
        """Bring the search engine in step with the corpus, if it has an index of its own."""
        settings = self._settings
        engine = engine_class(settings.engine)
        return engine.send_documents(corpus, settings.engine, settings.opensearch, self._progress, dry_run)

    @cached_property
    def expander(self) -> Expander:
        """Query expansion over the corpus, as of the opening of the search engine."""
        corpus = copy(self.corpus)
        try:
            engine = self._engine(corpus)
        except (FileNotFoundError, DamagedFile, EngineOutOfStep) as error:
            if self.corpus.generation != open_corpus(self.path).generation:
                del self.corpus  # replaced by a writer before its search index was opened: retry
                return self.expander
            if isinstance(error, FileNotFoundError):
                raise DamagedFile(Path(error.filename), "it is missing") from error
            raise
        return Expander(
            corpus, engine, self._settings.expansion.window, self._settings.expansion.min_idf_coverage
        )

    def _engine(self, corpus: Corpus) -> SearchEngine:
        if self.asks_elsewhere:
            return self._elsewhere.engine
        return open_engine(corpus, self._settings, self.path, self._progress)

    @cached_property
    def _elsewhere(self) -> EngineElsewhere:
        return EngineElsewhere(self.path, self._settings, self._policy, self._progress)

    @property
    def asks_elsewhere(self) -> bool:
        """Whether the search engine is not one over the corpus."""
        return not issubclass(engine_class(self._settings.engine), CorpusEngine)

    def ask(self, texts: Sequence[str], count: bool, complete: bool) -> bool:
        """Ask an engine elsewhere for texts (see EngineElsewhere.ask); whether the corpus has changed."""
        changed = self._elsewhere.ask(texts, count or not len(self.corpus), complete)
        if changed:
            for name in ("corpus", "expander", "cooccurrence", "latent"):
                vars(self).pop(name, None)
            self._document_vectors.clear()
        return changed

    def engine_info(self) -> dict[str, Any]:
        """What an engine elsewhere is, where document frequencies come from, and what is stored of it."""
        return self._elsewhere.info(self.corpus) if self.asks_elsewhere else {}

    @cached_property
    def cooccurrence(self) -> "CooccurrenceCounts":
        """The co-occurrence counts of the corpus."""
        from querykin.cooccurrence.counts import CooccurrenceCounts

        distance = self._settings.cooccurrence.distance
        folder = self.path / "cooccurrence"
        counts = self.open_derived(folder, lambda: CooccurrenceCounts(folder, distance))
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
    def latent(self) -> "LatentVectors":
        """Latent word vectors, factorized from the co-occurrence counts."""
        from querykin.cooccurrence.latent import LatentVectors

        folder = self.path / "latent"
        vectors = self.open_derived(folder, lambda: LatentVectors(folder))
        missing = (vectors.store_id, vectors.distance) != (
            self.corpus.store_id,
            self._settings.cooccurrence.distance,
        )
        self._ensure(missing, lambda: vectors.update(self.cooccurrence, self._progress.message), "")
        return vectors

    def document_vectors(self, model: str) -> DocumentVectors:
        """The document vectors of a model: "static" or "dense", those of the measures of these names."""
        if model not in self._document_vectors:
            load = static.load if model == "static" else partial(sentence_model, self._sentence_model)
            folder = self.path / DOCUMENT_VECTORS / model
            self._verify(folder, DOCUMENT_VECTORS)
            opened = DocumentVectors(folder, load, LEAD_WORDS[model], self.corpus.store_id)
            self._document_vectors.setdefault(model, opened)
        return self._document_vectors[model]

    def open_derived(self, folder: Path, opening: Callable[[], T]) -> T:
        """Open derived data; what is damaged is made again, if the policy allows it."""
        may_build = self._policy is not BuildPolicy.REFUSE
        return open_derived(folder, opening, self._progress, may_build=may_build)

    def _verify(self, folder: Path, kind: str) -> dict[str, Any]:
        """The metadata of a store of derived data, verified as far as its opening does."""
        return self.open_derived(folder, lambda: Store(folder, kind).read(lambda manifest: manifest.metadata))

    @property
    def _sentence_model(self) -> str:
        """The name or folder of the sentence model; empty for the default."""
        return str(self._settings.measures.get("dense", {}).get("model", ""))

    def _ensure(self, missing: bool, update: Callable[[], None], message: str) -> None:
        def refuse() -> WorkspaceError:
            return WorkspaceError(
                "co-occurrence counts are missing, and are not built on demand here; "
                "next: querykin build, as a user who may write to the workspace"
            )

        state = State.MISSING if missing else State.CURRENT
        ensure_built(state, self._policy, update, refuse, self._progress, message)

    def _count(self, counts: "CooccurrenceCounts", corpus: Corpus, rebuild: bool = False) -> None:
        memory = self._settings.cooccurrence.memory << 20
        counts.update(corpus, lambda: self._phrases(corpus), rebuild, memory, self._runner, self._progress)

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
        from querykin.cooccurrence.counts import CooccurrenceCounts

        folder = self.path / "cooccurrence"
        before = self.open_derived(folder, lambda: CooccurrenceCounts(folder)).version
        counts = self.cooccurrence  # counts the whole corpus if there are no counts yet
        if counts.is_stale(self.corpus) or (rebuild and counts.version == before):
            self._progress.message("counting co-occurrences" + (" again" if rebuild else " in new documents"))
            self._count(counts, self.corpus, rebuild)

    def update_latent(self) -> None:
        """Bring the latent vectors up to date with the co-occurrence counts."""
        if self.latent.counts_version != self.cooccurrence.version:
            self.latent.update(self.cooccurrence, self._progress.message)

    def update_document_vectors(self, model: str, rebuild: bool = False) -> None:
        """Embed the documents that have no vector yet; hits of an external engine are embedded when found."""
        if rebuild:
            drop_damaged(self.path / DOCUMENT_VECTORS / model)
            self._document_vectors.pop(model, None)
        if self._finds_documents:
            self.document_vectors(model).update(self.expander.corpus, self._progress, self._runner)

    @property
    def _finds_documents(self) -> bool:
        return isinstance(self.expander.engine, CorpusEngine)

    def has_derived(self, part: str) -> bool:
        """Whether derived data exists under the current settings, possibly stale."""
        if part.startswith(DOCUMENT_VECTORS):
            return self._has_document_vectors(part)
        metadata = self._verify(self.path / part, part)
        return bool(metadata) and metadata.get("distance", DISTANCE) == self._settings.cooccurrence.distance

    def has_current(self, part: str) -> bool:
        """Whether derived data exists for this corpus under the current settings."""
        if part.startswith(DOCUMENT_VECTORS):
            return self._has_document_vectors(part)
        metadata = self._verify(self.path / part, part)
        return self.has_derived(part) and metadata.get("corpus_id") == self.corpus.store_id

    def _has_document_vectors(self, part: str) -> bool:
        """Whether most documents need not be embedded when they are found."""
        metadata = self._verify(self.path / part, DOCUMENT_VECTORS)
        return metadata.get("corpus_id") == self.corpus.store_id or not self._finds_documents
